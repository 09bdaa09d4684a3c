#include <tensorloom/workloads/training/model_emulation.h>
#include <algorithm>
#include <cmath>
#include <tensorloom/models/arithmetic/word_operations.h>
#include <tensorloom/workloads/training/losses/loss_emulation.h>
#include <tensorloom/workloads/training/step_words.h>

namespace tensorloom::workloads {
using values = emulated_values;

namespace {

training_state in_parts(training_state state, const model_contractions& contractions)
{
    state.masters = contractions.in_parts(state.masters);
    for (auto& moment : state.moments) { moment = contractions.in_parts(moment); }
    return state;
}

} // namespace

model_emulation::model_emulation(const model_description& model, const labelled_samples& samples,
                                 const model_contractions& contractions, const fetta::device_limits& g,
                                 training_state state)
    : m_model(model), m_samples(samples),
      m_state(in_parts(std::move(state), contractions)), m_parameters{contractions,    g,  m_state.masters,
                                                                      m_state.masters, {}, 0}
{
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
        m_layers.push_back(of_kind(
            model.layers[l], [&](const auto& kind) { return kind.emulation(contractions.layers[l], m_parameters); }));
    }
}

training_state model_emulation::state() const
{
    auto state = m_state;
    state.masters = m_parameters.contractions.in_whole(state.masters);
    for (auto& moment : state.moments) { moment = m_parameters.contractions.in_whole(moment); }
    return state;
}

std::vector<batch_metrics> model_emulation::train(const std::vector<std::uint32_t>& order)
{
    auto metrics = over(order, true);
    constant(step_constant::minus_rate) *= m_model.optimizer.rate_decay;
    ++m_state.epochs;
    return metrics;
}

std::vector<batch_metrics> model_emulation::validate() { return over(m_samples.validation, false); }

std::vector<batch_metrics> model_emulation::test() { return over(m_samples.test, false); }

std::vector<batch_metrics> model_emulation::over(const std::vector<std::uint32_t>& order, bool training)
{
    std::vector<batch_metrics> metrics;
    const std::uint64_t steps = batches_of(m_model, order.size());
    for (std::uint64_t step = 0; step < steps; ++step) {
        const std::size_t first = step * m_model.batch,
                          count = std::min<std::size_t>(m_model.batch, order.size() - first);
        m_parameters.mask_key.reset();
        if (training) { m_parameters.mask_key = mask_key(m_state.seed, m_state.epochs, step); }
        metrics.push_back(run_batch(order.data() + first, count, training));
        if (training) { update(static_cast<float>(rate_factor(m_model, m_state.epochs, step, steps))); }
    }
    return metrics;
}

batch_metrics model_emulation::run_batch(const std::uint32_t* list, std::size_t count, bool training)
{
    const auto& contractions = m_parameters.contractions;
    std::vector<batch_metrics> blocks;
    if (training) { m_parameters.clear_sums(); }
    for (std::size_t b = 0; b < contractions.blocks; ++b) {
        m_parameters.first_sample = b * contractions.samples;
        const std::size_t first = std::min<std::size_t>(m_parameters.first_sample, count);
        const std::size_t of_block = std::min<std::size_t>(contractions.samples, count - first);
        blocks.push_back(run_block(list + first, of_block, count, training));
    }
    return sum_of(blocks);
}

batch_metrics model_emulation::run_block(const std::uint32_t* list, std::size_t count, std::size_t all, bool training)
{
    const std::size_t batch = m_parameters.contractions.samples, features = m_samples.features;
    values x(batch * features);
    for (std::size_t s = 0; s < count; ++s) {
        std::copy_n(m_samples.values.begin() + static_cast<std::ptrdiff_t>(list[s] * features), features,
                    x.begin() + static_cast<std::ptrdiff_t>(s * features));
    }
    for (const auto& layer : m_layers) { x = layer->forward(std::move(x)); }
    auto [metrics, gradient] = loss_of(m_model.loss, m_samples, {list, count, all}, x);
    if (!training) { return metrics; }
    for (std::size_t l = m_layers.size(); l-- > 0 && !gradient.empty();) {
        gradient = m_layers[l]->backward(std::move(gradient));
    }
    return metrics;
}

void model_emulation::update(float rate_factor)
{
    const auto& o = m_model.optimizer;
    if (o.clip_norm != 0) { clip(); }
    m_rate = constant(step_constant::minus_rate);
    if (o.has_schedule()) { m_rate *= rate_factor; }
    if (o.weight_decay != 0) { decay(); }
    o.is_adaptive() ? adapt() : descend();
}

// The squares of a parameter are added as they lie in memory, gaps of which are 0, then parameter after parameter.
void model_emulation::clip()
{
    const auto& contractions = m_parameters.contractions;
    float sum = 0;
    for (std::size_t p = 0; p < m_parameters.gradients.size(); ++p) {
        const auto& parameter = contractions.parameters[p];
        const auto places = contractions.places_of(parameter);
        const auto& gradients = m_parameters.gradients[p];
        values squares(parameter.elements);
        for (std::size_t i = 0; i < gradients.size(); ++i) {
            squares[places[i] - parameter.offset] = gradients[i] * gradients[i];
        }
        sum += tree_sum(std::move(squares));
    }
    const float factor = arithmetic::word_minimum(m_model.optimizer.clip_norm / (std::sqrt(sum) + clip_epsilon), 1.0f);
    for (auto& gradients : m_parameters.gradients) {
        for (float& g : gradients) { g *= factor; }
    }
}

void model_emulation::decay()
{
    const float decay = m_model.optimizer.weight_decay;
    const bool is_decoupled = m_model.optimizer.kind == optimizer_kind::adamw;
    const float rest = std::fma(decay, m_rate, 1.0f);
    for (std::size_t p = 0; p < m_parameters.gradients.size(); ++p) {
        for (std::size_t i = 0; i < m_parameters.gradients[p].size(); ++i) {
            float& w = m_state.masters[p][i];
            float& g = m_parameters.gradients[p][i];
            is_decoupled ? w *= rest : g = std::fma(decay, w, g);
        }
    }
}

void model_emulation::descend()
{
    for (std::size_t p = 0; p < m_parameters.gradients.size(); ++p) {
        for (std::size_t i = 0; i < m_parameters.gradients[p].size(); ++i) {
            float& v = m_state.moments[0][p][i];
            float& w = m_state.masters[p][i];
            v = std::fma(m_model.optimizer.momentum, v, m_parameters.gradients[p][i]);
            w = std::fma(m_rate, v, w);
        }
    }
}

void model_emulation::adapt()
{
    const float first = m_model.optimizer.first_decay, second = m_model.optimizer.second_decay;
    const float first_rest = 1 - (constant(step_constant::first_power) *= first);
    const float second_rest = 1 - (constant(step_constant::second_power) *= second);
    for (std::size_t p = 0; p < m_parameters.gradients.size(); ++p) {
        for (std::size_t i = 0; i < m_parameters.gradients[p].size(); ++i) {
            const float g = m_parameters.gradients[p][i];
            float& m = m_state.moments[0][p][i];
            float& v = m_state.moments[1][p][i];
            float& w = m_state.masters[p][i];
            m = std::fma(first, m, g * (1 - first));
            v = std::fma(second, v, g * g * (1 - second));
            const float root = std::sqrt(v / second_rest) + m_model.optimizer.epsilon;
            w = std::fma(m_rate, m / first_rest / root, w);
        }
    }
}

} // namespace tensorloom::workloads
