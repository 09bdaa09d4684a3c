#include <tensorloom/models/torus/fast_plane.h>
#include <algorithm>
#include <complex>

namespace tensorloom::torus {
namespace {

/// Copies a rectangle of rows, of every part of its numbers; parts are `from_part` and `to_part` apart.
template <class R>
void copy_rows(const R* from, std::size_t from_row, std::size_t from_part, R* to, std::size_t to_row,
               std::size_t to_part, std::size_t rows, std::size_t columns, unsigned parts)
{
    for (unsigned p = 0; p < parts; ++p, from += from_part, to += to_part) {
        for (std::size_t r = 0; r < rows; ++r) { std::copy_n(from + r * from_row, columns, to + r * to_row); }
    }
}

} // namespace

template <class Element>
fast_plane<Element>::fast_plane(std::uint32_t side, bool shares, node_memory_if& memory)
    : m_side(side), m_shares(shares), m_memory(memory), m_held{planes(m_pool), planes(m_pool), planes(m_pool)}
{}

template <class Element> blocks::shape3 fast_plane<Element>::padded(matrix which) const
{
    const auto block = shape_of(which, m_layout.blocks);
    return {1, m_side * block[0], m_side * block[1]};
}

template <class Element> std::uint64_t fast_plane<Element>::block_words(matrix which) const
{
    const auto block = shape_of(which, m_layout.blocks);
    return std::uint64_t{block[0]} * block[1];
}

template <class Element> void fast_plane<Element>::lay_out(const plane_layout& layout)
{
    m_memory.lay_out({});
    m_layout = layout;
    m_program = program_of(layout.schedule);
    for (const auto which : {matrix::a, matrix::b, matrix::c}) { clear(which); }
}

template <class Element> void fast_plane<Element>::release()
{
    m_memory.lay_out({});
    for (auto& each : m_held) { each.clear({}); }
}

template <class Element> void fast_plane<Element>::compute(counts& counted)
{
    const auto& b = m_layout.blocks;
    const std::uint64_t macs = std::uint64_t{m_side} * m_side * b.i * b.j * b.k;
    counted[event::step] += 1;
    counted[event::mac] += macs;
    counted[event::register_read] += 3 * macs;
    counted[event::register_write] += macs;
    for (const auto& drive : m_program.drives) {
        const std::uint64_t driven = m_side * block_words(drive.which), delivered = driven * (m_side - 1);
        counted[event::drive_word] += driven;
        counted[event::block_read] += driven;
        counted[event::deliver_word] += delivered;
        counted[event::block_write] += delivered;
        counted[line_word_pitch(drive.along)] += delivered;
    }
}

template <class Element> void fast_plane<Element>::roll(counts& counted)
{
    constexpr std::uint64_t sum_words = sizeof(typename planes::accumulator) / sizeof(Element);
    for (const auto& roll : m_program.rolls) {
        const bool sums = roll.which == m_program.accumulator;
        const std::uint64_t width = sums ? sum_words : 1;
        const std::uint64_t ring = m_side * block_words(roll.which) * width; // words of all that pass one link
        add_passage(counted, roll.along, sums && m_shares,
                    {std::uint64_t{m_side} * m_side, ring * m_side, ring, ring * 2 * (m_side - 1)});
    }
}

/// What multiplies, a row for every index of the sum: B, B^T or A.
template <class Element> void fast_plane<Element>::gather_coefficients()
{
    const bool of_a = m_program.left_transposed, transposed = m_program.right_transposed;
    const matrix which = of_a ? matrix::a : matrix::b;
    const auto size = padded(which);
    const std::uint32_t rows = size[1], columns = size[2];
    m_coefficients.resize(std::size_t{rows} * columns);
    for (std::uint32_t r = 0; r < rows; ++r) {
        for (std::uint32_t c = 0; c < columns; ++c) {
            const std::size_t to = transposed ? std::size_t{c} * rows + r : std::size_t{r} * columns + c;
            m_coefficients[to] = arithmetic::narrowed<Element>(held(which).at({0, r, c}), 0).value;
        }
    }
}

template <class Element> void fast_plane<Element>::end()
{
    gather_coefficients();
    for (std::uint32_t row = 0; row < m_side; ++row) {
        for (std::uint32_t column = 0; column < m_side; ++column) { multiply_block(row, column); }
    }
}

template <class Element> void fast_plane<Element>::multiply_block(std::uint32_t row, std::uint32_t column)
{
    // B += A^T C multiplies C from above, along its rows, with A; otherwise rows of A or C are multiplied.
    const bool sums_rows = m_program.left_transposed;
    const matrix operand = sums_rows ? m_program.right : m_program.left;
    const auto result = shape_of(m_program.accumulator, m_layout.blocks);
    const std::size_t terms = padded(operand)[sums_rows ? 1 : 2], depth = terms / m_side;
    const std::size_t made = sums_rows ? result[0] : result[1];
    const std::uint32_t made_block = sums_rows ? row : column;

    typename product::problem p;
    p.outer = sums_rows ? 1 : result[0];
    p.inner = sums_rows ? result[1] : 1;
    p.rows = terms;
    p.columns = made;
    p.skip_zeros = false;
    p.accumulate = true;

    constexpr unsigned parts = product::parts;
    m_terms.clear();
    for (std::uint32_t t = 0; t < m_program.steps; ++t) {
        const std::size_t block = term_block(m_layout.schedule, row, column, t);
        for (std::size_t n = block * depth; n < (block + 1) * depth; ++n) {
            const Element* const coefficients = m_coefficients.data() + (n * m_side + made_block) * made;
            m_terms.push_back({reinterpret_cast<const unsigned char*>(coefficients), static_cast<std::uint32_t>(n),
                               static_cast<std::uint32_t>(made)});
        }
    }
    m_counts.resize(m_terms.size());
    p.terms = m_terms.data();
    p.term_count = m_terms.size();

    auto& x = held(operand);
    const std::size_t x_row = x.shape()[2], x_part = std::size_t{x.shape()[1]} * x_row;
    const std::size_t x_rows = sums_rows ? terms : p.outer, x_columns = sums_rows ? p.inner : terms;
    m_operands.resize(parts * x_rows * x_columns);
    copy_rows(x.values() + (sums_rows ? column * x_columns : row * x_rows * x_row), x_row, x_part, m_operands.data(),
              x_columns, x_rows * x_columns, x_rows, x_columns, parts);
    p.x = m_operands.data();

    auto& y = held(m_program.accumulator);
    const std::size_t y_row = y.shape()[2], y_part = std::size_t{y.shape()[1]} * y_row;
    const std::size_t words = std::size_t{result[0]} * result[1];
    m_sums.resize(parts * words);
    real* const sums = y.values() + row * result[0] * y_row + column * result[1];
    copy_rows<real>(sums, y_row, y_part, m_sums.data(), result[1], words, result[0], result[1], parts);
    p.y = m_sums.data();
    m_product.run(p, m_counts.data());
    copy_rows<real>(m_sums.data(), result[1], words, sums, y_row, y_part, result[0], result[1], parts);
}

template class fast_plane<double>;
template class fast_plane<float>;
template class fast_plane<std::complex<double>>;
template class fast_plane<std::complex<float>>;
template class fast_plane<arithmetic::bfloat16>;
template class fast_plane<std::int8_t>;

} // namespace tensorloom::torus
