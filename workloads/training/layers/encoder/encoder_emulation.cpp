#include <tensorloom/workloads/training/layers/encoder/encoder_layer.h>
#include <algorithm>
#include <cmath>
#include <tensorloom/models/arithmetic/elementary_functions.h>
#include <tensorloom/workloads/training/layers/layer_emulation.h>

namespace tensorloom::workloads {
namespace {

using values = emulated_values;

values sum_of(values a, const values& b)
{
    for (std::size_t i = 0; i < a.size(); ++i) { a[i] += b[i]; }
    return a;
}

class attention_emulation {
public:
    attention_emulation(const encoder_layer& layer, const layer_contractions& contractions,
                        emulated_parameters& parameters)
        : m_parameters(parameters), m_planned(parameters.contractions.graphs[contractions.graphs[0]]),
          m_frames(layer.frames),
          m_scale(static_cast<float>(1 / std::sqrt(static_cast<double>(layer.features / layer.heads))))
    {
        for (std::size_t p = 0; p < projections; ++p) { m_projections.emplace_back(contractions.maps[p], parameters); }
        m_tensors.resize(m_planned.graph.tensors.size());
    }

    values forward(values x)
    {
        x = rounded(std::move(x));
        m_tensors[tensor::query] = rounded(m_projections[0].forward(x));
        m_tensors[tensor::key] = rounded(m_projections[1].forward(x));
        m_tensors[tensor::values] = rounded(m_projections[2].forward(std::move(x)));
        m_weights = product(tensor::scores);
        for (std::size_t first = 0; first < m_weights.size(); first += m_frames) {
            float* row = m_weights.data() + first;
            for (std::size_t s = 0; s < m_frames; ++s) { row[s] *= m_scale; }
            const float most = *std::max_element(row, row + m_frames);
            for (std::size_t s = 0; s < m_frames; ++s) { row[s] = arithmetic::exponential(row[s] - most); }
            const float sum = tree_sum({row, row + m_frames});
            for (std::size_t s = 0; s < m_frames; ++s) { row[s] /= sum; }
        }
        m_tensors[tensor::weights] = rounded(m_weights);
        return m_projections[3].forward(rounded(product(tensor::mixed)));
    }

    values backward(values dy)
    {
        m_tensors[tensor::mixed_gradient] = rounded(m_projections[3].backward(rounded(std::move(dy))));
        values d = product(tensor::weights_gradient);
        const auto dv = product(tensor::values_gradient);
        for (std::size_t first = 0; first < d.size(); first += m_frames) {
            values terms;
            for (std::size_t s = first; s < first + m_frames; ++s) { terms.push_back(d[s] * m_weights[s]); }
            const float sum = tree_sum(std::move(terms));
            for (std::size_t s = first; s < first + m_frames; ++s) { d[s] = (d[s] - sum) * m_weights[s] * m_scale; }
        }
        m_tensors[tensor::scores_gradient] = rounded(std::move(d));
        const auto of_query = m_projections[0].backward(rounded(product(tensor::query_gradient)));
        const auto of_key = m_projections[1].backward(rounded(product(tensor::key_gradient)));
        return sum_of(sum_of(of_query, of_key), m_projections[2].backward(rounded(dv)));
    }

private:
    using tensor = attention_tensor;

    values product(std::size_t result) const
    {
        const auto number = *m_planned.graph.maker(result);
        const auto& c = m_planned.graph.contractions[number];
        return contracted(m_planned, number, m_tensors[c.a], m_tensors[c.b], m_parameters.limits);
    }

    emulated_parameters& m_parameters;
    const planned_graph& m_planned;
    std::size_t m_frames;
    float m_scale;
    std::vector<map_emulation> m_projections;
    std::vector<values> m_tensors; // operands of contractions, by tensor of the graph
    values m_weights;
};

class encoder_emulation : public layer_emulation {
public:
    encoder_emulation(const encoder_layer& layer, const layer_contractions& contractions,
                      emulated_parameters& parameters)
        : m_is_pre(layer.norm == norm_place::pre), m_attention(layer, contractions, parameters),
          m_up(contractions.maps[projections], parameters), m_gelu(activation_kind::gelu),
          m_down(contractions.maps[projections + 1], parameters)
    {
        auto next = contractions.parameters.end() - 2 * encoder_norms;
        for (auto* norm : {&m_first, &m_second}) {
            const auto gamma = *next++, beta = *next++;
            *norm = std::make_unique<row_norm_emulation>(layer.features, layer.epsilon, norm_parameters{gamma, beta},
                                                         parameters);
        }
    }

    values forward(values x) override
    {
        if (m_is_pre) {
            const auto r = sum_of(x, m_attention.forward(m_first->forward(x)));
            return sum_of(r, feed(m_second->forward(r)));
        }
        const auto n = m_first->forward(sum_of(x, m_attention.forward(x)));
        return m_second->forward(sum_of(n, feed(n)));
    }

    values backward(values dz) override
    {
        if (m_is_pre) {
            const auto dr = sum_of(dz, m_second->backward(feed_back(dz)));
            return sum_of(dr, m_first->backward(m_attention.backward(dr)));
        }
        const auto by = m_second->backward(std::move(dz));
        const auto dr = m_first->backward(sum_of(by, feed_back(by)));
        const auto through = m_attention.backward(dr);
        return through.empty() ? values() : sum_of(dr, through);
    }

private:
    values feed(values x) { return m_down.forward(rounded(m_gelu.forward(m_up.forward(rounded(std::move(x)))))); }
    values feed_back(values dy)
    {
        return m_up.backward(rounded(m_gelu.backward(m_down.backward(rounded(std::move(dy))))));
    }

    bool m_is_pre;
    attention_emulation m_attention;
    std::unique_ptr<row_norm_emulation> m_first, m_second; // beside attention, beside the feed-forward
    map_emulation m_up;
    activation_emulation m_gelu;
    map_emulation m_down;
};

} // namespace

std::unique_ptr<layer_emulation> encoder_layer::emulation(const layer_contractions& contractions,
                                                          emulated_parameters& parameters) const
{
    return std::make_unique<encoder_emulation>(*this, contractions, parameters);
}

} // namespace tensorloom::workloads
