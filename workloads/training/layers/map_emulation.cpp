#include <tensorloom/workloads/training/layers/layer_emulation.h>
#include <algorithm>
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

void emulated_parameters::give_gradient(std::size_t parameter, emulated_values values)
{
    auto& sum = gradients[parameter];
    if (!contractions.is_summed(parameter)) {
        sum = std::move(values);
        return;
    }
    for (std::size_t i = 0; i < sum.size(); ++i) { sum[i] += values[i]; }
}

void emulated_parameters::clear_sums()
{
    for (std::size_t p = 0; p < gradients.size(); ++p) {
        if (contractions.is_summed(p)) { gradients[p].assign(gradients[p].size(), 0.0f); }
    }
}

// Y of a piece of the rows, for the outputs of a part.
emulated_values map_emulation::forward_part(std::vector<emulated_values>& tensors, std::size_t part) const
{
    const auto& of = m_contractions;
    const auto& graph = planned(part).graph;
    for (std::size_t p = 0; p < m_parameters.masters.size(); ++p) {
        const auto& parameter = m_parameters.contractions.parameters[p];
        if (parameter.is_core && parameter.lies_as->graph == of.graphs[part]) {
            tensors[parameter.lies_as->tensor] = rounded(m_parameters.masters[p]);
        }
    }
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        const auto& [phase, a, b, result, sliced] = graph.contractions[c];
        if (phase != step_phase::fp) { continue; }
        auto made = contracted(planned(part), c, tensors[a], tensors[b], m_parameters.limits);
        tensors[result] = result == of.y ? std::move(made) : rounded(std::move(made));
    }
    return std::move(tensors[of.y]);
}

// dX of a piece and a part.
emulated_values map_emulation::backward_part(std::vector<emulated_values>& tensors, std::size_t part)
{
    const auto& of = m_contractions;
    const auto& graph = planned(part).graph;
    if (of.ones) { tensors[*of.ones].assign(of.rows / of.pieces, 1.0f); }
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        const auto& [phase, a, b, result, sliced] = graph.contractions[c];
        if (phase == step_phase::fp) { continue; }
        auto made = contracted(planned(part), c, tensors[a], tensors[b], m_parameters.limits);
        if (!give_gradient({of.graphs[part], result}, made)) {
            tensors[result] = result == of.dx ? std::move(made) : rounded(std::move(made));
        }
    }
    return of.dx ? std::move(tensors[*of.dx]) : emulated_values{};
}

// False if the tensor is not a gradient of a parameter.
bool map_emulation::give_gradient(graph_tensor_number of, emulated_values& values)
{
    const auto& all = m_parameters.contractions;
    const auto* parameter = all.parameter_of_gradient(of);
    if (parameter == nullptr) { return false; }
    m_parameters.give_gradient(static_cast<std::size_t>(parameter - all.parameters.data()), std::move(values));
    return true;
}

emulated_values map_emulation::forward(emulated_values x)
{
    const auto& of = m_contractions;
    const std::size_t tensors = planned(0).graph.tensors.size(), outputs = of.outputs_of_part();
    const std::size_t rows = of.rows / of.pieces, columns = x.size() / of.rows;
    m_pieces.assign(of.pieces, {of.parts(), std::vector<emulated_values>(tensors)});
    emulated_values y(of.rows * of.outputs);
    for (std::size_t piece = 0; piece < of.pieces; ++piece) {
        const auto first = x.begin() + static_cast<std::ptrdiff_t>(piece * rows * columns);
        for (std::size_t part = 0; part < of.parts(); ++part) {
            auto& of_part = m_pieces[piece][part];
            of_part[of.x].assign(first, first + static_cast<std::ptrdiff_t>(rows * columns));
            const auto made = forward_part(of_part, part);
            for (std::size_t r = 0; r < rows; ++r) {
                std::copy_n(made.begin() + static_cast<std::ptrdiff_t>(r * outputs), outputs,
                            y.begin() + static_cast<std::ptrdiff_t>((piece * rows + r) * of.outputs + part * outputs));
            }
        }
    }
    if (of.bias) {
        const auto& bias = m_parameters.masters[*of.bias];
        for (std::size_t i = 0; i < y.size(); ++i) { y[i] += bias[i % bias.size()]; }
    }
    return y;
}

emulated_values map_emulation::backward(emulated_values dy)
{
    const auto& of = m_contractions;
    const std::size_t rows = of.rows / of.pieces, outputs = of.outputs_of_part();
    emulated_values dx;
    for (std::size_t piece = 0; piece < of.pieces; ++piece) {
        const auto first = dy.begin() + static_cast<std::ptrdiff_t>(piece * rows * of.outputs);
        emulated_values sum;
        for (std::size_t part = 0; part < of.parts(); ++part) {
            auto& of_part = m_pieces[piece][part];
            for (std::size_t r = 0; r < rows; ++r) {
                const auto row = first + static_cast<std::ptrdiff_t>(r * of.outputs + part * outputs);
                of_part[of.dy].insert(of_part[of.dy].end(), row, row + static_cast<std::ptrdiff_t>(outputs));
            }
            auto made = backward_part(of_part, part);
            for (std::size_t i = 0; i < sum.size(); ++i) { sum[i] += made[i]; }
            if (part == 0) { sum = std::move(made); }
        }
        dx.insert(dx.end(), sum.begin(), sum.end());
        if (!of.graph_of_bias) { continue; }
        using bias = linear_contractions::bias_tensors;
        auto made = contracted(m_parameters.contractions.graphs[*of.graph_of_bias], 0, emulated_values(rows, 1.0f),
                               {first, first + static_cast<std::ptrdiff_t>(rows * of.outputs)}, m_parameters.limits);
        give_gradient({*of.graph_of_bias, bias::dbias}, made);
    }
    return dx;
}

} // namespace tensorloom::workloads
