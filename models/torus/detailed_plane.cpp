#include <tensorloom/models/torus/detailed_plane.h>
#include <cmath>
#include <complex>
#include <utility>

namespace tensorloom::torus {
namespace {

// Where nodes have their blocks: A (i, k) in X, as a tensor of i x 1 x k; likewise C (i, j) in X1; B (k, j) in C_I.
slot slot_of(matrix which)
{
    switch (which) {
    case matrix::a: return slot::x;
    case matrix::b: return slot::c_i;
    case matrix::c: break;
    }
    return slot::x1;
}

block_sizes slot_sizes(const matrix_blocks& blocks) { return {{blocks.i, 1, blocks.k}, {1, 1, blocks.j}}; }

// As a stage of nodes, which multiply a tensor along one of its modes with a coefficient.
stage_descriptor stage_of(const plane_program& program)
{
    stage_descriptor stage;
    constexpr unsigned first = 0, last = 2;
    stage.accumulator = slot_of(program.accumulator);
    stage.steps = program.steps;
    const bool sums_rows = program.left_transposed; // B += A^T C: mode 1 of C, with A
    stage.operand = slot_of(sums_rows ? program.right : program.left);
    stage.coefficient = slot_of(sums_rows ? program.left : program.right);
    stage.mode = sums_rows ? first : last;
    stage.transposed = program.right_transposed;
    stage.conjugated = false;
    for (const auto& roll : program.rolls) { stage.rolls.push_back({slot_of(roll.which), roll.along, roll.sign}); }
    return stage;
}

} // namespace

template <class Element>
detailed_plane<Element>::detailed_plane(std::vector<node_type*> nodes, node_memory_if& memory, counts& counted,
                                        bool shares, std::function<void()> show)
    : m_nodes(std::move(nodes)),
      m_side(static_cast<std::uint32_t>(std::lround(std::sqrt(static_cast<double>(m_nodes.size()))))), m_memory(memory),
      m_counts(counted), m_shares(shares), m_show(std::move(show)), m_row_lines(make_lines("lines_s", axis::s)),
      m_column_lines(make_lines("lines_q", axis::q))
{}

template <class Element>
auto detailed_plane<Element>::make_lines(const char* name, axis along) -> std::unique_ptr<blocks::module_rank<line>>
{
    return std::make_unique<blocks::module_rank<line>>(name, "line", m_side, [&](const char* n, std::size_t index) {
        auto* const made = new line(n, along, m_counts);
        for (std::size_t other = 0; other < m_side; ++other) {
            made->attach(*m_nodes[along == axis::s ? index * m_side + other : other * m_side + index]);
        }
        return made;
    });
}

template <class Element> void detailed_plane<Element>::lay_out(const plane_layout& layout)
{
    m_program = program_of(layout.schedule);
    m_slots = {};
    m_slots.sizes = slot_sizes(layout.blocks);
    m_memory.lay_out(m_slots);
    for (auto* n : m_nodes) { n->resize_matrix(slot::c_i, 1); }
    for (const auto which : {matrix::a, matrix::b, matrix::c}) {
        auto& homes = m_homes[static_cast<unsigned>(which)];
        homes.resize(m_nodes.size());
        for (std::uint32_t i = 0; i < m_side; ++i) {
            for (std::uint32_t j = 0; j < m_side; ++j) {
                const auto label = home_label(which, layout.schedule, i, j);
                homes[label[0] * m_side + label[1]] = m_nodes[i * m_side + j];
            }
        }
    }
}

template <class Element> void detailed_plane<Element>::clear(matrix which)
{
    for (auto* n : m_nodes) {
        if (which == matrix::b) {
            n->resize_matrix(slot::c_i, 1);
        } else {
            n->clear(slot_of(which), slot_of(which));
        }
    }
}

// ---- memory port ----

// Calls visit(block, piece) for what lies in one block.
template <class Element>
template <class Visit>
void detailed_plane<Element>::for_each_block_piece(matrix which, const shape2& sizes, std::uint64_t first,
                                                   std::uint64_t elements, const Visit& visit) const
{
    if (which == matrix::b) {
        for_each_matrix_piece(slot::c_i, m_slots, m_side, sizes[1], first, elements, [&](const block_piece& piece) {
            visit(home_of(which, piece.label).held(slot::c_i), piece);
        });
        return;
    }
    for_each_piece(slot_of(which), m_slots, {sizes[0], 1, sizes[1]}, first, elements, [&](const block_piece& piece) {
        visit(home_of(which, {piece.label[0], piece.label[2], 0}).held(slot_of(which)), piece);
    });
}

template <class Element>
void detailed_plane<Element>::write(matrix to, const shape2& sizes, std::uint64_t first, const unsigned char* bytes,
                                    std::uint64_t elements)
{
    for_each_block_piece(to, sizes, first, elements, [&](block<Element>& held, const block_piece& piece) {
        store<Element>(held, piece, bytes + piece.done * sizeof(Element));
    });
}

template <class Element>
void detailed_plane<Element>::write_sums(matrix to, const shape2& sizes, std::uint64_t first,
                                         const unsigned char* bytes, std::uint64_t sums)
{
    for_each_block_piece(to, sizes, first, sums, [&](block<Element>& held, const block_piece& piece) {
        held.holds_sums = true;
        store<accumulator>(held, piece, bytes + piece.done * sizeof(accumulator));
    });
}

template <class Element>
void detailed_plane<Element>::read(matrix from, const shape2& sizes, std::uint64_t first, unsigned char* bytes,
                                   std::uint64_t elements) const
{
    for_each_block_piece(from, sizes, first, elements, [&](const block<Element>& held, const block_piece& piece) {
        fetch<Element>(held, piece, bytes + piece.done * sizeof(Element));
    });
}

template <class Element>
void detailed_plane<Element>::read_sums(matrix from, const shape2& sizes, std::uint64_t first, unsigned char* bytes,
                                        std::uint64_t sums) const
{
    for_each_block_piece(from, sizes, first, sums, [&](const block<Element>& held, const block_piece& piece) {
        fetch<accumulator>(held, piece, bytes + piece.done * sizeof(accumulator));
    });
}

// ---- steps ----

template <class Element> void detailed_plane<Element>::begin()
{
    m_step = 0;
    const node_program program{stage_of(m_program), 0, false, 0, m_shares};
    for (auto* n : m_nodes) { n->load(program); }
}

template <class Element> void detailed_plane<Element>::compute(counts& counted)
{
    m_counts = {};
    m_counts[event::step] = 1;
    for (const auto& drive : m_program.drives) {
        auto& lines = drive.along == axis::s ? *m_row_lines : *m_column_lines;
        for (std::uint32_t n = 0; n < m_side; ++n) {
            lines[n].drive(slot_of(drive.which), (m_step + (drive.follows_line ? n : 0)) % m_side);
        }
    }
    for (auto* n : m_nodes) { n->compute(); }
    ++m_step;
    counted += m_counts;
    m_show();
}

template <class Element> void detailed_plane<Element>::roll(counts& counted)
{
    m_counts = {};
    for (auto* n : m_nodes) { n->send(); }
    for (auto* n : m_nodes) { n->receive(); }
    counted += m_counts;
}

template <class Element> void detailed_plane<Element>::end()
{
    for (auto* n : m_nodes) { n->unload(); }
    m_show();
}

template class detailed_plane<double>;
template class detailed_plane<float>;
template class detailed_plane<std::complex<double>>;
template class detailed_plane<std::complex<float>>;
template class detailed_plane<arithmetic::bfloat16>;
template class detailed_plane<std::int8_t>;

} // namespace tensorloom::torus
