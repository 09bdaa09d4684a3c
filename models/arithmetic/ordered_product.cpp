#include <tensorloom/models/arithmetic/ordered_product.h>
#include <algorithm>
#include <stdexcept>
#include <utility>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/kernels/ordered_kernel.h>

namespace tensorloom::arithmetic {

namespace {

/// Columns of b that are used by so many tiles are worth being put side by side, even where each row of them is
/// contiguous.
constexpr std::size_t tiles_worth_packing = 4;

std::ptrdiff_t times(std::size_t index, std::ptrdiff_t stride) { return static_cast<std::ptrdiff_t>(index) * stride; }

/// Rough time of a term in vector operations, with vectors along `columns`: multiply-adds, and putting columns side by
/// side one by one.
std::size_t cost(std::size_t rows, std::size_t columns, std::ptrdiff_t column_stride, std::size_t vector_columns)
{
    return rows * ((columns + vector_columns - 1) / vector_columns) + (column_stride == 1 ? 0 : columns / 2);
}

/// The same product with rows and columns swapped; the factors of a multiply-add may be.
template <class Problem> Problem transposed(Problem p)
{
    std::swap(p.rows, p.columns);
    std::swap(p.a, p.b);
    std::swap(p.a_row, p.b_column);
    std::swap(p.a_term, p.b_term);
    std::swap(p.y_row, p.y_column);
    return p;
}

unsigned levels_of(std::size_t parts)
{
    unsigned levels = 0;
    while (std::size_t{1} << levels < parts) { ++levels; }
    return levels;
}

/// to[t * width + j] = b[t * term + j * column]
void pack(const float* b, std::ptrdiff_t term, std::ptrdiff_t column, std::size_t terms, std::size_t columns,
          std::size_t width, float* to)
{
    if (column == 1) {
        for (std::size_t t = 0; t < terms; ++t) { std::copy_n(b + times(t, term), columns, to + t * width); }
        return;
    }
    for (std::size_t j = 0; j < columns; ++j) {
        const float* from = b + times(j, column);
        for (std::size_t t = 0; t < terms; ++t) { to[t * width + j] = from[times(t, term)]; }
    }
}

} // namespace

template <class Psum> ordered_product<Psum>::ordered_product() : m_kernel(&best_kernel<ordered_kernel<Psum>>()) {}

template <class Psum>
ordered_product<Psum>::ordered_product(const std::string& instructions)
    : m_kernel(&kernel_named<ordered_kernel<Psum>>(instructions))
{}

template <class Psum> void ordered_product<Psum>::run(const problem& asked)
{
    if (asked.length == 0 || asked.parts == 0 || asked.parts > max_parts || (asked.parts & (asked.parts - 1)) != 0) {
        throw std::invalid_argument("an ordered product has chains of at least 1 term and 1, 2, 4, ... 64 parts");
    }
    static_assert(std::size_t{1} << ordered_tile::max_levels == max_parts, "a kernel has as many levels as trees");
    const ordered_kernel<Psum>& kernel = *m_kernel;
    const bool swaps = cost(asked.columns, asked.rows, asked.a_row, kernel.vector_columns) <
                       cost(asked.rows, asked.columns, asked.b_column, kernel.vector_columns);
    const problem p = swaps ? transposed(asked) : asked;
    const bool packs = p.b_column != 1 || p.rows > tiles_worth_packing * kernel.tile_rows;
    const bool gathers = p.y_column != 1;
    if (packs && m_panel.size() < p.terms * kernel.tile_columns) { m_panel.resize(p.terms * kernel.tile_columns); }
    if (gathers) { m_tile.resize(kernel.tile_rows * kernel.tile_columns); }

    ordered_tile tile;
    tile.terms = p.terms;
    tile.length = p.length;
    tile.levels = levels_of(p.parts);
    tile.a_row = p.a_row;
    tile.a_term = p.a_term;
    tile.accumulate = p.accumulate;
    for (std::size_t j = 0; j < p.columns; j += kernel.tile_columns) {
        tile.columns = std::min(kernel.tile_columns, p.columns - j);
        tile.b = p.b + times(j, p.b_column);
        tile.b_term = p.b_term;
        if (packs) {
            pack(tile.b, p.b_term, p.b_column, p.terms, tile.columns, kernel.tile_columns, m_panel.data());
            tile.b = m_panel.data();
            tile.b_term = static_cast<std::ptrdiff_t>(kernel.tile_columns);
        }
        for (std::size_t i = 0; i < p.rows; i += kernel.tile_rows) {
            tile.rows = std::min(kernel.tile_rows, p.rows - i);
            tile.a = p.a + times(i, p.a_row);
            float* const y = p.y + times(i, p.y_row) + times(j, p.y_column);
            if (!gathers) {
                tile.y = y;
                tile.y_row = p.y_row;
                kernel.multiply(tile);
                continue;
            }
            tile.y = m_tile.data();
            tile.y_row = static_cast<std::ptrdiff_t>(kernel.tile_columns);
            const auto each = [&](auto move) {
                for (std::size_t r = 0; r < tile.rows; ++r) {
                    for (std::size_t c = 0; c < tile.columns; ++c) {
                        move(m_tile[r * kernel.tile_columns + c], y[times(r, p.y_row) + times(c, p.y_column)]);
                    }
                }
            };
            if (p.accumulate) {
                each([](float& in_tile, const float& in_place) { in_tile = in_place; });
            }
            kernel.multiply(tile);
            each([](const float& in_tile, float& in_place) { in_place = in_tile; });
        }
    }
}

template class ordered_product<psum_f32>;
template class ordered_product<psum_bf16>;

} // namespace tensorloom::arithmetic
