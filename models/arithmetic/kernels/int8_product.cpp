#include <tensorloom/models/arithmetic/kernels/int8_product.h>
#include <algorithm>
#include <cstdlib>
#include <tensorloom/models/arithmetic/cache_line.h>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::arithmetic {

namespace {

constexpr std::size_t panel_bytes = 256 * 1024; // of packed operands at once: they stay in a common second-level cache
constexpr std::size_t fibres_at_once = 64;
} // namespace

void int8_product::run(const product& p, const int8_terms& terms, const int8_rounding& rounding, int8_counts& counts)
{
    if (p.accumulate || terms.least_room() < 0) { count_overflows(p, terms, rounding, counts); }
    m_nonzeros.assign(p.rows, 0);
    m_saturated.assign(p.rows, 0);
    if (terms.paired_by_row()) {
        multiply_fibres(p, terms, rounding);
    } else {
        multiply_lanes(p, terms, rounding);
    }
    for (const std::uint32_t row : p.terms->distinct) {
        counts.nonzeros[row] += m_nonzeros[row];
        counts.saturated[row] += m_saturated[row];
    }
}

// ---- overflow ----

void int8_product::count_overflows(const product& p, const int8_terms& prepared, const int8_rounding& rounding,
                                   int8_counts& counts)
{
    const auto& terms = *p.terms;
    const auto follow = [&](std::size_t o, std::size_t k, std::size_t i) {
        std::int32_t sum = p.accumulate ? p.y[o * p.y_outer + k * p.y_row + i] : 0;
        for (std::size_t t = 0; t < terms.count; ++t) {
            const std::int32_t from = p.x[o * p.x_outer + terms.rows[t] * p.x_row + i];
            const std::int8_t x = narrowed<std::int8_t>(from, rounding.shift).value;
            const auto c = static_cast<std::int8_t>(terms.row(0, t)[k]);
            if (std::abs(int{x}) <= rounding.small) { continue; }
            counts.overflowed[t] += mac_overflows(sum, x, c) ? 1 : 0;
            sum = mac(sum, x, c);
        }
    };
    for (std::size_t o = 0; o < p.outer; ++o) {
        // One look at a whole fibre of sums decides most often.
        if (p.contiguous_fibres() && p.accumulate &&
            std::int64_t{m_kernel.largest(p.y + o * p.y_outer, terms.columns)} <= prepared.least_room()) {
            continue;
        }
        for (std::size_t k = 0; k < terms.columns; ++k) {
            const std::int32_t* sums = p.y + o * p.y_outer + k * p.y_row;
            const std::int64_t largest = p.accumulate ? m_kernel.largest(sums, p.inner) : 0;
            if (largest <= prepared.room(k)) { continue; }
            for (std::size_t i = 0; i < p.inner; ++i) {
                if (!p.accumulate || std::abs(std::int64_t{sums[i]}) > prepared.room(k)) { follow(o, k, i); }
            }
        }
    }
}

// ---- vectors across fibres ----

// Panels of tile_columns lanes; pair t, lane l of one at t * tile_columns + l.
void int8_product::pack_lanes(const product& p, const int8_terms& prepared, const int8_rounding& rounding,
                              std::size_t first, std::size_t lanes, std::int32_t* words)
{
    const auto& terms = *p.terms;
    const std::size_t width = m_kernel.tile_columns;
    const std::size_t pairs = prepared.pairs();
    for (std::size_t t = 0; t < terms.count; t += 2) {
        const bool paired = t + 1 < terms.count;
        int8_operand_counts found[2];
        each_fibre_run(p.inner, first, lanes, [&](std::size_t o, std::size_t i, std::size_t lane, std::size_t count) {
            const std::int32_t* from = p.x + o * p.x_outer + i;
            m_kernel.narrow_rows(rounding, from + terms.rows[t] * p.x_row,
                                 paired ? from + terms.rows[t + 1] * p.x_row : nullptr, count, words + t / 2 * width,
                                 lane, pairs * width, found);
        });
        for (std::size_t half = 0; half < (paired ? 2u : 1u); ++half) {
            if (!prepared.names_first(t + half)) { continue; }
            m_nonzeros[terms.rows[t + half]] += found[half].nonzeros;
            m_saturated[terms.rows[t + half]] += found[half].saturated;
        }
    }
}

