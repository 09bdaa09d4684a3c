#include <tensorloom/models/arithmetic/kernels/dense_product.h>
#include <cstring>
#include <tensorloom/models/arithmetic/cache_line.h>

namespace tensorloom::arithmetic {

namespace {

// Operands that are not packed are read from where they are, in rows this many bytes apart at most: farther apart, they
// meet in few sets of a cache.
constexpr std::size_t direct_bytes = 32 * 1024;

constexpr std::size_t fewest_tiles = 4;      // below each other, that pay for bringing their sums to several slabs
constexpr std::size_t most_tiles_beside = 2; // of several slabs: operands and sums stay in the first-level cache

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

std::ptrdiff_t distance(std::size_t elements) { return static_cast<std::ptrdiff_t>(elements); }

/// What all tiles of a product have in common.
struct tile_shape {
    std::size_t height; ///< the last tile of a panel may be lower
    std::size_t terms;
    bool accumulate;
};

/// The first tile of a panel of `width` columns.
template <class R>
gemm_tiles<R> tiles_of(const tile_shape& shape, std::size_t width, const typename gemm_tiles<R>::left_factor& a,
                       const typename gemm_tiles<R>::right_factor& b, const typename gemm_tiles<R>::sums& c,
                       const typename gemm_tiles<R>::fetch& ahead)
{
    gemm_tiles<R> tiles;
    tiles.rows = shape.height;
    tiles.columns = width;
    tiles.terms = shape.terms;
    tiles.a = a;
    tiles.b = b;
    tiles.c = c;
    tiles.accumulate = shape.accumulate;
    tiles.ahead = ahead;
    return tiles;
}

/// Some slabs of a product, or some of its fibres, where these are contiguous.
template <class R> plane_product<R> some_slabs(const plane_product<R>& p, std::size_t first, std::size_t count)
{
    plane_product<R> slabs = p;
    slabs.outer = count;
    slabs.x += first * p.x_outer;
    slabs.y += first * p.y_outer;
    if (first + count < p.outer) { slabs.x_ahead = slabs.x + count * p.x_outer; }
    return slabs;
}

} // namespace

panels even_panels(std::size_t n, std::size_t most, std::size_t unit)
{
    panels cut;
    cut.total = n;
    cut.count = (n + most - 1) / most;
    const std::size_t units = (n + unit - 1) / unit;
    if (cut.count > 0) { cut.width = (units + cut.count - 1) / cut.count * unit; }
    cut.count = (n + cut.width - 1) / cut.width;
    return cut;
}

template <class R> bool multiply_tiles(const gemm_kernel<R>& kernel, gemm_tiles<R>&& tiles, std::size_t rows)
{
    const std::size_t height = tiles.rows;
    const std::size_t whole = rows / height;
    bool finite = true;
    if (whole > 0) {
        tiles.count = whole;
        finite = kernel.multiply(tiles);
        tiles.count = 1;
        tiles.a.at += distance(whole) * tiles.a.tile;
        tiles.c.at += distance(whole * height) * tiles.c.row;
        tiles.ahead.at += distance(whole) * tiles.ahead.tile;
        tiles.ahead.tiles -= std::min(tiles.ahead.tiles, whole);
    }
    tiles.rows = rows % height;
    return (tiles.rows == 0 || kernel.multiply(tiles)) && finite;
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
            const std::size_t first = m_cut.begin(i);
            const std::size_t width = m_cut.size(i);
            const std::size_t apart = step(width);
            R* to = m_packed + place(out, i);
            for (std::size_t t = 0; t < terms.count; ++t) {
                for (unsigned part = 0; part < parts; ++part, to += apart) {
                    copy_few(terms.row(coefficient_plane(out, part), t) + first, width, to);
                }
            }
        }
    }
}

template <class R> typename gemm_tiles<R>::left_factor packed_coefficients<R>::tiles(unsigned out) const
{
    return {m_packed + place(out, 0), 1, distance(m_cut.width), distance(m_cut.width * m_terms)};
}

template <class R>
typename gemm_tiles<R>::right_factor packed_coefficients<R>::panel(unsigned out, std::size_t index) const
{
    return {m_packed + place(out, index), distance(step(m_cut.size(index)))};
}

