#include <tensorloom/workloads/training/layers/lstm/lstm_layer.h>
#include <algorithm>
#include <tensorloom/models/arithmetic/elementary_functions.h>
#include <tensorloom/workloads/training/layers/layer_emulation.h>

namespace tensorloom::workloads {
namespace {

// The map of the hidden state: its tensors of every frame, and gradients that sum over frames.
class recurrent_map_emulation {
public:
    recurrent_map_emulation(const linear_contractions& contractions, std::size_t frames,
                            emulated_parameters& parameters)
        : m_contractions(contractions), m_parameters(parameters), m_frames(frames)
    {}

    emulated_values forward(std::size_t frame, const emulated_values& x)
    {
        const auto& of = m_contractions;
        emulated_values y(of.rows * of.outputs);
        m_frames[frame].assign(of.parts(), tensors_of_graph(graph().tensors.size()));
        for (std::size_t part = 0; part < of.parts(); ++part) {
            auto& tensors = m_frames[frame][part];
            tensors[of.x] = x;
            put_columns(forward_part(part, tensors), y, part);
        }
        return y;
    }

    // Called for the last frame first. After frame 0 it sets the gradients of the cores.
    emulated_values backward(std::size_t frame, const emulated_values& dy)
    {
        if (frame + 1 == m_frames.size()) { m_sums.assign(graph().tensors.size(), {}); }
        emulated_values dx;
        for (std::size_t part = 0; part < m_contractions.parts(); ++part) {
            auto& tensors = m_frames[frame][part];
            tensors[m_contractions.dy] = columns_of(dy, part);
            const auto made = backward_part(part, tensors);
            if (part == 0) { dx.assign(made.size(), -0.0f); } // to which adding changes nothing
            for (std::size_t i = 0; i < dx.size(); ++i) { dx[i] += made[i]; }
        }
        if (frame != 0) { return dx; }
        for (std::size_t part = 0; part < m_contractions.parts(); ++part) { finish(part); }
        return dx;
    }

private:
    using tensors_of_graph = std::vector<emulated_values>;

    const planned_graph& planned(std::size_t part) const
    {
        return m_parameters.contractions.graphs[m_contractions.graphs[part]];
    }
    const contraction_graph& graph() const { return planned(0).graph; } // of every part the same

    bool is_of_a_frame(const graph_contraction& c) const
    {
        const auto& all = m_contractions.of_frames;
        return !(all && (c.a == all->x || c.b == all->x)) && (graph().is_batched(c.a) || graph().is_batched(c.b));
    }

    emulated_values contract(std::size_t part, std::size_t contraction, const tensors_of_graph& tensors) const
    {
        const auto& c = graph().contractions[contraction];
        return contracted(planned(part), contraction, tensors[c.a], tensors[c.b], m_parameters.limits);
    }

    void put_columns(const emulated_values& from, emulated_values& to, std::size_t part) const
    {
        const std::size_t outputs = m_contractions.outputs_of_part();
        for (std::size_t i = 0; i < from.size(); ++i) {
            to[i / outputs * m_contractions.outputs + part * outputs + i % outputs] = from[i];
        }
    }
    emulated_values columns_of(const emulated_values& from, std::size_t part) const
    {
        const std::size_t outputs = m_contractions.outputs_of_part();
        emulated_values to(from.size() / m_contractions.parts());
        for (std::size_t i = 0; i < to.size(); ++i) {
            to[i] = from[i / outputs * m_contractions.outputs + part * outputs + i % outputs];
        }
        return to;
    }

