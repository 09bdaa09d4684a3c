#include <tensorloom/workloads/training/layers/layer_operations.h>

namespace tensorloom::workloads {

using isa::vector::opcode;

linear_operations::pieces_of_x linear_operations::pieces(const step_builder& to, tensor_part x) const
{
    const auto& of = m_contractions;
    const std::uint64_t elements = to.contractions().graphs[of.graph()].graph.elements(of.x);
    return [x, elements](std::uint64_t piece) { return tensor_part{x.tensor, x.offset + piece * elements, x.step}; };
}

tensor_part linear_operations::columns(tensor_part y, std::uint64_t piece, std::size_t part) const
{
    const auto& of = m_contractions;
    return {y.tensor, y.offset + piece * (of.rows / of.pieces) * of.outputs + part * of.outputs_of_part(), y.step};
}

std::size_t linear_operations::products(step_builder& to, const pieces_of_x& x)
{
    const auto& of = m_contractions;
    std::optional<std::size_t> y;
    if (of.pieces > 1 || of.parts() > 1) { y = to.words("Y" + m_of, of.rows * of.outputs); }
    for (std::uint64_t piece = 0; piece < of.pieces; ++piece) {
        const auto of_piece = x(piece);
        std::vector<step_builder::graph_places> places;
        for (std::size_t part = 0; part < of.parts(); ++part) {
            const std::size_t number = of.graphs[part];
            const auto& graph = to.contractions().graphs[number].graph;
            if (piece != 0) { to.forget_rows(number); }
            to.place({number, of.x}, of_piece);
            if (y) { to.place({number, of.y}, columns({*y}, piece, part)); }
            for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
                const auto& contraction = graph.contractions[c];
                if (contraction.phase != step_phase::fp) { continue; }
                if (piece != 0 && !graph.is_batched(contraction.result)) { continue; } // made of cores alone
                to.contract(number, c, contraction.result == of.y, m_of);
            }
            places.push_back(to.places_of(number));
        }
        if (of.pieces > 1) { m_pieces.push_back(std::move(places)); }
    }
    return y ? *y : to.place_of({of.graph(), of.y}, true).tensor;
}

std::size_t linear_operations::forward(step_builder& to, tensor_part x)
{
    const auto y = products(to, pieces(to, x));
    const auto& of = m_contractions;
    if (!of.bias) { return y; }
    const auto bias = to.repeated(to.master(*of.bias), of.rows, of.outputs, "repeat the bias" + m_of);
    return to.made_of(opcode::add, "add the bias" + m_of, {tensor_part{y}, tensor_part{bias}, {}},
                      of.rows * of.outputs);
}

tensor_part linear_operations::operand_of_dy(step_builder& to, tensor_part words) const
{
    const auto& of = m_contractions;
    const auto& planned = to.contractions().graphs[of.graph()];
    const auto& layout = planned.layouts.layout[of.dy];
    std::uint64_t elements = of.rows * of.outputs;
    if (of.pieces == 1 && of.parts() == 1 && layout.span != elements) {
        // Gaps have what was there before: no contraction takes them.
        const auto row = static_cast<std::int64_t>(of.outputs);
        const auto pitch = static_cast<std::int64_t>(layout.stride_of(planned.graph.batch));
        const auto apart = to.words("dY" + m_of + " at a pitch", layout.span);
        to.add("copy dY" + m_of, copy_operation{{apart}, words, {1, of.rows, of.outputs}, {0, pitch, 1}, {0, row, 1}});
        words = {apart};
        elements = layout.span;
    }
    return {to.rounded(words, elements, "dY" + m_of, "round dY" + m_of)};
}

std::optional<std::size_t> linear_operations::backward(step_builder& to, tensor_part dy)
{
    const auto& of = m_contractions;
    std::optional<std::size_t> dx;
    const std::uint64_t elements = of.dx ? to.contractions().graphs[of.graph()].graph.elements(*of.dx) : 0;
    if ((of.pieces > 1 || of.parts() > 1) && of.dx) { dx = to.words("dX" + m_of, of.pieces * elements); }
    for (std::uint64_t piece = 0; piece < of.pieces; ++piece) {
        for (std::size_t part = 0; part < of.parts(); ++part) {
            const std::size_t number = of.graphs[part];
            const auto& graph = to.contractions().graphs[number].graph;
            if (of.pieces > 1) { to.places_of(number) = m_pieces[piece][part]; }
            std::optional<tensor_part> sum, more;
            if (dx) {
                sum = tensor_part{*dx, piece * elements};
                if (part != 0) { more = tensor_part{to.words("dX of a part" + m_of, elements)}; }
                to.place({number, *of.dx}, more.value_or(*sum));
            }
            to.place({number, of.dy}, columns(dy, piece, part));
            if (of.ones) { to.place({number, *of.ones}, {to.step().ones}); }
            for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
                const auto& contraction = graph.contractions[c];
                if (contraction.phase == step_phase::fp) { continue; }
                to.contract(number, c, contraction.result == of.dx, m_of);
            }
            if (more) { to.vector(opcode::add, *sum, {*sum, *more, {}}, elements, "add dX of a part" + m_of); }
        }
        if (of.graph_of_bias) {
            using bias = linear_contractions::bias_tensors;
            to.place({*of.graph_of_bias, bias::ones}, {to.step().ones});
            to.place({*of.graph_of_bias, bias::dy}, columns(dy, piece, 0));
            to.contract(*of.graph_of_bias, 0, false, m_of);
        }
    }
    if (!of.dx) { return std::nullopt; }
    return dx ? *dx : to.place_of({of.graph(), *of.dx}, true).tensor;
}

} // namespace tensorloom::workloads
