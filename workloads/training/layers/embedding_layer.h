#pragma once
#include <cstdint>
#include <string>
#include <tensorloom/workloads/training/layers/linear_layer.h>

namespace tensorloom::workloads {

/// An embedding: a sample is tokens, one of each frame, and a token is the number of a row of a table. Rows pass it in
/// bf16, one behind the other; of layers with positions a row of numbers of each frame is added to them, in float32.
///
/// Parameters: the table (vocabulary x features), positions (frames x features).
struct embedding_layer {
    std::uint64_t vocabulary = 1;
    std::uint64_t frames = 1;
    std::uint64_t features = 1; ///< of a frame
    bool positions = false;

    std::uint64_t inputs() const { return frames; }
    std::uint64_t outputs() const { return frames * features; }
    std::uint64_t parameters() const { return (vocabulary + (positions ? frames : 0)) * features; }
    embedding_layer dense_twin() const { return *this; }
    std::vector<layer_map> maps() const { return {}; }
    void check() const; ///< throws base::input_error, one line
    std::string text() const;
    parameter_values initial_values(std::uint64_t seed) const;
};

} // namespace tensorloom::workloads