void int8_product::multiply_lanes(const product& p, const int8_terms& prepared, const int8_rounding& rounding)
{
    const std::size_t columns = p.terms->columns;
    const std::size_t height = m_kernel.tile_rows;
    const std::size_t width = m_kernel.tile_columns;
    const std::size_t pairs = prepared.pairs();
    const std::size_t panels =
        std::max<std::size_t>(1, panel_bytes / (std::max<std::size_t>(1, pairs) * width * sizeof(std::int32_t)));
    std::int32_t* const operands = at_line(m_operands, panels * pairs * width);
    std::int32_t* const sums = at_line(m_sums, height * width);
    for (std::size_t first = 0; first < p.fibres(); first += panels * width) {
        const std::size_t lanes = std::min(panels * width, p.fibres() - first);
        pack_lanes(p, prepared, rounding, first, lanes, operands);
        for (std::size_t lane = 0; lane < lanes; lane += width) {
            const std::int32_t* panel = operands + lane * pairs;
            const std::size_t used = std::min(width, lanes - lane);
            const std::size_t fibre = first + lane;
            const bool in_place = used == width && fibre % p.inner + width <= p.inner;
            for (std::size_t k = 0; k < columns; k += height) {
                const auto rows = static_cast<unsigned>(std::min(height, columns - k));
                const std::int32_t* c = prepared.words() + k * pairs;
                if (in_place) {
                    m_kernel.multiply(rows, pairs, c, pairs, panel,
                                      p.y + fibre / p.inner * p.y_outer + k * p.y_row + fibre % p.inner, p.y_row,
                                      p.accumulate);
                    continue;
                }
                const auto each_row_run = [&](auto visit) {
                    each_fibre_run(
                        p.inner, fibre, used, [&](std::size_t o, std::size_t i, std::size_t l, std::size_t count) {
                            for (std::size_t r = 0; r < rows; ++r) {
                                visit(p.y + o * p.y_outer + (k + r) * p.y_row + i, sums + r * width + l, count);
                            }
                        });
                };
                if (p.accumulate) {
                    each_row_run(
                        [](const std::int32_t* y, std::int32_t* to, std::size_t count) { std::copy_n(y, count, to); });
                }
                m_kernel.multiply(rows, pairs, c, pairs, panel, sums, width, p.accumulate);
                each_row_run(
                    [](std::int32_t* y, const std::int32_t* from, std::size_t count) { std::copy_n(from, count, y); });
            }
        }
    }
}

// ---- vectors along the matrix, for fibres that are contiguous ----

void int8_product::multiply_fibres(const product& p, const int8_terms& prepared, const int8_rounding& rounding)
{
    const std::size_t columns = p.terms->columns;
    const std::size_t height = m_kernel.tile_rows;
    const std::size_t width = m_kernel.tile_columns;
    const std::size_t pairs = prepared.pairs();
    std::int32_t* const operands = at_line(m_operands, fibres_at_once * pairs);
    std::int32_t* const sums = at_line(m_sums, height * width);
    for (std::size_t first = 0; first < p.outer; first += fibres_at_once) {
        const std::size_t fibres = std::min(fibres_at_once, p.outer - first);
        for (std::size_t f = 0; f < fibres; ++f) {
            m_kernel.narrow_fibre(rounding, p.x + (first + f) * p.x_outer, p.rows, operands + f * pairs,
                                  m_nonzeros.data(), m_saturated.data());
        }
        for (std::size_t j = 0; j < columns; j += width) {
            const std::int32_t* panel = prepared.words() + j * pairs;
            const std::size_t used = std::min(width, columns - j);
            for (std::size_t f = 0; f < fibres; f += height) {
                const auto rows = static_cast<unsigned>(std::min(height, fibres - f));
                const std::int32_t* x = operands + f * pairs;
                std::int32_t* y = p.y + (first + f) * p.y_outer + j;
                if (used == width) {
                    m_kernel.multiply(rows, pairs, x, pairs, panel, y, p.y_outer, p.accumulate);
                    continue;
                }
                for (std::size_t r = 0; p.accumulate && r < rows; ++r) {
                    std::copy_n(y + r * p.y_outer, used, sums + r * width);
                }
                m_kernel.multiply(rows, pairs, x, pairs, panel, sums, width, p.accumulate);
                for (std::size_t r = 0; r < rows; ++r) { std::copy_n(sums + r * width, used, y + r * p.y_outer); }
            }
        }
    }
}

} // namespace tensorloom::arithmetic
