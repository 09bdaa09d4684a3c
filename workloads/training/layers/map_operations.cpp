#include <tensorloom/workloads/training/layers/layer_operations.h>

namespace tensorloom::workloads {

using isa::vector::opcode;

linear_operations::pieces_of_x linear_operations::pieces(const step_builder& to, tensor_part x) const
{
    const auto& of = m_contractions;
    const std::uint64_t elements = to.contractions().graphs[of.graph].graph.elements(of.x);
    return [x, elements](std::uint64_t piece) { return tensor_part{x.tensor, x.offset + piece * elements, x.step}; };
}

std::size_t linear_operations::products(step_builder& to, const pieces_of_x& x)
{
    const auto& of = m_contractions;
    const auto& graph = to.contractions().graphs[of.graph].graph;
    const std::uint64_t elements = graph.elements(of.y);
    std::optional<std::size_t> y;
    if (of.pieces > 1) { y = to.words("Y" + m_of, of.pieces * elements); }
    for (std::uint64_t piece = 0; piece < of.pieces; ++piece) {
        if (piece != 0) { to.forget_rows(of.graph); }
        to.place({of.graph, of.x}, x(piece));
        if (y) { to.place({of.graph, of.y}, {*y, piece * elements}); }
        for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
            const auto& contraction = graph.contractions[c];
            if (contraction.phase != step_phase::fp) { continue; }
            if (piece != 0 && !graph.is_batched(contraction.result)) { continue; } // made of cores alone
            to.contract(of.graph, c, contraction.result == of.y, m_of);
        }
        if (y) { m_pieces.push_back(to.places_of(of.graph)); }
    }
    return y ? *y : to.place_of({of.graph, of.y}, true).tensor;
}

std::size_t linear_operations::forward(step_builder& to, tensor_part x)
{
    const auto y = products(to, pieces(to, x));
    const auto& of = m_contractions;
    if (!of.bias) { return y; }
    const std::uint64_t length = of.pieces * to.contractions().graphs[of.graph].graph.elements(of.y);
    const auto bias = to.repeated(to.master(*of.bias), of.rows, length / of.rows, "repeat the bias" + m_of);
    return to.made_of(opcode::add, "add the bias" + m_of, {tensor_part{y}, tensor_part{bias}, {}}, length);
}

tensor_part linear_operations::operand_of_dy(step_builder& to, tensor_part words) const
{
    const auto& of = m_contractions;
    const auto& planned = to.contractions().graphs[of.graph];
    const auto& layout = planned.layouts.layout[of.dy];
    const std::uint64_t elements = of.pieces * planned.graph.elements(of.dy);
    if (of.pieces == 1 && layout.span != elements) { // gaps have what was there before: no contraction takes them
        const auto row = static_cast<std::int64_t>(elements / of.rows);
        const auto pitch = static_cast<std::int64_t>(layout.stride_of(planned.graph.batch));
        const auto apart = to.words("dY" + m_of + " at a pitch", layout.span);
        to.add("copy dY" + m_of,
               copy_operation{{apart}, words, {1, of.rows, elements / of.rows}, {0, pitch, 1}, {0, row, 1}});
        words = {apart};
    }
    return {to.rounded(words, of.pieces * layout.span, "dY" + m_of, "round dY" + m_of)};
}

std::optional<std::size_t> linear_operations::backward(step_builder& to, tensor_part dy)
{
    const auto& of = m_contractions;
    const auto& graph = to.contractions().graphs[of.graph].graph;
    std::optional<std::size_t> dx;
    if (of.pieces > 1 && of.dx) { dx = to.words("dX" + m_of, of.pieces * graph.elements(*of.dx)); }
    for (std::uint64_t piece = 0; piece < of.pieces; ++piece) {
        if (of.pieces > 1) { to.places_of(of.graph) = m_pieces[piece]; }
        if (dx) { to.place({of.graph, *of.dx}, {*dx, piece * graph.elements(*of.dx)}); }
        to.place({of.graph, of.dy}, {dy.tensor, dy.offset + piece * graph.elements(of.dy), dy.step});
        if (of.ones) { to.place({of.graph, *of.ones}, {to.step().ones}); }
        for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
            const auto& contraction = graph.contractions[c];
            if (contraction.phase != step_phase::fp) { to.contract(of.graph, c, contraction.result == of.dx, m_of); }
        }
    }
    if (!of.dx) { return std::nullopt; }
    return dx ? *dx : to.place_of({of.graph, *of.dx}, true).tensor;
}

} // namespace tensorloom::workloads
