#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/training/layers/layer_kind.h>

namespace tensorloom::workloads {

/// Source of patches: copies on chip in float32, or strided loads from the picture in memory on the bus.
enum class patch_source : std::uint8_t { chip, bus };
inline constexpr base::named_value patch_source_values[] = {
    {0, "chip", "copied by the vector unit"},
    {1, "bus", "loaded from the memory on the bus, which holds the picture"},
};

/// A 2D convolution. Each position of the kernel in the picture gives a patch; all patches are multiplied by one W, Y =
/// activation(P W^T + bias). Pictures have interleaved channels, [y][x][channel], at input and output. Columns of W are
/// [ky][kx][channel] of a patch, its rows the output channels. The picture is padded with `padding` rows and columns of
/// zeros. The kernel moves by `stride` inside the padded picture. Parameters: the cores of W in their order, bias.
struct convolution_layer {
    static constexpr const char* kind_name = "convolution";
    linear_map map;
    activation_kind activation = activation_kind::none;
    std::uint64_t height = 1, width = 1, channels = 1; ///< of an input picture
    std::uint64_t kernel_height = 1, kernel_width = 1;
    std::uint64_t stride = 1;
    std::uint64_t padding = 0;
    patch_source patches_from = patch_source::chip; ///< does not affect the result

    std::uint64_t padded_height() const { return height + 2 * padding; }
    std::uint64_t padded_width() const { return width + 2 * padding; }
    std::uint64_t rows() const { return (padded_height() - kernel_height) / stride + 1; }  ///< of patches
    std::uint64_t columns() const { return (padded_width() - kernel_width) / stride + 1; } ///< likewise
    std::uint64_t patches() const { return rows() * columns(); }                           ///< of a sample
    std::uint64_t patch_pixels() const { return kernel_height * kernel_width; }

    static convolution_layer read(layer_reader& from);
    std::uint64_t inputs() const { return height * width * channels; }
    std::uint64_t outputs() const { return patches() * map.outputs(); }
    std::uint64_t parameters() const { return map.parameters(); }
    convolution_layer dense_twin() const
    {
        auto twin = *this;
        twin.map = map.dense_twin();
        return twin;
    }
    std::vector<layer_map> maps() const { return {{"", map, patches()}}; }
    void check() const;
    std::string text() const;
    std::string element_work() const;
    std::vector<layer_field> fields() const;
    parameter_values initial_values(std::uint64_t seed) const;

    void declare(std::uint64_t batch, bool with_dx, layer_declaration& declaration) const;
    std::unique_ptr<layer_operations> operations(const layer_contractions& contractions, const std::string& name) const;
    std::unique_ptr<layer_emulation> emulation(const layer_contractions& contractions,
                                               emulated_parameters& parameters) const;
};

} // namespace tensorloom::workloads
