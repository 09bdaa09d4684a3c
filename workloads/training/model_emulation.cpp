#include <tensorloom/workloads/training/model_emulation.h>
#include <algorithm>
#include <cmath>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/arithmetic/elementary_functions.h>
#include <tensorloom/models/arithmetic/ordered_product.h>

namespace tensorloom::workloads {
namespace {

using values = std::vector<float>;

float rounded(float x) { return static_cast<float>(arithmetic::bfloat16(x)); }

values rounded(values all)
{
    for (float& x : all) { x = rounded(x); }
    return all;
}

// Neighbours first, an odd last one as it is.
float tree_sum(values all)
{
    while (all.size() > 1) {
        values half;
        for (std::size_t i = 0; i < all.size(); i += 2) {
            half.push_back(i + 1 < all.size() ? all[i] + all[i + 1] : all[i]);
        }
        all = std::move(half);
    }
    return all.front();
}

// Of element 0 of all modes but these, the places of these modes' indices, the last fastest.
std::vector<std::size_t> places_in(const contraction_graph& graph, std::size_t tensor,
                                   const std::vector<unsigned>& modes)
{
    const auto& of = graph.tensors[tensor].modes;
    std::vector<std::size_t> all{0};
    for (const unsigned mode : modes) {
        std::size_t stride = 1;
        for (std::size_t m = of.size(); of[m - 1] != mode; --m) { stride *= graph.modes[of[m - 1]].size; }
        std::vector<std::size_t> longer;
        for (const std::size_t place : all) {
            for (std::size_t i = 0; i < graph.modes[mode].size; ++i) { longer.push_back(place + i * stride); }
        }
        all = std::move(longer);
    }
    return all;
}

// GELU in its tanh form.
constexpr float gelu_scale = 0.797884561f, gelu_cube = 0.044715f, gelu_cube_slope = 0.134145f;

float bend(float x) { return arithmetic::hyperbolic_tangent(std::fma(gelu_cube, x * x * x, x) * gelu_scale); }

float gelu_slope(float x)
{
    const float h = bend(x);
    const float inside = (x * x * gelu_cube_slope + 1) * gelu_scale;
    return (h + 1 - (h * h - 1) * inside * x) * 0.5f;
}

} // namespace

model_emulation::model_emulation(const model_description& model, const labelled_samples& samples,
                                 const model_contractions& contractions, const arch::fetta::geometry& g,
                                 training_state state)
    : m_model(model), m_samples(samples), m_contractions(contractions), m_geometry(g), m_state(std::move(state)),
      m_gradients(m_state.masters), m_layers(model.layers.size())
{}

std::vector<batch_metrics> model_emulation::train(const std::vector<std::uint32_t>& order)
{
    auto metrics = over(order, true);
    constant(step_constant::minus_rate) *= constant(step_constant::rate_decay);
    ++m_state.epochs;
    return metrics;
}

std::vector<batch_metrics> model_emulation::test() { return over(m_samples.test, false); }

std::vector<batch_metrics> model_emulation::over(const std::vector<std::uint32_t>& order, bool training)
{
    std::vector<batch_metrics> metrics;
    for (std::size_t first = 0; first < order.size(); first += m_model.batch) {
        metrics.push_back(
            step(order.data() + first, std::min<std::size_t>(m_model.batch, order.size() - first), training));
    }
    return metrics;
}

template <class Psum> values model_emulation::contract(std::size_t layer, std::size_t contraction) const
{
    const auto& of = m_contractions.layers[layer];
    const auto& graph = of.graph;
    const auto& c = graph.contractions[contraction];
    const auto& choice = of.layouts.choice[contraction];
    const auto group = [&](contraction_index x) { return choice.groups[static_cast<std::size_t>(x)]; };
    const auto batch = group(contraction_index::batch), summed = group(contraction_index::contracted),
               rows = group(contraction_index::a_free), columns = group(contraction_index::b_free);
    const auto batch_a = places_in(graph, c.a, batch), batch_b = places_in(graph, c.b, batch),
               batch_c = places_in(graph, c.result, batch), rows_a = places_in(graph, c.a, rows),
               rows_c = places_in(graph, c.result, rows), columns_b = places_in(graph, c.b, columns),
               columns_c = places_in(graph, c.result, columns), summed_a = places_in(graph, c.a, summed),
               summed_b = places_in(graph, c.b, summed);
    arithmetic::ordered_product<Psum> product;
    typename arithmetic::ordered_product<Psum>::problem p;
    p.rows = rows_a.size();
    p.columns = columns_b.size();
    p.terms = summed_a.size();
    p.parts = choice.split.contracted;
    p.length = is_output_stationary(choice.mapping) ? (p.terms + p.parts - 1) / p.parts : m_geometry.side;
    values a(p.rows * p.terms), b(p.terms * p.columns), y(p.rows * p.columns), result(graph.elements(c.result));
    p.a = a.data();
    p.b = b.data();
    p.y = y.data();
    p.a_row = static_cast<std::ptrdiff_t>(p.terms);
    p.a_term = 1;
    p.b_term = p.y_row = static_cast<std::ptrdiff_t>(p.columns);
    const auto& from_a = m_layers[layer].tensor[c.a];
    const auto& from_b = m_layers[layer].tensor[c.b];
    for (std::size_t g = 0; g < batch_a.size(); ++g) {
        for (std::size_t r = 0; r < p.rows; ++r) {
            for (std::size_t k = 0; k < p.terms; ++k) {
                a[r * p.terms + k] = from_a[batch_a[g] + rows_a[r] + summed_a[k]];
            }
        }
        for (std::size_t k = 0; k < p.terms; ++k) {
            for (std::size_t n = 0; n < p.columns; ++n) {
                b[k * p.columns + n] = from_b[batch_b[g] + summed_b[k] + columns_b[n]];
            }
        }
        product.run(p);
        for (std::size_t r = 0; r < p.rows; ++r) {
            for (std::size_t n = 0; n < p.columns; ++n) {
                result[batch_c[g] + rows_c[r] + columns_c[n]] = y[r * p.columns + n];
            }
        }
    }
    return result;
}

values model_emulation::contract(std::size_t layer, std::size_t contraction) const
{
    return m_geometry.psum == arch::element_type::bf16 ? contract<arithmetic::psum_bf16>(layer, contraction)
                                                       : contract<arithmetic::psum_f32>(layer, contraction);
}

void model_emulation::forward(std::size_t layer, values x)
{
    const auto& of = m_contractions.layers[layer];
    auto& state = m_layers[layer];
    state.tensor.assign(of.graph.tensors.size(), {});
    state.tensor[of.x] = std::move(x);
    const values* bias = nullptr;
    for (std::size_t p = 0; p < m_state.masters.size(); ++p) {
        const auto& parameter = m_contractions.parameters[p];
        if (parameter.layer != layer) { continue; }
        if (parameter.is_bias) {
            bias = &m_state.masters[p];
        } else {
            state.tensor[parameter.tensor] = rounded(m_state.masters[p]);
        }
    }
    for (std::size_t c = 0; c < of.graph.contractions.size(); ++c) {
        const auto& contraction = of.graph.contractions[c];
        if (contraction.phase != step_phase::fp) { continue; }
        auto made = contract(layer, c);
        state.tensor[contraction.result] = contraction.result == of.y ? std::move(made) : rounded(std::move(made));
    }
    state.sums = state.tensor[of.y];
    for (std::size_t i = 0; bias != nullptr && i < state.sums.size(); ++i) {
        state.sums[i] += (*bias)[i % bias->size()];
    }
    state.outputs = state.sums;
    for (float& y : state.outputs) {
        switch (m_model.layers[layer].activation) {
        case activation_kind::none: break;
        case activation_kind::relu: y = y > 0 ? y : 0.0f; break;
        case activation_kind::sigmoid: y = arithmetic::sigmoid(y); break;
        case activation_kind::tanh: y = arithmetic::hyperbolic_tangent(y); break;
        case activation_kind::gelu: y = (bend(y) + 1) * y * 0.5f; break;
        }
    }
}

batch_metrics model_emulation::step(const std::uint32_t* list, std::size_t count, bool training)
{
    const std::size_t batch = m_model.batch, features = m_samples.features, classes = m_samples.classes;
    values x(batch * features), labels(batch * classes);
    for (std::size_t s = 0; s < count; ++s) {
        std::copy_n(m_samples.values.begin() + static_cast<std::ptrdiff_t>(list[s] * features), features,
                    x.begin() + static_cast<std::ptrdiff_t>(s * features));
        labels[s * classes + m_samples.labels[list[s]]] = 1;
    }
    for (std::size_t l = 0; l < m_layers.size(); ++l) {
        forward(l, std::move(x));
        x = rounded(m_layers[l].outputs);
    }
    values gradient(batch * classes), losses(batch), right(batch * classes), counted(batch);
    for (std::size_t s = 0; s < batch; ++s) {
        const float* y = m_layers.back().outputs.data() + s * classes;
        const float* label = labels.data() + s * classes;
        const float most = *std::max_element(y, y + classes);
        values powers(classes), picked(classes);
        for (std::size_t c = 0; c < classes; ++c) {
            const float difference = y[c] - most;
            powers[c] = arithmetic::exponential(difference);
            picked[c] = difference * label[c];
            right[s * classes + c] = difference == 0 ? label[c] : 0.0f;
        }
        const float sum = tree_sum(powers);
        counted[s] = tree_sum({label, label + classes});
        losses[s] = arithmetic::logarithm(sum) * counted[s] - tree_sum(picked);
        for (std::size_t c = 0; c < classes; ++c) {
            gradient[s * classes + c] = powers[c] / sum * counted[s] - label[c];
        }
    }
    const batch_metrics metrics{tree_sum(losses), tree_sum(right), tree_sum(counted)};
    if (!training) { return metrics; }
    for (float& g : gradient) { g /= static_cast<float>(metrics.samples); }
    for (std::size_t l = m_layers.size(); l-- > 0;) {
        const auto& state = m_layers[l];
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            float& g = gradient[i];
            const float z = state.outputs[i];
            switch (m_model.layers[l].activation) {
            case activation_kind::none: break;
            case activation_kind::relu: g = state.sums[i] > 0 ? g : 0.0f; break;
            case activation_kind::sigmoid: g = g * (z - z * z); break;
            case activation_kind::tanh: g = g - g * z * z; break;
            case activation_kind::gelu: g = g * gelu_slope(state.sums[i]); break;
            }
        }
        gradient = backward(l, rounded(std::move(gradient)));
    }
    update();
    return metrics;
}

