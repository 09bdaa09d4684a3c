#include <tensorloom/workloads/training/layers/layer_emulation.h>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/arithmetic/ordered_product.h>

namespace tensorloom::workloads {
namespace {

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

template <class Psum>
emulated_values contracted_in(const planned_graph& of, std::size_t contraction, const emulated_values& from_a,
                              const emulated_values& from_b, const fetta::device_limits& limits)
{
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
    p.length = is_output_stationary(choice.mapping) ? (p.terms + p.parts - 1) / p.parts : limits.side;
    emulated_values a(p.rows * p.terms), b(p.terms * p.columns), y(p.rows * p.columns),
        result(graph.elements(c.result));
    p.a = a.data();
    p.b = b.data();
    p.y = y.data();
    p.a_row = static_cast<std::ptrdiff_t>(p.terms);
    p.a_term = 1;
    p.b_term = p.y_row = static_cast<std::ptrdiff_t>(p.columns);
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

} // namespace

float rounded(float x) { return static_cast<float>(arithmetic::bfloat16(x)); }

emulated_values rounded(emulated_values all)
{
    for (float& x : all) { x = rounded(x); }
    return all;
}

float tree_sum(emulated_values all)
{
    while (all.size() > 1) {
        emulated_values half;
        for (std::size_t i = 0; i < all.size(); i += 2) {
            half.push_back(i + 1 < all.size() ? all[i] + all[i + 1] : all[i]);
        }
        all = std::move(half);
    }
    return all.front();
}

emulated_values contracted(const planned_graph& graph, std::size_t contraction, const emulated_values& a,
                           const emulated_values& b, const fetta::device_limits& g)
{
    return g.psum == base::element_type::bf16 ? contracted_in<arithmetic::psum_bf16>(graph, contraction, a, b, g)
                                              : contracted_in<arithmetic::psum_f32>(graph, contraction, a, b, g);
}

emulated_values map_emulation::contract(std::size_t contraction) const
{
    const auto& c = planned().graph.contractions[contraction];
    return contracted(planned(), contraction, m_tensors[c.a], m_tensors[c.b], m_parameters.limits);
}

emulated_values map_emulation::forward(emulated_values x)
{
    const auto& of = m_contractions;
    const auto& graph = planned().graph;
    m_tensors.assign(graph.tensors.size(), {});
    m_tensors[of.x] = std::move(x);
    for (std::size_t p = 0; p < m_parameters.masters.size(); ++p) {
        const auto& parameter = m_parameters.contractions.parameters[p];
        if (parameter.is_core && parameter.lies_as->graph == of.graph) {
            m_tensors[parameter.lies_as->tensor] = rounded(m_parameters.masters[p]);
        }
    }
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        const auto& contraction = graph.contractions[c];
        if (contraction.phase != step_phase::fp) { continue; }
        auto made = contract(c);
        m_tensors[contraction.result] = contraction.result == of.y ? std::move(made) : rounded(std::move(made));
    }
    auto y = std::move(m_tensors[of.y]);
    if (of.bias) {
        const auto& bias = m_parameters.masters[*of.bias];
        for (std::size_t i = 0; i < y.size(); ++i) { y[i] += bias[i % bias.size()]; }
    }
    return y;
}

emulated_values map_emulation::backward(emulated_values dy)
{
    const auto& of = m_contractions;
    const auto& graph = planned().graph;
    m_tensors[of.dy] = std::move(dy);
    if (of.ones) { m_tensors[*of.ones].assign(of.rows, 1.0f); }
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        const auto& contraction = graph.contractions[c];
        if (contraction.phase == step_phase::fp) { continue; }
        auto made = contract(c);
        const auto& all = m_parameters.contractions;
        if (const auto* parameter = all.parameter_of_gradient({of.graph, contraction.result})) {
            m_parameters.gradients[static_cast<std::size_t>(parameter - all.parameters.data())] = std::move(made);
        } else {
            m_tensors[contraction.result] = contraction.result == of.dx ? std::move(made) : rounded(std::move(made));
        }
    }
    return of.dx ? std::move(m_tensors[*of.dx]) : emulated_values();
}

} // namespace tensorloom::workloads
