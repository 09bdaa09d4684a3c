#include <tensorloom/workloads/training/layers/lstm/recurrent_map.h>

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
    const auto& all = m_contractions.of_frames;
    const bool is_of_all = all && (c.a == all->x || c.b == all->x);
    return !is_of_all && (graph.is_batched(c.a) || graph.is_batched(c.b));
}

void recurrent_operations::place(step_builder& to, std::size_t tensor, tensor_part part) const
{
    for (const std::size_t graph : m_contractions.graphs) { to.place({graph, tensor}, part); }
}

void recurrent_operations::place_columns(step_builder& to, std::size_t tensor, tensor_part whole) const
{
    for (std::size_t part = 0; part < m_contractions.parts(); ++part) {
        to.place({m_contractions.graphs[part], tensor}, m_map.columns(whole, 0, part));
    }
}

template <class F>
void recurrent_operations::for_each_contraction(step_builder& to, std::size_t part, bool forward, bool of_a_frame,
                                                F f) const
{
    const std::size_t number = m_contractions.graphs[part];
    const auto& all = graph(to);
    for (std::size_t c = 0; c < all.contractions.size(); ++c) {
        const auto& contraction = all.contractions[c];
        if ((contraction.phase == step_phase::fp) == forward && is_of_a_frame(all, contraction) == of_a_frame) {
            f(number, c, contraction.result);
        }
    }
}

void recurrent_operations::begin_forward(step_builder& to, tensor_part zeros)
{
    m_x = frame_parts(to, "X of all frames" + m_of, m_frames + 1, graph(to).elements(m_contractions.x),
                      element_type::bf16);
    place(to, m_contractions.x, m_x.ascending());
    for_each_contraction(to, 0, true, false, [&](std::size_t graph, std::size_t c, std::size_t /*result*/) {
        to.contract(graph, c, false, m_of);
    });
    to.vector(opcode::pack_bf16, {m_x.tensor}, {zeros, {}, {}}, graph(to).elements(m_contractions.x),
              "clear h before the first frame" + m_of);
}

std::size_t recurrent_operations::forward(step_builder& to)
{
    const auto& of = m_contractions;
    std::optional<std::size_t> y;
    if (of.parts() > 1) {
        y = to.words("Y" + m_of, of.rows * of.outputs);
        place_columns(to, of.y, {*y});
    }
    for (std::size_t part = 0; part < of.parts(); ++part) {
        for_each_contraction(to, part, true, true, [&](std::size_t graph, std::size_t c, std::size_t result) {
            to.contract(graph, c, result == of.y, m_of);
        });
    }
    return y ? *y : to.place_of({of.graph(), of.y}, true).tensor;
}

void recurrent_operations::keep(step_builder& to, tensor_part x, std::uint64_t length)
{
    to.vector(opcode::pack_bf16, m_x.ascending(1), {x, {}, {}}, length, "round for the next frame" + m_of);
}

void recurrent_operations::begin_backward(step_builder& to)
{
    place(to, m_contractions.x, m_x.descending(m_frames - 1));
    for_each_contraction(to, 0, false, true, [&](std::size_t number, std::size_t /*c*/, std::size_t result) {
        if (graph(to).is_batched(result)) { return; }
        const graph_tensor_number tensor{number, result};
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
    const auto& of = m_contractions;
    place_columns(to, of.dy, m_map.operand_of_dy(to, dy));
    for (std::size_t part = 0; part < of.parts(); ++part) {
        std::optional<tensor_part> more;
        const std::uint64_t elements = graph(to).elements(*of.dx);
        if (part != 0) { more = tensor_part{to.words("dX of a part" + m_of, elements)}; }
        to.place({of.graphs[part], *of.dx}, more.value_or(dx));
        for_each_contraction(to, part, true, true, [&](std::size_t graph, std::size_t c, std::size_t result) {
            if (result != of.y) { to.contract(graph, c, false, m_of); }
        });
        for_each_contraction(to, part, false, true, [&](std::size_t graph, std::size_t c, std::size_t result) {
            to.contract(graph, c, result == of.dx, m_of);
        });
        if (more) { to.vector(opcode::add, dx, {dx, *more, {}}, elements, "add dX of a part" + m_of); }
    }
    to.enter(step_phase::wg);
    for (const auto& sum : m_sums) {
        to.vector(opcode::add, sum.sum, {sum.sum, tensor_part{sum.of_frame}, {}}, sum.elements,
                  "add " + graph(to).tensors[sum.tensor].name + " of a frame" + m_of);
    }
    to.enter(step_phase::bp);
}

void recurrent_operations::end_backward(step_builder& to, tensor_part dy)
{
    const auto& of = m_contractions;
    to.enter(step_phase::wg);
    for (const auto& sum : m_sums) {
        if (sum.parameter) {
            to.add_gradient(*sum.parameter);
            continue;
        }
        const auto& name = graph(to).tensors[sum.tensor].name;
        to.place({of.graph(), sum.tensor}, {to.rounded(sum.sum, sum.elements, name + m_of, "round " + name + m_of)});
    }
    to.enter(step_phase::bp);
    if (of.of_frames) {
        place(to, of.of_frames->x, {m_x.tensor});
        place_columns(to, of.of_frames->dy, dy);
    }
    for (std::size_t part = 0; part < of.parts(); ++part) {
        for_each_contraction(to, part, false, false, [&](std::size_t graph, std::size_t c, std::size_t /*result*/) {
            to.contract(graph, c, false, m_of);
        });
    }
}

} // namespace tensorloom::workloads
