#include <tensorloom/workloads/contraction_search/training_step.h>
#include <utility>

namespace tensorloom::workloads {
namespace {

class reverse_mode_writer {
public:
    reverse_mode_writer(const tensor_network& forward, const contraction_tree& tree, bool with_dx)
        : m_forward(forward), m_tree(tree), m_nodes(forward.nodes.size())
    {
        const auto indices = indices_of(forward, tree);
        const std::size_t last = indices.size() - 1;
        m_step.sizes = forward.sizes;
        for (std::size_t t = 0; t <= last; ++t) {
            m_has_x.push_back(t < m_nodes ? t == 0 : m_has_x[step_of(t).a] || m_has_x[step_of(t).b]);
            const auto name = t == last && t >= m_nodes ? "Y" : tensor_name(forward, static_cast<std::uint32_t>(t));
            m_step.tensors.push_back({name, indices[t]});
        }
        for (std::size_t t = m_nodes; t <= last; ++t) { add(training_phase::fp, step_of(t).a, step_of(t).b, t); }

        m_gradient.resize(indices.size());
        m_gradient[last] = add_gradient_of(last);
        for (std::size_t t = last; t >= m_nodes; --t) {
            const auto [a, b] = step_of(t);
            for (const auto& [operand, other] : {std::pair{a, b}, std::pair{b, a}}) {
                if (operand == 0 && !with_dx) { continue; }
                m_gradient[operand] = add_gradient_of(operand);
                const auto phase = m_has_x[operand] ? training_phase::bp : training_phase::wg;
                // In the order of the forward step: dC for A, or for B.
                const bool first = operand == a;
                add(phase, first ? m_gradient[t] : other, first ? other : m_gradient[t], m_gradient[operand]);
            }
        }
    }

    training_step take() { return std::move(m_step); }

private:
    const contraction_tree::step& step_of(std::size_t tensor) const { return m_tree.steps[tensor - m_nodes]; }

    std::size_t add_gradient_of(std::size_t tensor)
    {
        const auto of = m_step.tensors[tensor]; // a copy: the list grows
        m_step.tensors.push_back({"d" + of.name, of.indices});
        return m_step.tensors.size() - 1;
    }

    void add(training_phase phase, std::size_t a, std::size_t b, std::size_t result)
    {
        const auto& t = m_step.tensors;
        m_step.contractions.push_back(
            {phase, a, b, result, extents_of(t[a].indices, t[b].indices, t[result].indices, m_forward.sizes)});
    }

    const tensor_network& m_forward;
    const contraction_tree& m_tree;
    std::size_t m_nodes;
    std::vector<bool> m_has_x;           // by tensor of the forward pass
    std::vector<std::size_t> m_gradient; // likewise
    training_step m_step;
};

} // namespace

std::uint64_t training_step::macs(training_phase phase) const
{
    std::uint64_t sum = 0;
    for (const auto& c : contractions) {
        if (c.phase == phase) { sum = saturated_sum(sum, c.macs()); }
    }
    return sum;
}

std::uint64_t training_step::macs() const
{
    return saturated_sum(saturated_sum(macs(training_phase::fp), macs(training_phase::bp)), macs(training_phase::wg));
}

training_step reverse_mode(const tensor_network& forward, const contraction_tree& tree, bool with_dx)
{
    return reverse_mode_writer(forward, tree, with_dx).take();
}

} // namespace tensorloom::workloads
