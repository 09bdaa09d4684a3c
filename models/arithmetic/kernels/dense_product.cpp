#include <tensorloom/models/arithmetic/kernels/dense_product.h>
#include <algorithm>
#include <cstring>
#include <tensorloom/models/arithmetic/cache_line.h>

namespace tensorloom::arithmetic {

namespace {

// Operands that are not packed are read from where they are, in rows this many bytes apart at most: farther apart, they
// meet in few sets of a cache.
constexpr std::size_t direct_bytes = 32 * 1024;

constexpr std::size_t fewest_tiles = 4; // below each other, that pay for bringing their sums to several slabs

// Contiguous fibres that are worked on together: they stay in the first-level cache.
constexpr std::size_t set_bytes = 8 * 1024;

// Plane of the coefficient that multiplies part `term_part` of x into part `result_part` of the sum.
unsigned coefficient_plane(unsigned result_part, unsigned term_part)
{
    if (result_part == 0) { return term_part == 0 ? 0 : 2; }
    return term_part == 0 ? 1 : 0;
}

// Distance between the rows of consecutive terms when it is always the same, otherwise 0.
std::ptrdiff_t constant_step(const std::vector<std::uint32_t>& rows)
{
    if (rows.size() < 2) { return 1; }
    const auto distance = [&](std::size_t t) { return std::ptrdiff_t{rows[t]} - std::ptrdiff_t{rows[t - 1]}; };
    for (std::size_t t = 2; t < rows.size(); ++t) {
        if (distance(t) != distance(1)) { return 0; }
    }
    return distance(1);
}

std::size_t first_row(const std::vector<std::uint32_t>& rows) { return rows.empty() ? 0 : rows.front(); }

// For rows so short that calling a function to copy them takes longer than copying.
template <class R> void copy_few(const R* from, std::size_t n, R* to)
{
    constexpr std::size_t few = 4;
    std::size_t k = 0;
    for (; k + few <= n; k += few) { std::memcpy(to + k, from + k, few * sizeof(R)); }
    for (; k < n; ++k) { to[k] = from[k]; }
}

template <class R> std::size_t whole_vectors(std::size_t columns, const gemm_kernel<R>& kernel)
{
    return (columns + kernel.vector_columns - 1) / kernel.vector_columns * kernel.vector_columns;
}

} // namespace

panels even_panels(std::size_t n, std::size_t most, std::size_t unit)
{
    panels cut;
    cut.count = (n + most - 1) / most;
    const std::size_t units = (n + unit - 1) / unit;
    if (cut.count > 0) { cut.width = (units + cut.count - 1) / cut.count * unit; }
    cut.count = (n + cut.width - 1) / cut.width;
    return cut;
}

template <class R>
void packed_coefficients<R>::pack(const gathered_terms<R>& terms, unsigned parts, bool by_tiles,
                                  const gemm_kernel<R>& kernel)
{
    m_unit = by_tiles ? 1 : kernel.vector_columns;
    m_cut = even_panels(terms.columns, by_tiles ? kernel.tile_rows : kernel.tile_columns, m_unit);
    if (by_tiles) { m_unit = m_cut.width; } // the last tile's terms are as far apart as the others'
    m_terms = terms.count * parts;
    m_part = m_cut.count * m_cut.width * m_terms;
    m_packed = at_line(m_storage, parts * m_part);
    for (unsigned out = 0; out < parts; ++out) {
        for (std::size_t i = 0; i < m_cut.count; ++i) {
            const std::size_t first = i * m_cut.width;
            const std::size_t width = std::min(m_cut.width, terms.columns - first);
            R* to = m_packed + (panel(out, i) - m_packed);
            for (std::size_t t = 0; t < terms.count; ++t) {
                for (unsigned part = 0; part < parts; ++part, to += step(width)) {
                    copy_few(terms.row(coefficient_plane(out, part), t) + first, width, to);
                }
            }
        }
    }
}

template <class R>
bool dense_product<R>::run(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                           std::uint64_t* nonzeros)
{
    if (p.contiguous_fibres()) { return multiply_fibres(p, coefficients, nonzeros); }
    const std::size_t together = slabs_together(p, coefficients);
    plane_product<R> slabs = p;
    bool finite = true;
    for (std::size_t o = 0; o < p.outer; o += slabs.outer) {
        slabs.outer = std::min(together, p.outer - o);
        slabs.x = p.x + o * p.x_outer;
        slabs.y = p.y + o * p.y_outer;
        slabs.x_ahead = o + slabs.outer < p.outer ? slabs.x + slabs.outer * p.x_outer : p.x_ahead;
        finite &= slabs.outer == 1 ? multiply_rows(slabs, coefficients, nonzeros)
                                   : multiply_slabs(slabs, coefficients, nonzeros);
    }
    return finite;
}

// How many slabs are worth multiplying side by side: their rows leave fewer columns of a tile unused than those of one.
template <class R>
std::size_t dense_product<R>::slabs_together(const plane_product<R>& p,
                                             const packed_coefficients<R>& coefficients) const
{
    const std::size_t half = std::max<std::size_t>(1, m_kernel.vector_columns / 2); // what a tile may end with
    const auto halves = [&](std::size_t columns) { return (columns + half - 1) / half; };
    const std::size_t together = std::min(m_kernel.tile_columns / p.inner, p.outer);
    const bool evenly_spaced = p.parts == 1 && constant_step(p.terms->rows) != 0;
    const bool pays = together > 1 && 10 * halves(together * p.inner) < 9 * together * halves(p.inner);
    return pays && evenly_spaced && !p.accumulate && coefficients.cut().count >= fewest_tiles ? together : 1;
}

// The rows of some slabs side by side, in one panel. The first tile of each counts and packs; sums of the others are
// brought to their slabs afterwards.
template <class R>
bool dense_product<R>::multiply_slabs(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                                      std::uint64_t* nonzeros)
{
    const auto& rows = p.terms->rows;
    const std::size_t columns = p.terms->columns;
    const std::size_t height = coefficients.cut().width;
    const std::size_t step = whole_vectors(p.outer * p.inner, m_kernel);
    m_packed = at_line(m_storage, step * rows.size());
    gemm_tiles<R> set;
    set.rows = height;
    set.columns = p.inner;
    set.terms = rows.size();
    set.a = coefficients.panel(0, 0);
    set.a_row = 1;
    set.a_step = static_cast<std::ptrdiff_t>(height);
    set.a_tile = set.a_step * static_cast<std::ptrdiff_t>(set.terms);
    set.b_step = constant_step(rows) * static_cast<std::ptrdiff_t>(p.x_row);
    set.c_row = static_cast<std::ptrdiff_t>(p.y_row);
    set.counts = nonzeros + first_row(rows);
    set.count_step = constant_step(rows);
    set.packed_step = static_cast<std::ptrdiff_t>(step);
    set.ahead_step = set.b_step;
    set.ahead_tiles = p.x_ahead == nullptr ? 0 : 1;
    const R* const ahead = p.x_ahead == nullptr ? p.x : p.x_ahead;
    bool finite = true;
    for (std::size_t o = 0; o < p.outer; ++o) {
        set.b = p.x + o * p.x_outer + first_row(rows) * p.x_row;
        set.packed = m_packed + o * p.inner;
        set.c = p.y + o * p.y_outer;
        set.ahead = ahead + o * p.x_outer;
        finite &= m_kernel.multiply(set);
    }
    R* const sums = at_line(m_sums, step * (columns - height));
    set.columns = p.outer * p.inner;
    set.a += set.a_tile;
    set.b = m_packed;
    set.b_step = set.packed_step;
    set.c = sums;
    set.c_row = set.packed_step;
    set.counts = nullptr;
    set.ahead_tiles = 0;
    finite &= multiply_all(set, height, columns - height);
    for (std::size_t o = 0; o < p.outer; ++o) {
        for (std::size_t k = height; k < columns; ++k) {
            copy_few(sums + (k - height) * step + o * p.inner, p.inner, p.y + o * p.y_outer + k * p.y_row);
        }
    }
    return finite;
}

// A tile of fibres, term by term.
template <class R> void dense_product<R>::pack_fibres(const plane_product<R>& p, std::size_t first, std::size_t height)
{
    const auto& rows = p.terms->rows;
    m_packed = at_line(m_storage, height * rows.size() * p.parts);
    for (std::size_t r = 0; r < height; ++r) {
        for (unsigned part = 0; part < p.parts; ++part) {
            const R* from = p.x + part * p.x_part + (first + r) * p.x_outer;
            R* to = m_packed + part * height + r;
            for (std::size_t t = 0; t < rows.size(); ++t) { to[t * p.parts * height] = from[rows[t]]; }
        }
    }
}

template <class R>
bool dense_product<R>::multiply_fibres(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                                       std::uint64_t* nonzeros)
{
    const std::size_t imaginary = p.parts == 1 ? 0 : p.x_part; // a real operand is looked at twice instead
    m_counts.assign(p.rows, 0);
    const std::ptrdiff_t step = p.parts == 1 ? constant_step(p.terms->rows) : 0;
    const auto& cut = coefficients.cut();
    const panels tiles = even_panels(p.outer, m_kernel.tile_rows, 1);
    // Some tiles are counted at once, and then multiplied with one panel of coefficients after the other; packed ones
    // one by one.
    const std::size_t tile_bytes = tiles.width * std::max<std::size_t>(1, p.x_outer) * p.parts * sizeof(R);
    const std::size_t most = step == 0 ? 1 : std::max<std::size_t>(1, set_bytes / tile_bytes);
    gemm_tiles<R> set;
    set.terms = p.terms->count * p.parts;
    set.accumulate = p.accumulate;
    set.c_row = static_cast<std::ptrdiff_t>(p.y_outer);
    bool finite = true;
    for (std::size_t first = 0; first < p.outer; first += most * tiles.width) {
        const std::size_t fibres = std::min(most * tiles.width, p.outer - first);
        const R* const x = p.x + first * p.x_outer;
        m_kernel.count_columns(x, x + imaginary, p.x_outer, fibres, p.rows, m_counts.data());
        if (step == 0) {
            pack_fibres(p, first, fibres);
            set.a_row = 1;
            set.a_step = static_cast<std::ptrdiff_t>(fibres);
        } else {
            set.a_row = static_cast<std::ptrdiff_t>(p.x_outer);
            set.a_step = step;
        }
        set.a_tile = static_cast<std::ptrdiff_t>(tiles.width) * set.a_row;
        const R* const ahead = first + fibres < p.outer ? x + fibres * p.x_outer : p.x_ahead;
        set.ahead = ahead == nullptr ? x : ahead;
        set.ahead_step = static_cast<std::ptrdiff_t>(m_kernel.tile_rows);
        set.ahead_tile = set.a_tile;
        set.ahead_tiles = ahead == nullptr ? 0 : most;
        for (unsigned out = 0; out < p.parts; ++out) {
            for (std::size_t j = 0; j < cut.count; ++j) {
                set.columns = std::min(cut.width, p.terms->columns - j * cut.width);
                set.b = coefficients.panel(out, j);
                set.b_step = static_cast<std::ptrdiff_t>(coefficients.step(set.columns));
                set.a = step == 0 ? m_packed : x + first_row(p.terms->rows);
                set.c = p.y + out * p.y_part + first * p.y_outer + j * cut.width;
                finite &= multiply_all(set, tiles.width, fibres);
                set.ahead_tiles = 0;
            }
        }
    }
    for (const std::uint32_t row : p.terms->distinct) { nonzeros[row] += m_counts[row]; }
    return finite;
}

// Some rows of a matrix product, in tiles of `height` but for the last. Moves `set` behind the tiles of that height.
template <class R> bool dense_product<R>::multiply_all(gemm_tiles<R>& set, std::size_t height, std::size_t rows) const
{
    bool finite = true;
    set.count = rows / height;
    if (set.count > 0) {
        set.rows = height;
        finite = m_kernel.multiply(set);
        const auto done = static_cast<std::ptrdiff_t>(set.count);
        set.a += done * set.a_tile;
        set.c += done * static_cast<std::ptrdiff_t>(height) * set.c_row;
        set.ahead += done * set.ahead_tile;
        set.ahead_tiles -= std::min(set.ahead_tiles, set.count);
    }
    set.rows = rows % height;
    set.count = 1;
    return (set.rows == 0 || m_kernel.multiply(set)) && finite;
}

// Rows of x, panel by panel.
template <class R> void dense_product<R>::pack_rows(const plane_product<R>& p, const panels& cut)
{
    const auto& rows = p.terms->rows;
    R* to = m_packed;
    for (std::size_t j = 0; j < p.inner; j += cut.width) {
        const std::size_t width = std::min(cut.width, p.inner - j);
        for (const std::uint32_t row : rows) {
            for (unsigned part = 0; part < p.parts; ++part, to += whole_vectors(width, m_kernel)) {
                copy_few(p.x + part * p.x_part + row * p.x_row + j, width, to);
            }
        }
    }
}

template <class R>
bool dense_product<R>::multiply_rows(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                                     std::uint64_t* nonzeros)
{
    const auto& rows = p.terms->rows;
    const auto& tiles = coefficients.cut();
    const panels cut = even_panels(p.inner, m_kernel.tile_columns, m_kernel.vector_columns);
    gemm_tiles<R> set;
    set.terms = p.terms->count * p.parts;
    set.a_row = 1;
    set.a_step = static_cast<std::ptrdiff_t>(tiles.width);
    set.a_tile = set.a_step * static_cast<std::ptrdiff_t>(set.terms);
    set.accumulate = p.accumulate;
    set.c_row = static_cast<std::ptrdiff_t>(p.y_row);
    // Rows that are evenly spaced need no packing, or are packed by the first tile that uses them.
    const std::ptrdiff_t step = p.parts == 1 ? constant_step(rows) : 0;
    const std::ptrdiff_t x_step = step * static_cast<std::ptrdiff_t>(p.x_row);
    const bool direct = step != 0 && (tiles.count == 1 || p.rows * p.x_row * sizeof(R) <= direct_bytes);
    if (!direct) { m_packed = at_line(m_storage, cut.count * cut.width * set.terms); }
    if (step == 0) {
        const std::size_t imaginary = p.parts == 1 ? 0 : p.x_part;
        const auto& distinct = p.terms->distinct;
        m_kernel.count_rows(p.x, p.x + imaginary, p.x_row, distinct.data(), distinct.size(), p.inner, nonzeros);
        pack_rows(p, cut);
    }
    constexpr std::size_t line = cache_line / sizeof(R);
    set.ahead = p.x;
    set.ahead_step = x_step;
    set.ahead_tile = static_cast<std::ptrdiff_t>(line);
    bool finite = true;
    for (unsigned out = 0; out < p.parts; ++out) {
        for (std::size_t j = 0; j < cut.count; ++j) {
            const std::size_t column = j * cut.width;
            set.columns = std::min(cut.width, p.inner - column);
            R* const packed = direct ? nullptr : m_packed + column * set.terms;
            const auto packed_step = static_cast<std::ptrdiff_t>(whole_vectors(set.columns, m_kernel));
            const auto multiply = [&](std::size_t first, std::size_t end) { // some of the tiles
                const std::size_t row = first * tiles.width;
                const std::size_t last = std::min(end * tiles.width, p.terms->columns);
                set.a = coefficients.panel(out, first);
                set.c = p.y + out * p.y_part + row * p.y_row + column;
                finite &= multiply_all(set, tiles.width, last - row);
            };
            // The first tiles fetch, one line of each row; the very first also counts.
            if (p.x_ahead != nullptr) {
                set.ahead = p.x_ahead + first_row(rows) * p.x_row + column;
                set.ahead_tiles = (set.columns + line - 1) / line;
            }
            std::size_t done = 0;
            if (step != 0) {
                set.b = p.x + first_row(rows) * p.x_row + column;
                set.b_step = x_step;
                set.packed = packed;
                set.packed_step = packed_step;
                set.counts = nonzeros + first_row(rows);
                set.count_step = step;
                multiply(0, 1);
                done = 1;
                set.counts = nullptr;
                set.packed = nullptr;
            }
            if (packed != nullptr) {
                set.b = packed;
                set.b_step = packed_step;
            }
            multiply(done, tiles.count);
        }
    }
    return finite;
}

template class packed_coefficients<double>;
template class packed_coefficients<float>;
template class dense_product<double>;
template class dense_product<float>;

} // namespace tensorloom::arithmetic
