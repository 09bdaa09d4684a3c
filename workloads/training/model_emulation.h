#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/workloads/training/labelled_samples.h>
#include <tensorloom/workloads/training/training_run.h>

namespace tensorloom::workloads {

/// The training of a model on the host: bit for bit what a device does.
///
/// Of the contractions of a layer it takes which two tensors each has, and in which order it sums (mapping, split and
/// the order of contracted modes); all else is its own: no operations, places, programs, addresses. Sums are those of
/// models/arithmetic.
class model_emulation {
public:
    model_emulation(const model_description& model, const labelled_samples& samples,
                    const model_contractions& contractions, const arch::fetta::geometry& g, training_state state);

    std::vector<batch_metrics> train(const std::vector<std::uint32_t>& order);
    std::vector<batch_metrics> test();

    const training_state& state() const { return m_state; }

private:
    using values = std::vector<float>;
    struct layer_state {
        std::vector<values> tensor; // by tensor of the graph, in C order
        values sums, outputs;       // ahead of the activation and behind it
    };

    std::vector<batch_metrics> over(const std::vector<std::uint32_t>& order, bool training);
    batch_metrics step(const std::uint32_t* list, std::size_t count, bool training);
    template <class Psum> values contract(std::size_t layer, std::size_t contraction) const;
    values contract(std::size_t layer, std::size_t contraction) const;
    void forward(std::size_t layer, values x);
    values backward(std::size_t layer, values dy);
    void update();
    void descend();
    void adapt();
    float& constant(step_constant c) { return m_state.constants[static_cast<std::size_t>(c)]; }

    const model_description& m_model;
    const labelled_samples& m_samples;
    const model_contractions& m_contractions;
    arch::fetta::geometry m_geometry;
    training_state m_state;
    parameter_values m_gradients;
    std::vector<layer_state> m_layers;
};

} // namespace tensorloom::workloads
