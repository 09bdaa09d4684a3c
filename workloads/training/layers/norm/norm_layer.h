#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/workloads/training/layers/layer_kind.h>

namespace tensorloom::workloads {

/// Layer normalization. Each of the `frames` rows of a sample becomes
///
///     gamma (x - mean) / sqrt(variance + epsilon) + beta
///
/// with mean and variance over its `features`. Source: Ba and others, "Layer normalization" (2016). Parameters: gamma,
/// initially 1, and beta, initially 0.
struct norm_layer {
    static constexpr const char* kind_name = "norm";
    std::uint64_t frames = 1;
    std::uint64_t features = 0;
    float epsilon = 1e-5f;

    static norm_layer read(layer_reader& from);
    std::uint64_t inputs() const { return frames * features; }
    std::uint64_t outputs() const { return frames * features; }
    std::uint64_t parameters() const { return 2 * features; }
    norm_layer dense_twin() const { return *this; }
    std::vector<layer_map> maps() const { return {}; }
    void check() const;
    std::string text() const;
    std::string element_work() const { return "normalization"; }
    std::vector<layer_field> fields() const;
    parameter_values initial_values(std::uint64_t seed) const;

    void declare(std::uint64_t batch, bool with_dx, layer_declaration& declaration) const;
    std::unique_ptr<layer_operations> operations(const layer_contractions& contractions, const std::string& name) const;
    std::unique_ptr<layer_emulation> emulation(const layer_contractions& contractions,
                                               emulated_parameters& parameters) const;
};

} // namespace tensorloom::workloads
