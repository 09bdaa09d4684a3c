#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/training/layers/layer_kind.h>

namespace tensorloom::workloads {

/// Output of a recurrent layer to the next layer.
enum class sequence_output : std::uint8_t { last, all };
inline constexpr base::named_value sequence_output_values[] = {
    {0, "last", "output of the last frame"},
    {1, "all", "outputs of all frames, one after the other"},
};

/// A long short-term memory. It computes frame t of a sample from x(t) and from h and c of frame t - 1, initially 0:
///
///     [i f g o] = [sigmoid sigmoid tanh sigmoid](W x(t) + b + U h(t - 1))
///     c(t) = f c(t - 1) + i g          h(t) = o tanh(c(t))
///
/// W, dense or a tensor network, is one linear map for all frames; U, likewise, is applied to one frame at a time.
/// Their rows are the gates i f g o, one gate after the other. Back-propagation goes through all frames. Source: FETTA,
/// sections II and VII (input-to-hidden and hidden-to-hidden, gates stacked). Parameters: the cores of W in their
/// order, the bias, the cores of U.
struct lstm_layer {
    static constexpr const char* kind_name = "lstm";
    static constexpr std::uint64_t gates = 4;

    std::uint64_t frames = 1;
    std::uint64_t features = 1; ///< of a frame
    std::uint64_t hidden = 0;   ///< numbers of h, and of c
    linear_map weights;         ///< W and b
    linear_map hidden_weights;  ///< U, without a bias
    sequence_output output = sequence_output::last;

    static lstm_layer read(layer_reader& from);
    std::uint64_t inputs() const { return frames * features; }
    std::uint64_t outputs() const { return (output == sequence_output::all ? frames : 1) * hidden; }
    std::uint64_t parameters() const { return weights.parameters() + hidden_weights.parameters(); }
    lstm_layer dense_twin() const
    {
        return {frames, features, hidden, weights.dense_twin(), hidden_weights.dense_twin(), output};
    }
    std::vector<layer_map> maps() const
    {
        return {{"input", weights, frames}, {"hidden", hidden_weights, 1, true, frames}};
    }
    void check_sizes() const; ///< all but the matrices; throws base::input_error, one line
    void check() const;       ///< everything; throws likewise
    std::string text() const;
    std::string element_work() const { return "gates, frame by frame"; }
    std::vector<layer_field> fields() const;
    /// The bias of f is 1, so that c is kept initially; other biases are 0.
    parameter_values initial_values(std::uint64_t seed) const;

    void declare(std::uint64_t batch, bool with_dx, layer_declaration& declaration) const;
    std::unique_ptr<layer_operations> operations(const layer_contractions& contractions, const std::string& name) const;
    std::unique_ptr<layer_emulation> emulation(const layer_contractions& contractions,
                                               emulated_parameters& parameters) const;
};

} // namespace tensorloom::workloads