template <class R>
bool dense_product<R>::run(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                           std::uint64_t* nonzeros)
{
    const std::ptrdiff_t spacing = p.parts == 1 ? constant_step(p.terms->rows) : 0;
    if (p.contiguous_fibres()) { return multiply_fibres(p, coefficients, spacing, nonzeros); }
    const std::size_t together = slabs_together(p, coefficients, spacing);
    bool finite = true;
    for (std::size_t o = 0; o < p.outer; o += together) {
        const plane_product<R> slabs = some_slabs(p, o, std::min(together, p.outer - o));
        if (slabs.outer > 1) {
            finite &= multiply_slabs(slabs, coefficients, spacing, nonzeros);
        } else if (spacing != 0) {
            finite &= multiply_even_rows(slabs, coefficients, spacing, nonzeros);
        } else {
            finite &= multiply_uneven_rows(slabs, coefficients, nonzeros);
        }
    }
    return finite;
}

// Contiguous fibres: a set of them that stays in the first-level cache times one panel of coefficients after the other.
// Packed ones are done tile by tile.
template <class R>
bool dense_product<R>::multiply_fibres(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                                       std::ptrdiff_t spacing, std::uint64_t* nonzeros)
{
    const std::size_t height = even_panels(p.outer, m_kernel.tile_rows, 1).width;
    const std::size_t tile_bytes = height * std::max<std::size_t>(1, p.x_outer) * p.parts * sizeof(R);
    const std::size_t set = height * (spacing == 0 ? 1 : std::max<std::size_t>(1, set_bytes / tile_bytes));
    m_counts.assign(p.rows, 0);
    bool finite = true;
    for (std::size_t first = 0; first < p.outer; first += set) {
        const plane_product<R> fibres = some_slabs(p, first, std::min(set, p.outer - first));
        finite &= multiply_some_fibres(fibres, coefficients, spacing, height);
    }
    for (const std::uint32_t row : p.terms->distinct) { nonzeros[row] += m_counts[row]; }
    return finite;
}

template <class R>
bool dense_product<R>::multiply_some_fibres(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                                            std::ptrdiff_t spacing, std::size_t height)
{
    const std::size_t imaginary = p.parts == 1 ? 0 : p.x_part; // a real operand is looked at twice instead
    m_kernel.count_columns(p.x, p.x + imaginary, p.x_outer, p.outer, p.rows, m_counts.data());
    left_factor a{p.x + first_row(p.terms->rows), distance(p.x_outer), spacing};
    if (spacing == 0) { a = pack_fibres(p); }
    a.tile = distance(height) * a.row;
    const tile_shape shape{height, p.terms->count * p.parts, p.accumulate};
    // The tiles of the first panel fetch the next set.
    const fetch nothing{p.x};
    const fetch next_set =
        p.x_ahead == nullptr ? nothing : fetch{p.x_ahead, distance(m_kernel.tile_rows), a.tile, p.outer};

    const panels& cut = coefficients.cut();
    bool finite = true;
    for (unsigned out = 0; out < p.parts; ++out) {
        for (std::size_t j = 0; j < cut.count; ++j) {
            R* const sums = p.y + out * p.y_part + cut.begin(j);
            const fetch& next = out == 0 && j == 0 ? next_set : nothing;
            finite &= multiply_tiles(
                m_kernel,
                tiles_of<R>(shape, cut.size(j), a, coefficients.panel(out, j), {sums, distance(p.y_outer)}, next),
                p.outer);
        }
    }
    return finite;
}

// Fibres side by side, term by term.
template <class R> typename gemm_tiles<R>::left_factor dense_product<R>::pack_fibres(const plane_product<R>& p)
{
    const auto& rows = p.terms->rows;
    R* const packed = at_line(m_operands, p.outer * rows.size() * p.parts);
    for (std::size_t r = 0; r < p.outer; ++r) {
        for (unsigned part = 0; part < p.parts; ++part) {
            const R* from = p.x + part * p.x_part + r * p.x_outer;
            R* to = packed + part * p.outer + r;
            for (std::size_t t = 0; t < rows.size(); ++t) { to[t * p.parts * p.outer] = from[rows[t]]; }
        }
    }
    return {packed, 1, distance(p.outer)};
}