    emulated_values forward_part(std::size_t part, tensors_of_graph& tensors) const
    {
        for (std::size_t p = 0; p < m_parameters.masters.size(); ++p) {
            const auto& parameter = m_parameters.contractions.parameters[p];
            if (parameter.is_core && parameter.lies_as->graph == m_contractions.graphs[part]) {
                tensors[parameter.lies_as->tensor] = rounded(m_parameters.masters[p]);
            }
        }
        for (std::size_t c = 0; c < graph().contractions.size(); ++c) {
            const auto& contraction = graph().contractions[c];
            if (contraction.phase != step_phase::fp) { continue; }
            auto made = contract(part, c, tensors);
            if (contraction.result == m_contractions.y) { return made; }
            tensors[contraction.result] = rounded(std::move(made));
        }
        return {};
    }

    emulated_values backward_part(std::size_t part, tensors_of_graph& tensors)
    {
        emulated_values dx;
        for (std::size_t c = 0; c < graph().contractions.size(); ++c) {
            const auto& of = graph().contractions[c];
            if (of.phase == step_phase::fp || !is_of_a_frame(of)) { continue; }
            auto made = contract(part, c, tensors);
            if (of.result == m_contractions.dx) {
                dx = std::move(made);
            } else if (graph().is_batched(of.result)) {
                tensors[of.result] = rounded(std::move(made));
            } else {
                auto& sum = m_sums[of.result];
                sum.resize(made.size());
                for (std::size_t i = 0; i < made.size(); ++i) { sum[i] += made[i]; }
            }
        }
        return dx;
    }

    void finish(std::size_t part)
    {
        auto& tensors = m_frames[0][part];
        for (std::size_t t = 0; t < m_sums.size(); ++t) {
            if (!m_sums[t].empty()) { give(part, t, std::move(m_sums[t]), tensors); }
        }
        if (const auto& all = m_contractions.of_frames) {
            tensors[all->x] = of_all_frames(part, m_contractions.x);
            tensors[all->dy] = of_all_frames(part, m_contractions.dy);
        }
        for (std::size_t c = 0; c < graph().contractions.size(); ++c) {
            const auto& contraction = graph().contractions[c];
            if (contraction.phase == step_phase::fp || is_of_a_frame(contraction)) { continue; }
            give(part, contraction.result, contract(part, c, tensors), tensors);
        }
    }

    emulated_values of_all_frames(std::size_t part, std::size_t tensor) const
    {
        emulated_values all;
        for (const auto& frame : m_frames) {
            all.insert(all.end(), frame[part][tensor].begin(), frame[part][tensor].end());
        }
        return all;
    }

    // A gradient of a core, or one that others are made of.
    void give(std::size_t part, std::size_t tensor, emulated_values values, tensors_of_graph& tensors)
    {
        const auto& all = m_parameters.contractions;
        if (const auto* parameter = all.parameter_of_gradient({m_contractions.graphs[part], tensor})) {
            m_parameters.give_gradient(static_cast<std::size_t>(parameter - all.parameters.data()), std::move(values));
        } else {
            tensors[tensor] = rounded(std::move(values));
        }
    }

    linear_contractions m_contractions;
    emulated_parameters& m_parameters;
    std::vector<std::vector<tensors_of_graph>> m_frames; // by part
    std::vector<emulated_values> m_sums;                 // by tensor of the graph
};

class lstm_emulation : public layer_emulation {
public:
    lstm_emulation(const lstm_layer& layer, const layer_contractions& contractions, emulated_parameters& parameters)
        : m_layer(layer), m_samples(contractions.maps[1].rows), m_input(contractions.maps[0], parameters),
          m_hidden(contractions.maps[1], layer.frames, parameters)
    {}

