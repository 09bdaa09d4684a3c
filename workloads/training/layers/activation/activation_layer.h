#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/workloads/training/layers/layer_kind.h>

namespace tensorloom::workloads {

/// A function of every value: z = f(x) in float32. That of a linear layer or a convolution is a key of that layer; this
/// is one after another kind of layer, such as a norm or a residual sum. No parameters.
struct activation_layer {
    static constexpr const char* kind_name = "activation";
    std::uint64_t features = 0; ///< of a sample
    activation_kind function = activation_kind::relu;

    static activation_layer read(layer_reader& from);
    std::uint64_t inputs() const { return features; }
    std::uint64_t outputs() const { return features; }
    std::uint64_t parameters() const { return 0; }
    activation_layer dense_twin() const { return *this; }
    std::vector<layer_map> maps() const { return {}; }
    void check() const;
    std::string text() const;
    std::string element_work() const { return activation_work(function); }
    std::vector<layer_field> fields() const;
    parameter_values initial_values(std::uint64_t /*seed*/) const { return {}; }

    void declare(std::uint64_t /*batch*/, bool /*with_dx*/, layer_declaration& /*declaration*/) const {}
    std::unique_ptr<layer_operations> operations(const layer_contractions& contractions, const std::string& name) const;
    std::unique_ptr<layer_emulation> emulation(const layer_contractions& contractions,
                                               emulated_parameters& parameters) const;
};

} // namespace tensorloom::workloads
