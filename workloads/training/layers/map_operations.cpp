#include <tensorloom/workloads/training/layers/layer_operations.h>

namespace tensorloom::workloads {

using isa::vector::opcode;

std::size_t linear_operations::products(step_builder& to, tensor_part x)
{
    const auto& of = m_contractions;
    const auto& graph = to.contractions().graphs[of.graph].graph;
    to.place({of.graph, of.x}, x);
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        const auto& contraction = graph.contractions[c];
        if (contraction.phase == step_phase::fp) { to.contract(of.graph, c, contraction.result == of.y, m_of); }
    }
    return to.place_of({of.graph, of.y}, true).tensor;
}

std::size_t linear_operations::forward(step_builder& to, tensor_part x)
{
    const auto y = products(to, x);
    const auto& of = m_contractions;
    if (!of.bias) { return y; }
    const std::uint64_t length = to.contractions().graphs[of.graph].graph.elements(of.y);
    const auto bias = to.repeated(to.master(*of.bias), of.rows, length / of.rows, "repeat the bias" + m_of);
    return to.made_of(opcode::add, "add the bias" + m_of, {tensor_part{y}, tensor_part{bias}, {}}, length);
}

tensor_part linear_operations::operand_of_dy(step_builder& to, tensor_part words) const
{
    const auto& of = m_contractions;
    const auto& planned = to.contractions().graphs[of.graph];
    const auto& layout = planned.layouts.layout[of.dy];
    const std::uint64_t elements = planned.graph.elements(of.dy);
    if (layout.span != elements) { // gaps have what was there before: no contraction takes them
        const auto row = static_cast<std::int64_t>(elements / of.rows);
        const auto pitch = static_cast<std::int64_t>(layout.stride_of(planned.graph.batch));
        const auto apart = to.words("dY" + m_of + " at a pitch", layout.span);
        to.add("copy dY" + m_of,
               copy_operation{{apart}, words, {1, of.rows, elements / of.rows}, {0, pitch, 1}, {0, row, 1}});
        words = {apart};
    }
    return {to.rounded(words, layout.span, "dY" + m_of, "round dY" + m_of)};
}

std::optional<std::size_t> linear_operations::backward(step_builder& to, tensor_part dy)
{
    const auto& of = m_contractions;
    const auto& graph = to.contractions().graphs[of.graph].graph;
    to.place({of.graph, of.dy}, dy);
    if (of.ones) { to.place({of.graph, *of.ones}, {to.step().ones}); }
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        const auto& contraction = graph.contractions[c];
        if (contraction.phase != step_phase::fp) { to.contract(of.graph, c, contraction.result == of.dx, m_of); }
    }
    if (!of.dx) { return std::nullopt; }
    return to.place_of({of.graph, *of.dx}, true).tensor;
}

} // namespace tensorloom::workloads