    emulated_values forward(emulated_values x) override
    {
        const std::size_t frames = m_layer.frames, hidden = m_layer.hidden;
        const auto y = m_input.forward(turned(rounded(std::move(x)), m_samples, frames));
        m_memory.assign(m_samples * hidden, std::vector<moment>(frames));
        emulated_values h(m_samples * hidden), all(m_samples * frames * hidden);
        for (std::size_t t = 0; t < frames; ++t) {
            const auto z = m_hidden.forward(t, rounded(h));
            for (std::size_t n = 0; n < h.size(); ++n) {
                const std::size_t s = n / hidden, k = n % hidden;
                const auto inside = [&](std::size_t gate) {
                    const std::size_t at = (s * lstm_layer::gates + gate) * hidden + k;
                    return y[t * z.size() + at] + z[at];
                };
                auto& m = m_memory[n][t];
                m.before = t == 0 ? 0.0f : m_memory[n][t - 1].c;
                m.i = arithmetic::sigmoid(inside(0));
                m.f = arithmetic::sigmoid(inside(1));
                m.g = arithmetic::hyperbolic_tangent(inside(2));
                m.o = arithmetic::sigmoid(inside(3));
                m.c = m.f * m.before + m.i * m.g;
                m.bent = arithmetic::hyperbolic_tangent(m.c);
                h[n] = m.o * m.bent;
                all[(s * frames + t) * hidden + k] = h[n];
            }
        }
        return m_layer.output == sequence_output::all ? all : h;
    }

    emulated_values backward(emulated_values dz) override
    {
        const std::size_t frames = m_layer.frames, hidden = m_layer.hidden, units = m_samples * hidden;
        const bool all = m_layer.output == sequence_output::all;
        emulated_values dh(units), dc(units), dy(frames * units * lstm_layer::gates);
        if (!all) { dh = dz; }
        for (std::size_t t = frames; t-- > 0;) {
            emulated_values of_frame(units * lstm_layer::gates);
            for (std::size_t n = 0; n < units; ++n) {
                const std::size_t s = n / hidden, k = n % hidden;
                const auto& m = m_memory[n][t];
                if (all) { dh[n] += dz[(s * frames + t) * hidden + k]; }
                const float linear = dh[n] * m.o;
                dc[n] = dc[n] + linear - linear * m.bent * m.bent;
                float* d = of_frame.data() + s * lstm_layer::gates * hidden + k;
                d[0] = dc[n] * m.g * (m.i - m.i * m.i);
                d[hidden] = dc[n] * m.before * (m.f - m.f * m.f);
                d[2 * hidden] = dc[n] * m.i * (1 - m.g * m.g);
                d[3 * hidden] = dh[n] * m.bent * (m.o - m.o * m.o);
                dc[n] *= m.f;
            }
            of_frame = rounded(std::move(of_frame));
            std::copy(of_frame.begin(), of_frame.end(), dy.begin() + static_cast<std::ptrdiff_t>(t * of_frame.size()));
            dh = m_hidden.backward(t, of_frame);
        }
        auto dx = m_input.backward(std::move(dy));
        return dx.empty() ? dx : turned(std::move(dx), frames, m_samples);
    }

private:
    struct moment { // of a number of h
        float i = 0, f = 0, g = 0, o = 0, before = 0, c = 0, bent = 0;
    };

    // Rows of features of [outer][inner] as [inner][outer].
    emulated_values turned(emulated_values x, std::size_t outer, std::size_t inner) const
    {
        emulated_values made;
        for (std::size_t i = 0; i < inner; ++i) {
            for (std::size_t o = 0; o < outer; ++o) {
                const auto row = x.begin() + static_cast<std::ptrdiff_t>((o * inner + i) * m_layer.features);
                made.insert(made.end(), row, row + static_cast<std::ptrdiff_t>(m_layer.features));
            }
        }
        return made;
    }

    lstm_layer m_layer;
    std::size_t m_samples;
    map_emulation m_input;
    recurrent_map_emulation m_hidden;
    std::vector<std::vector<moment>> m_memory; // by number of h of a batch, and frame
};

} // namespace

std::unique_ptr<layer_emulation> lstm_layer::emulation(const layer_contractions& contractions,
                                                       emulated_parameters& parameters) const
{
    return std::make_unique<lstm_emulation>(*this, contractions, parameters);
}

} // namespace tensorloom::workloads
