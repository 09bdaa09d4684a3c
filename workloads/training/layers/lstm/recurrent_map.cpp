#include <tensorloom/workloads/training/layers/lstm/recurrent_map.h>
#include <tensorloom/workloads/training/layers/layer_operations.h>

namespace tensorloom::workloads {

using base::element_type;
using isa::vector::opcode;

frame_parts::frame_parts(step_builder& to, const std::string& called, std::uint64_t count, std::uint64_t elements,
                         element_type type)
{
    const std::uint64_t block = to.contractions().block;
    pitch = (elements + block - 1) / block * block;
    tensor = to.tensor(called, count * pitch, type);
}

tensor_part frame_parts::ascending(std::uint64_t first) const
{
    return {tensor, first * pitch, static_cast<std::int64_t>(pitch)};
}

tensor_part frame_parts::descending(std::uint64_t first) const
{
    return {tensor, first * pitch, -static_cast<std::int64_t>(pitch)};
}

const contraction_graph& recurrent_operations::graph(const step_builder& to) const
{
    return to.contractions().graphs[m_contractions.graph()].graph;
}

std::uint64_t recurrent_operations::span_of(const step_builder& to, std::size_t tensor) const
{
    return to.contractions().graphs[m_contractions.graph()].layouts.layout[tensor].span;
}

bool recurrent_operations::is_of_a_frame(const contraction_graph& graph, const graph_contraction& c) const
{
    return graph.is_batched(c.a) || graph.is_batched(c.b);
}

template <class F>
void recurrent_operations::for_each_contraction(step_builder& to, bool forward, bool of_a_frame, F f) const
{
    const auto& all = graph(to);
    for (std::size_t c = 0; c < all.contractions.size(); ++c) {
        const auto& contraction = all.contractions[c];
        if ((contraction.phase == step_phase::fp) == forward && is_of_a_frame(all, contraction) == of_a_frame) {
            f(c, contraction.result);
        }
    }
}

void recurrent_operations::begin_forward(step_builder& to, tensor_part zeros)
{
    m_x = frame_parts(to, "X of all frames" + m_of, m_frames + 1, graph(to).elements(m_contractions.x),
                      element_type::bf16);
    to.place({m_contractions.graph(), m_contractions.x}, m_x.ascending());
    for_each_contraction(to, true, false, [&](std::size_t c, std::size_t /*result*/) {
        to.contract(m_contractions.graph(), c, false, m_of);
    });
    to.vector(opcode::pack_bf16, {m_x.tensor}, {zeros, {}, {}}, graph(to).elements(m_contractions.x),
              "clear h before the first frame" + m_of);
}

std::size_t recurrent_operations::forward(step_builder& to)
{
    for_each_contraction(to, true, true, [&](std::size_t c, std::size_t result) {
        to.contract(m_contractions.graph(), c, result == m_contractions.y, m_of);
    });
    return to.place_of({m_contractions.graph(), m_contractions.y}, true).tensor;
}

void recurrent_operations::keep(step_builder& to, tensor_part x, std::uint64_t length)
{
    to.vector(opcode::pack_bf16, m_x.ascending(1), {x, {}, {}}, length, "round for the next frame" + m_of);
}

void recurrent_operations::begin_backward(step_builder& to)
{
    to.place({m_contractions.graph(), m_contractions.x}, m_x.descending(m_frames - 1));
    for_each_contraction(to, false, true, [&](std::size_t /*c*/, std::size_t result) {
        if (graph(to).is_batched(result)) { return; }
        const graph_tensor_number tensor{m_contractions.graph(), result};
        const auto& name = graph(to).tensors[result].name;
        frame_sum sum;
        sum.tensor = result;
        sum.elements = span_of(to, result);
        if (const auto* core = to.contractions().parameter_of_gradient(tensor)) {
            sum.parameter = static_cast<std::size_t>(core - to.contractions().parameters.data());
        }
        sum.sum = sum.parameter ? to.place_of(tensor, true) : tensor_part{to.words(name + m_of, sum.elements)};
        sum.of_frame = to.words(name + " of a frame" + m_of, sum.elements);
        to.place(tensor, {sum.of_frame});
        to.fill(sum.sum, to.literal(0), sum.elements, "clear " + name + m_of);
        to.fill({sum.of_frame}, to.literal(0), sum.elements, "clear " + name + " of a frame" + m_of);
        m_sums.push_back(sum);
    });
}

void recurrent_operations::backward(step_builder& to, tensor_part dy, tensor_part dx)
{
    to.place({m_contractions.graph(), m_contractions.dy},
             linear_operations(m_contractions, m_of).operand_of_dy(to, dy));
    to.place({m_contractions.graph(), *m_contractions.dx}, dx);
    for_each_contraction(to, true, true, [&](std::size_t c, std::size_t result) {
        if (result != m_contractions.y) { to.contract(m_contractions.graph(), c, false, m_of); }
    });
    for_each_contraction(to, false, true, [&](std::size_t c, std::size_t result) {
        to.contract(m_contractions.graph(), c, result == m_contractions.dx, m_of);
    });
    to.enter(step_phase::wg);
    for (const auto& sum : m_sums) {
        to.vector(opcode::add, sum.sum, {sum.sum, tensor_part{sum.of_frame}, {}}, sum.elements,
                  "add " + graph(to).tensors[sum.tensor].name + " of a frame" + m_of);
    }
    to.enter(step_phase::bp);
}

void recurrent_operations::end_backward(step_builder& to)
{
    to.enter(step_phase::wg);
    for (const auto& sum : m_sums) {
        if (sum.parameter) {
            to.add_gradient(*sum.parameter);
            continue;
        }
        const auto& name = graph(to).tensors[sum.tensor].name;
        to.place({m_contractions.graph(), sum.tensor},
                 {to.rounded(sum.sum, sum.elements, name + m_of, "round " + name + m_of)});
    }
    to.enter(step_phase::bp);
    for_each_contraction(to, false, false, [&](std::size_t c, std::size_t /*result*/) {
        to.contract(m_contractions.graph(), c, false, m_of);
    });
}

} // namespace tensorloom::workloads
