#include <tensorloom/models/arithmetic/kernels/list_product.h>
#include <algorithm>
#include <tensorloom/models/arithmetic/cache_line.h>

namespace tensorloom::arithmetic {

namespace {

// Of operands at once, in place: they stay in a common second-level cache; or, where they are hardly read twice, long
// runs count more.
constexpr std::size_t block_bytes = 512 * 1024;
constexpr std::size_t long_block_bytes = 2048 * 1024;
constexpr double hardly_twice = 3;              // reads of an operand, on average
constexpr std::size_t panel_bytes = 128 * 1024; // of packed operands at once; the sums take as much again
// From this density on operands are read so often that packing them pays where they share cache sets.
constexpr double reused = 0.3;

/// How many lanes of `rows` numbers each go into a number of bytes: a multiple of `step`, at least one.
template <class R> std::size_t lanes_in(std::size_t bytes, std::size_t rows, std::size_t step)
{
    return std::max<std::size_t>(1, bytes / (std::max<std::size_t>(rows, 1) * sizeof(R) * step)) * step;
}

} // namespace

template <class R> void coefficient_lists<R>::gather(const gathered_terms<R>& terms, unsigned parts, bool skip_zeros)
{
    const std::size_t imaginary = parts == 1 ? 0 : terms.plane(); // a real coefficient is looked at twice instead
    const auto listed = [&](const R* c) { return !skip_zeros || c[0] != R(0) || c[imaginary] != R(0); };
    m_ends.assign(terms.columns + 1, 0);
    for (std::size_t t = 0; t < terms.count; ++t) {
        const R* c = terms.row(0, t);
        for (std::size_t k = 0; k < terms.columns; ++k) { m_ends[k] += listed(c + k) ? 1 : 0; }
    }
    std::size_t total = 0;
    for (auto& end : m_ends) {
        const std::size_t length = end;
        end = total;
        total += length;
    }
    m_all.resize(total);
    for (std::size_t t = 0; t < terms.count; ++t) {
        const R* c = terms.row(0, t);
        for (std::size_t k = 0; k < terms.columns; ++k) {
            if (listed(c + k)) { m_all[m_ends[k]++] = {c[k], parts == 1 ? R(0) : c[k + imaginary], terms.rows[t]}; }
        }
    }
    std::rotate(m_ends.begin(), m_ends.end() - 1, m_ends.end()); // each has moved to where the next one begins
    m_ends[0] = 0;
    m_density = total == 0 ? 0 : static_cast<double>(total) / static_cast<double>(terms.plane());
}

template <class R>
void list_product<R>::run(const plane_product<R>& p, const coefficient_lists<R>& lists, std::uint64_t* nonzeros)
{
    if (packs(p, lists)) {
        multiply_panels(p, lists, nonzeros);
    } else {
        multiply_in_place(p, lists, nonzeros);
    }
}

template <class R> bool list_product<R>::packs(const plane_product<R>& p, const coefficient_lists<R>& lists) const
{
    if (p.inner < m_kernel.lanes / 2) { return true; }
    return lists.density() > reused && p.rows * p.x_row * sizeof(R) > block_bytes;
}

template <class R>
void list_product<R>::count_rows(const plane_product<R>& p, const R* x, std::size_t x_row, std::size_t x_part,
                                 std::size_t lanes, std::uint64_t* nonzeros) const
{
    const auto& rows = p.terms->distinct;
    m_scan.count_rows(x, p.parts == 1 ? x : x + x_part, x_row, rows.data(), rows.size(), lanes, nonzeros);
}

template <class R>
void list_product<R>::multiply_in_place(const plane_product<R>& p, const coefficient_lists<R>& lists,
                                        std::uint64_t* nonzeros) const
{
    const double reads = lists.density() * static_cast<double>(lists.columns());
    const std::size_t bytes = reads < hardly_twice ? long_block_bytes : block_bytes;
    const std::size_t width = lanes_in<R>(bytes, p.terms->distinct.size() * p.parts, m_kernel.lanes);
    const auto run = m_kernel.run[p.parts - 1][p.skip_zeros ? 1 : 0];
    for (std::size_t o = 0; o < p.outer; ++o) {
        for (std::size_t i = 0; i < p.inner; i += width) {
            const R* x = p.x + o * p.x_outer + i;
            const std::size_t lanes = std::min(width, p.inner - i);
            count_rows(p, x, p.x_row, p.x_part, lanes, nonzeros);
            R* y = p.y + o * p.y_outer + i;
            for (std::size_t k = 0; k < lists.columns(); ++k, y += p.y_row) {
                run(lists.begin(k), lists.end(k), {x, p.x_row, p.x_part, y, p.y_part, lanes, p.accumulate});
            }
        }
    }
}

template <class R>
void list_product<R>::multiply_panels(const plane_product<R>& p, const coefficient_lists<R>& lists,
                                      std::uint64_t* nonzeros)
{
    constexpr std::size_t line = cache_line / sizeof(R);
    const std::size_t width = lanes_in<R>(panel_bytes, p.rows * p.parts, m_kernel.lanes);
    panel b{};
    b.operand_row = width + line; // a power of two would put all rows into few cache sets
    b.sum_row = width;
    b.operands = at_line(m_operands, p.parts * p.rows * b.operand_row);
    b.sums = at_line(m_sums, p.parts * lists.columns() * b.sum_row);
    const std::size_t x_part = p.rows * b.operand_row;
    const auto run = m_kernel.run[p.parts - 1][p.skip_zeros ? 1 : 0];
    for (b.first = 0; b.first < p.fibres(); b.first += width) {
        b.lanes = std::min(width, p.fibres() - b.first);
        load_operands(p, b, nonzeros);
        // Sums that lie side by side already need no panel.
        const bool in_place = b.first % p.inner + b.lanes <= p.inner;
        list_lanes<R> lanes{b.operands, b.operand_row, x_part, b.sums, lists.columns() * b.sum_row,
                            b.lanes,    p.accumulate};
        std::size_t y_row = b.sum_row;
        if (in_place) {
            lanes.y = p.y + b.first / p.inner * p.y_outer + b.first % p.inner;
            lanes.y_part = p.y_part;
            y_row = p.y_row;
        } else if (p.accumulate) {
            load_sums(p, b);
        }
        for (std::size_t k = 0; k < lists.columns(); ++k, lanes.y += y_row) {
            run(lists.begin(k), lists.end(k), lanes);
        }
        if (!in_place) { store_sums(p, b); }
    }
}

template <class R>
void list_product<R>::load_operands(const plane_product<R>& p, const panel& b, std::uint64_t* nonzeros)
{
    const std::size_t part = p.rows * b.operand_row;
    if (p.inner == 1 && p.x_row == 1) {
        // Counted first, fibre by fibre through memory: transposing jumps, and then finds them in the cache.
        m_fibre_nonzeros.assign(p.rows, 0);
        for (std::size_t lane = 0; lane < b.lanes; ++lane) {
            const R* fibre = p.x + (b.first + lane) * p.x_outer;
            m_scan.count_columns(fibre, fibre + (p.parts == 1 ? 0 : p.x_part), p.x_outer, 1, p.rows,
                                 m_fibre_nonzeros.data());
        }
        for (const std::uint32_t row : p.terms->distinct) { nonzeros[row] += m_fibre_nonzeros[row]; }
        for (unsigned q = 0; q < p.parts; ++q) {
            m_kernel.transpose(p.x + q * p.x_part + b.first * p.x_outer, p.x_outer, b.lanes, p.rows,
                               b.operands + q * part, b.operand_row);
        }
        return;
    }
    for (unsigned q = 0; q < p.parts; ++q) {
        each_fibre_run(
            p.inner, b.first, b.lanes, [&](std::size_t o, std::size_t i, std::size_t lane, std::size_t count) {
                const R* from = p.x + q * p.x_part + o * p.x_outer + i;
                for (const std::uint32_t row : p.terms->distinct) {
                    std::copy_n(from + row * p.x_row, count, b.operands + q * part + row * b.operand_row + lane);
                }
            });
    }
    count_rows(p, b.operands, b.operand_row, part, b.lanes, nonzeros);
}

template <class R> void list_product<R>::load_sums(const plane_product<R>& p, const panel& b) const
{
    const std::size_t columns = p.terms->columns;
    for (unsigned q = 0; q < p.parts; ++q) {
        const R* from = p.y + q * p.y_part;
        R* to = b.sums + q * columns * b.sum_row;
        if (p.inner == 1 && p.y_row == 1) {
            m_kernel.transpose(from + b.first * p.y_outer, p.y_outer, b.lanes, columns, to, b.sum_row);
            continue;
        }
        each_fibre_run(p.inner, b.first, b.lanes,
                       [&](std::size_t o, std::size_t i, std::size_t lane, std::size_t count) {
                           const R* at = from + o * p.y_outer + i;
                           for (std::size_t k = 0; k < columns; ++k) {
                               std::copy_n(at + k * p.y_row, count, to + k * b.sum_row + lane);
                           }
                       });
    }
}

template <class R> void list_product<R>::store_sums(const plane_product<R>& p, const panel& b) const
{
    const std::size_t columns = p.terms->columns;
    for (unsigned q = 0; q < p.parts; ++q) {
        const R* from = b.sums + q * columns * b.sum_row;
        R* to = p.y + q * p.y_part;
        if (p.inner == 1 && p.y_row == 1) {
            m_kernel.transpose(from, b.sum_row, columns, b.lanes, to + b.first * p.y_outer, p.y_outer);
            continue;
        }
        each_fibre_run(p.inner, b.first, b.lanes,
                       [&](std::size_t o, std::size_t i, std::size_t lane, std::size_t count) {
                           R* at = to + o * p.y_outer + i;
                           for (std::size_t k = 0; k < columns; ++k) {
                               std::copy_n(from + k * b.sum_row + lane, count, at + k * p.y_row);
                           }
                       });
    }
}

template class coefficient_lists<double>;
template class coefficient_lists<float>;
template class list_product<double>;
template class list_product<float>;

} // namespace tensorloom::arithmetic