values model_emulation::backward(std::size_t layer, values dy)
{
    const auto& of = m_contractions.layers[layer];
    auto& state = m_layers[layer];
    state.tensor[of.dy] = std::move(dy);
    if (of.ones) { state.tensor[*of.ones].assign(m_model.batch, 1.0f); }
    for (std::size_t c = 0; c < of.graph.contractions.size(); ++c) {
        const auto& contraction = of.graph.contractions[c];
        if (contraction.phase == step_phase::fp) { continue; }
        auto made = contract(layer, c);
        bool is_operand = contraction.result != of.dx;
        for (std::size_t p = 0; p < m_gradients.size(); ++p) {
            const auto& parameter = m_contractions.parameters[p];
            if (parameter.layer != layer) { continue; }
            const auto gradient = parameter.is_bias ? parameter.tensor : of.graph.gradient(parameter.tensor);
            if (gradient != contraction.result) { continue; }
            m_gradients[p] = made;
            is_operand = false;
        }
        state.tensor[contraction.result] = is_operand ? rounded(std::move(made)) : std::move(made);
    }
    return of.dx ? state.tensor[*of.dx] : values();
}

void model_emulation::update() { m_model.optimizer.kind == optimizer_kind::sgd ? descend() : adapt(); }

void model_emulation::descend()
{
    for (std::size_t p = 0; p < m_gradients.size(); ++p) {
        for (std::size_t i = 0; i < m_gradients[p].size(); ++i) {
            float& v = m_state.moments[0][p][i];
            float& w = m_state.masters[p][i];
            v = std::fma(constant(step_constant::momentum), v, m_gradients[p][i]);
            w = std::fma(constant(step_constant::minus_rate), v, w);
        }
    }
}

void model_emulation::adapt()
{
    const float first = constant(step_constant::momentum), second = constant(step_constant::second_momentum);
    const float first_rest = 1 - (constant(step_constant::first_power) *= first);
    const float second_rest = 1 - (constant(step_constant::second_power) *= second);
    for (std::size_t p = 0; p < m_gradients.size(); ++p) {
        for (std::size_t i = 0; i < m_gradients[p].size(); ++i) {
            const float g = m_gradients[p][i];
            float& m = m_state.moments[0][p][i];
            float& v = m_state.moments[1][p][i];
            float& w = m_state.masters[p][i];
            m = std::fma(first, m, g * constant(step_constant::one_less_momentum));
            v = std::fma(second, v, g * g * constant(step_constant::one_less_second));
            const float root = std::sqrt(v / second_rest) + constant(step_constant::epsilon);
            w = std::fma(constant(step_constant::minus_rate), m / first_rest / root, w);
        }
    }
}

} // namespace tensorloom::workloads