template <class R> std::size_t dense_product<R>::whole_vectors(std::size_t columns) const
{
    return (columns + m_kernel.vector_columns - 1) / m_kernel.vector_columns * m_kernel.vector_columns;
}

// How many slabs are worth multiplying side by side: their rows leave fewer columns of a tile unused than those of one.
template <class R>
std::size_t dense_product<R>::slabs_together(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                                             std::ptrdiff_t spacing) const
{
    if (spacing == 0 || p.accumulate || coefficients.cut().count < fewest_tiles) { return 1; }
    const auto vectors = [&](std::size_t slabs) { return whole_vectors(slabs * p.inner) / m_kernel.vector_columns; };
    const std::size_t most = std::min(most_tiles_beside * m_kernel.tile_columns / p.inner, p.outer);
    std::size_t best = 1;
    for (std::size_t slabs = 2; slabs <= most; ++slabs) {
        if (vectors(slabs) * best < vectors(best) * slabs) { best = slabs; }
    }
    return 4 * vectors(best) <= 3 * best * vectors(1) ? best : 1; // what packing costs
}

// The rows of some slabs side by side. The first tile of each counts and packs; sums of the others are brought to their
// slabs afterwards.
template <class R>
bool dense_product<R>::multiply_slabs(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                                      std::ptrdiff_t spacing, std::uint64_t* nonzeros)
{
    const std::size_t first = first_row(p.terms->rows);
    const std::size_t terms = p.terms->rows.size();
    const std::size_t height = coefficients.cut().width;
    const std::size_t sums_below = p.terms->columns - height; // the first tile, in a column
    const std::size_t step = whole_vectors(p.outer * p.inner);
    R* const packed = at_line(m_operands, step * terms);
    R* const sums = at_line(m_sums, step * sums_below);
    const std::ptrdiff_t x_step = spacing * distance(p.x_row);
    const tile_shape shape{height, terms, false};
    left_factor a = coefficients.tiles(0);

    bool finite = true;
    for (std::size_t o = 0; o < p.outer; ++o) {
        const R* const x = p.x + o * p.x_outer;
        const fetch next = p.x_ahead == nullptr ? fetch{x} : fetch{p.x_ahead + o * p.x_outer, x_step, 0, 1};
        auto tile = tiles_of<R>(shape, p.inner, a, {x + first * p.x_row, x_step},
                                {p.y + o * p.y_outer, distance(p.y_row)}, next);
        tile.scanned = {nonzeros + first, spacing, packed + o * p.inner, distance(step)};
        finite &= m_kernel.multiply(tile);
    }
    a.at += a.tile;
    const panels cut = even_panels(p.outer * p.inner, m_kernel.tile_columns, m_kernel.vector_columns);
    for (std::size_t j = 0; j < cut.count; ++j) {
        const right_factor b{packed + cut.begin(j), distance(step)};
        finite &= multiply_tiles(m_kernel,
                                 tiles_of<R>(shape, cut.size(j), a, b, {sums + cut.begin(j), distance(step)}, {packed}),
                                 sums_below);
    }
    for (std::size_t o = 0; o < p.outer; ++o) {
        for (std::size_t k = 0; k < sums_below; ++k) {
            copy_few(sums + k * step + o * p.inner, p.inner, p.y + o * p.y_outer + (height + k) * p.y_row);
        }
    }
    return finite;
}

