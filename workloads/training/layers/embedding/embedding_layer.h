#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <tensorloom/workloads/training/layers/layer_kind.h>

namespace tensorloom::workloads {

/// An embedding. A sample has one token per frame; a token is the index of a row of a table. The result is these rows
/// in bf16, frame by frame; layers with positions add a row of numbers per frame, in float32. Parameters: the table
/// (vocabulary x features), positions (frames x features).
struct embedding_layer {
    static constexpr const char* kind_name = "embedding";
    std::uint64_t vocabulary = 1;
    std::uint64_t frames = 1;
    std::uint64_t features = 1; ///< of a frame
    bool positions = false;

    static embedding_layer read(layer_reader& from);
    std::uint64_t inputs() const { return frames; }
    std::uint64_t outputs() const { return frames * features; }
    std::uint64_t parameters() const { return (vocabulary + (positions ? frames : 0)) * features; }
    embedding_layer dense_twin() const { return *this; }
    std::vector<layer_map> maps() const { return {}; }
    void check() const;
    std::string text() const;
    std::string element_work() const { return "gather of rows, scatter of their gradients"; }
    std::vector<layer_field> fields() const;
    parameter_values initial_values(std::uint64_t seed) const;

    void declare(std::uint64_t batch, bool with_dx, layer_declaration& declaration) const;
    std::unique_ptr<layer_operations> operations(const layer_contractions& contractions, const std::string& name) const;
    std::unique_ptr<layer_emulation> emulation(const layer_contractions& contractions,
                                               emulated_parameters& parameters) const;
};

} // namespace tensorloom::workloads
