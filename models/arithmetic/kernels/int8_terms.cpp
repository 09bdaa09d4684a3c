#include <tensorloom/models/arithmetic/kernels/int8_terms.h>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tensorloom/models/arithmetic/cache_line.h>

namespace tensorloom::arithmetic {

namespace {

std::int32_t word(std::int32_t first, std::int32_t second)
{
    return static_cast<std::int32_t>((static_cast<std::uint32_t>(second) << 16) |
                                     (static_cast<std::uint32_t>(first) & 0xffffu));
}

} // namespace

void int8_terms::gather(const product_term* terms, std::size_t count, std::size_t columns, std::size_t rows,
                        bool fibres, const int8_kernel& kernel)
{
    m_gathered.count = count;
    m_gathered.columns = columns;
    gather_rows(terms);
    measure_room();
    m_paired_by_row = fibres && pair_by_row(rows, kernel);
    if (!m_paired_by_row) { pair_by_term(); }
}

void int8_terms::gather_rows(const product_term* terms)
{
    auto& g = m_gathered;
    g.rows.resize(g.count);
    g.planes.resize(g.plane());
    g.nonzeros = 0;
    for (std::size_t t = 0; t < g.count; ++t) {
        g.rows[t] = terms[t].row;
        g.nonzeros += terms[t].nonzeros;
        std::transform(terms[t].coefficients, terms[t].coefficients + g.columns, g.planes.data() + t * g.columns,
                       [](unsigned char c) { return static_cast<std::int8_t>(c); });
    }
    g.sort_rows();
    std::vector<bool> named(g.distinct.empty() ? 0 : g.distinct.back() + 1, false);
    m_names_first.resize(g.count);
    for (std::size_t t = 0; t < g.count; ++t) {
        m_names_first[t] = !named[g.rows[t]];
        named[g.rows[t]] = true;
    }
}

void int8_terms::measure_room()
{
    const auto& g = m_gathered;
    m_room.assign(g.columns, std::numeric_limits<std::int32_t>::max());
    for (std::size_t t = 0; t < g.count; ++t) {
        for (std::size_t k = 0; k < g.columns; ++k) {
            m_room[k] -= std::int64_t{128} * std::abs(std::int64_t{g.row(0, t)[k]});
        }
    }
    m_least_room = m_room.empty() ? 0 : *std::min_element(m_room.begin(), m_room.end());
}

/// False when a row is named so often that its coefficients together do not fit.
bool int8_terms::pair_by_row(std::size_t rows, const int8_kernel& kernel)
{
    const auto& g = m_gathered;
    const std::size_t width = kernel.tile_columns;
    m_pairs = (rows + 1) / 2;
    m_by_row.assign(2 * m_pairs * g.columns, 0);
    for (std::size_t t = 0; t < g.count; ++t) {
        for (std::size_t k = 0; k < g.columns; ++k) { m_by_row[g.rows[t] * g.columns + k] += g.row(0, t)[k]; }
    }
    constexpr std::int32_t low = std::numeric_limits<std::int16_t>::min();
    constexpr std::int32_t high = std::numeric_limits<std::int16_t>::max();
    const auto fits = [](std::int32_t c) { return c >= low && c <= high; };
    if (!std::all_of(m_by_row.begin(), m_by_row.end(), fits)) { return false; }
    const std::size_t words = (g.columns + width - 1) / width * width * m_pairs;
    m_words = at_line(m_storage, words);
    std::fill_n(m_words, words, 0);
    for (std::size_t t = 0; t < m_pairs; ++t) {
        for (std::size_t k = 0; k < g.columns; ++k) {
            m_words[(k / width * m_pairs + t) * width + k % width] =
                word(m_by_row[2 * t * g.columns + k], m_by_row[(2 * t + 1) * g.columns + k]);
        }
    }
    return true;
}

void int8_terms::pair_by_term()
{
    const auto& g = m_gathered;
    m_pairs = (g.count + 1) / 2;
    m_words = at_line(m_storage, g.columns * m_pairs);
    for (std::size_t t = 0; t < m_pairs; ++t) {
        const std::int32_t* first = g.row(0, 2 * t);
        const std::int32_t* second = 2 * t + 1 < g.count ? g.row(0, 2 * t + 1) : nullptr;
        for (std::size_t k = 0; k < g.columns; ++k) {
            m_words[k * m_pairs + t] = word(first[k], second == nullptr ? 0 : second[k]);
        }
    }
}

} // namespace tensorloom::arithmetic