// A slab whose rows are evenly spaced: a panel's first tile reads them where they are and counts; it packs them for the
// other tiles, too, where there are others and rows are far apart.
template <class R>
bool dense_product<R>::multiply_even_rows(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                                          std::ptrdiff_t spacing, std::uint64_t* nonzeros)
{
    if (p.terms->columns == 0) { return true; }
    constexpr std::size_t line = cache_line / sizeof(R);
    const std::size_t first = first_row(p.terms->rows);
    const std::size_t terms = p.terms->rows.size();
    const panels cut = even_panels(p.inner, m_kernel.tile_columns, m_kernel.vector_columns);
    const bool packs = coefficients.cut().count > 1 && p.rows * p.x_row * sizeof(R) > direct_bytes;
    R* const all_packed = packs ? at_line(m_operands, cut.count * cut.width * terms) : nullptr;
    const std::ptrdiff_t x_step = spacing * distance(p.x_row);
    const std::ptrdiff_t y_row = distance(p.y_row);
    const tile_shape shape{coefficients.cut().width, terms, p.accumulate};
    const left_factor a = coefficients.tiles(0);
    const left_factor a_below{a.at + a.tile, a.row, a.step, a.tile}; // the first tile

    bool finite = true;
    for (std::size_t j = 0; j < cut.count; ++j) {
        const std::size_t width = cut.size(j);
        const std::size_t at = first * p.x_row + cut.begin(j);
        const right_factor in_place{p.x + at, x_step};
        R* const packed = packs ? all_packed + cut.begin(j) * terms : nullptr;
        const std::ptrdiff_t packed_step = distance(whole_vectors(width));
        R* const sums = p.y + cut.begin(j);
        // The first tiles fetch what comes next, a line of each row.
        const bool fetches = p.x_ahead != nullptr;
        const R* const next = fetches ? p.x_ahead + at : p.x;
        const std::size_t lines = fetches ? (width + line - 1) / line : 0;

        auto tile = tiles_of<R>(shape, width, a, in_place, {sums, y_row}, {next, x_step, 0, lines});
        tile.scanned = {nonzeros + first, spacing, packed, packed_step};
        finite &= m_kernel.multiply(tile);
        const fetch next_lines{next + line, x_step, distance(line), lines - std::min<std::size_t>(lines, 1)};
        finite &=
            multiply_tiles(m_kernel,
                           tiles_of<R>(shape, width, a_below, packs ? right_factor{packed, packed_step} : in_place,
                                       {sums + shape.height * p.y_row, y_row}, next_lines),
                           p.terms->columns - shape.height);
    }
    return finite;
}

// A slab whose rows are not evenly spaced or have two parts: they are counted, and packed panel by panel, first.
template <class R>
bool dense_product<R>::multiply_uneven_rows(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                                            std::uint64_t* nonzeros)
{
    const std::size_t imaginary = p.parts == 1 ? 0 : p.x_part;
    const auto& distinct = p.terms->distinct;
    m_kernel.count_rows(p.x, p.x + imaginary, p.x_row, distinct.data(), distinct.size(), p.inner, nonzeros);
    const tile_shape shape{coefficients.cut().width, p.terms->count * p.parts, p.accumulate};
    const panels cut = even_panels(p.inner, m_kernel.tile_columns, m_kernel.vector_columns);
    const R* const packed = pack_rows(p, cut);

    bool finite = true;
    for (unsigned out = 0; out < p.parts; ++out) {
        for (std::size_t j = 0; j < cut.count; ++j) {
            R* const sums = p.y + out * p.y_part + cut.begin(j);
            const R* const rows = packed + cut.begin(j) * shape.terms;
            finite &= multiply_tiles(m_kernel,
                                     tiles_of<R>(shape, cut.size(j), coefficients.tiles(out),
                                                 {rows, distance(whole_vectors(cut.size(j)))},
                                                 {sums, distance(p.y_row)}, {packed}),
                                     p.terms->columns);
        }
    }
    return finite;
}

// Rows of x, panel by panel.
template <class R> const R* dense_product<R>::pack_rows(const plane_product<R>& p, const panels& cut)
{
    R* const packed = at_line(m_operands, cut.count * cut.width * p.terms->count * p.parts);
    R* to = packed;
    for (std::size_t j = 0; j < cut.count; ++j) {
        const std::size_t width = cut.size(j);
        const std::size_t apart = whole_vectors(width);
        for (const std::uint32_t row : p.terms->rows) {
            for (unsigned part = 0; part < p.parts; ++part, to += apart) {
                copy_few(p.x + part * p.x_part + row * p.x_row + cut.begin(j), width, to);
            }
        }
    }
    return packed;
}

template bool multiply_tiles(const gemm_kernel<double>&, gemm_tiles<double>&&, std::size_t);
template bool multiply_tiles(const gemm_kernel<float>&, gemm_tiles<float>&&, std::size_t);
template class packed_coefficients<double>;
template class packed_coefficients<float>;
template class dense_product<double>;
template class dense_product<float>;

} // namespace tensorloom::arithmetic
