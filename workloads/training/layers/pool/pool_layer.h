#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/training/layers/layer_kind.h>

namespace tensorloom::workloads {

/// What pooling computes from the pixels that the kernel covers.
enum class pool_function : std::uint8_t { max, average };
inline constexpr base::named_value pool_function_values[] = {
    {0, "max", "the largest; its gradient goes to the first of equal ones"},
    {1, "average", "their sum, divided by the size of the kernel"},
};

/// 2D pooling, channel by channel, of pictures with interleaved channels, [y][x][channel], at input and output. The
/// kernel moves by `stride` inside the picture, which has a rim of `padding` rows and columns: of -infinity for max, of
/// zeros, which count, for average. No parameters.
struct pool_layer {
    static constexpr const char* kind_name = "pool";
    pool_function function = pool_function::max;
    std::uint64_t height = 1, width = 1, channels = 1; ///< of an input picture
    std::uint64_t kernel_height = 1, kernel_width = 1;
    std::uint64_t stride_height = 1, stride_width = 1;
    std::uint64_t padding = 0;

    std::uint64_t padded_height() const { return height + 2 * padding; }
    std::uint64_t padded_width() const { return width + 2 * padding; }
    std::uint64_t padded_inputs() const { return padded_height() * padded_width() * channels; }
    std::uint64_t rows() const { return (padded_height() - kernel_height) / stride_height + 1; } ///< of an output
    std::uint64_t columns() const { return (padded_width() - kernel_width) / stride_width + 1; } ///< likewise
    std::uint64_t taps() const { return kernel_height * kernel_width; }
    bool overlaps() const { return stride_height < kernel_height || stride_width < kernel_width; } ///< of positions

    static pool_layer read(layer_reader& from);
    std::uint64_t inputs() const { return height * width * channels; }
    std::uint64_t outputs() const { return rows() * columns() * channels; }
    std::uint64_t parameters() const { return 0; }
    pool_layer dense_twin() const { return *this; }
    std::vector<layer_map> maps() const { return {}; }
    void check() const;
    std::string text() const;
    std::string element_work() const;
    std::vector<layer_field> fields() const;
    parameter_values initial_values(std::uint64_t /*seed*/) const { return {}; }

    void declare(std::uint64_t /*batch*/, bool /*with_dx*/, layer_declaration& /*declaration*/) const {}
    std::unique_ptr<layer_operations> operations(const layer_contractions& contractions, const std::string& name) const;
    std::unique_ptr<layer_emulation> emulation(const layer_contractions& contractions,
                                               emulated_parameters& parameters) const;
};

} // namespace tensorloom::workloads
