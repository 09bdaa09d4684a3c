#include <tensorloom/models/arithmetic/ordered_product.h>
#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/kernels/ordered_kernel.h>

namespace tensorloom::arithmetic {

namespace {

/// With this many tiles it is worthwhile to pack columns of b side by side, even where each row of them is contiguous.
constexpr std::size_t tiles_worth_packing = 4;

/// Rough time of a product with vectors along `columns`, in vector operations: multiply-adds, and putting columns of b
/// side by side and those of y where they belong.
template <class Problem> std::size_t cost(const Problem& p, std::size_t vector_columns)
{
    const std::size_t vectors = (p.columns + vector_columns - 1) / vector_columns;
    const auto apart = [&](const index_offsets& columns) {
        return columns.together() < vector_columns ? p.columns / columns.together() : 0;
    };
    return p.terms * (p.rows * vectors + apart(p.b_column)) + p.rows * apart(p.y_column);
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

/// Columns of every tile are side by side.
bool are_side_by_side(const index_offsets& columns, std::size_t tile_columns)
{
    const std::size_t together = columns.together();
    return together == offset_table::all_together || together % tile_columns == 0;
}

/// visit(column, how many) for columns that are side by side, of `count` from `first` on, a constant of 1, 2, 4, ...
/// 32 each time.
template <class Visit>
void for_each_piece(const index_offsets& columns, std::size_t first, std::size_t count, const Visit& visit)
{
    std::size_t piece = std::min(columns.together(), std::size_t{32});
    while (first % piece != 0) { piece /= 2; }
    for (std::size_t j = 0; j < count; j += piece) {
        while (piece > count - j) { piece /= 2; }
        switch (piece) {
        case 1: visit(j, std::integral_constant<std::size_t, 1>{}); break;
        case 2: visit(j, std::integral_constant<std::size_t, 2>{}); break;
        case 4: visit(j, std::integral_constant<std::size_t, 4>{}); break;
        case 8: visit(j, std::integral_constant<std::size_t, 8>{}); break;
        case 16: visit(j, std::integral_constant<std::size_t, 16>{}); break;
        default: visit(j, std::integral_constant<std::size_t, 32>{}); break;
        }
    }
}

/// Of `columns` columns from `first` on: to[t * width + j] = b[term[t] + column[first + j]]
void pack(const float* b, const std::ptrdiff_t* term, const index_offsets& column, std::size_t first, std::size_t terms,
          std::size_t columns, std::size_t width, float* to)
{
    for_each_piece(column, first, columns, [&](std::size_t j, auto piece) {
        const float* const from = b + column[first + j];
        for (std::size_t t = 0; t < terms; ++t) {
            std::memcpy(to + t * width + j, from + term[t], piece * sizeof(float));
        }
    });
}

} // namespace

template <class Psum>
ordered_product<Psum>::ordered_product() : ordered_product(best_kernel<ordered_kernel<Psum>>().name)
{}

template <class Psum>
ordered_product<Psum>::ordered_product(const std::string& instructions)
    : m_kernel(&kernel_named<ordered_kernel<Psum>>(instructions)), m_tile(m_kernel->tile_rows * m_kernel->tile_columns)
{
    index_offsets(static_cast<std::ptrdiff_t>(m_kernel->tile_columns)).first(m_kernel->tile_rows, m_tile_rows);
}

template <class Psum> void ordered_product<Psum>::run(const problem& asked)
{
    // (1) Check the problem; transpose it where that is cheaper.
    if (asked.length == 0 || asked.parts == 0 || asked.parts > max_parts || (asked.parts & (asked.parts - 1)) != 0) {
        throw std::invalid_argument("an ordered product has chains of at least 1 term and 1, 2, 4, ... 64 parts");
    }
    static_assert(std::size_t{1} << ordered_tile::max_levels == max_parts, "a kernel has as many levels as trees");
    const ordered_kernel<Psum>& kernel = *m_kernel;
    const problem turned = transposed(asked);
    const problem& p = cost(turned, kernel.vector_columns) < cost(asked, kernel.vector_columns) ? turned : asked;
    // (2) Choose between packing columns of B into a panel or reading them in place, and between gathering and
    // contiguous results.
    const bool packs =
        !are_side_by_side(p.b_column, kernel.tile_columns) || p.rows > tiles_worth_packing * kernel.tile_rows;
    const bool gathers = !are_side_by_side(p.y_column, kernel.tile_columns);
    if (packs && m_panel.size() < p.terms * kernel.tile_columns) {
        m_panel.resize(p.terms * kernel.tile_columns);
        index_offsets(static_cast<std::ptrdiff_t>(kernel.tile_columns)).first(p.terms, m_panel_terms);
    }
    const std::ptrdiff_t* const a_rows = p.a_row.first(p.rows, m_a_rows);
    const std::ptrdiff_t* const b_terms = p.b_term.first(p.terms, m_b_terms);
    const std::ptrdiff_t* const y_rows = p.y_row.first(p.rows, m_y_rows);

    // (3) Fields that all tiles share.
    ordered_tile tile;
    tile.terms = p.terms;
    tile.length = p.length;
    tile.levels = levels_of(p.parts);
    tile.a = p.a;
    tile.a_term = p.a_term.first(p.terms, m_a_terms);
    tile.accumulate = p.accumulate;
    if (p.columns >= kernel.tile_columns) { // only wide tiles ask
        const auto a_step = p.a_term.step();
        const auto b_step = packs ? std::optional(static_cast<std::ptrdiff_t>(kernel.tile_columns)) : p.b_term.step();
        if (a_step && b_step) {
            tile.a_step = *a_step;
            tile.b_step = *b_step;
        }
    }
    // (4) For each panel of columns: pack B. For each tile of rows: load, multiply and store.
    for (std::size_t j = 0; j < p.columns; j += kernel.tile_columns) {
        tile.columns = std::min(kernel.tile_columns, p.columns - j);
        tile.b = p.b + p.b_column[j];
        tile.b_term = b_terms;
        if (packs) {
            pack(p.b, b_terms, p.b_column, j, p.terms, tile.columns, kernel.tile_columns, m_panel.data());
            tile.b = m_panel.data();
            tile.b_term = m_panel_terms.data();
        }
        for (std::size_t i = 0; i < p.rows; i += kernel.tile_rows) {
            tile.rows = std::min(kernel.tile_rows, p.rows - i);
            tile.a_row = a_rows + i;
            if (!gathers) {
                tile.y = p.y + p.y_column[j];
                tile.y_row = y_rows + i;
                kernel.multiply(tile);
                continue;
            }
            tile.y = m_tile.data();
            tile.y_row = m_tile_rows.data();
            const auto each = [&](auto move) {
                for_each_piece(p.y_column, j, tile.columns, [&](std::size_t c, auto piece) {
                    float* const y = p.y + p.y_column[j + c];
                    for (std::size_t r = 0; r < tile.rows; ++r) {
                        move(m_tile.data() + r * kernel.tile_columns + c, y + y_rows[i + r], piece * sizeof(float));
                    }
                });
            };
            if (p.accumulate) {
                each([](float* in_tile, const float* in_place, auto bytes) { std::memcpy(in_tile, in_place, bytes); });
            }
            kernel.multiply(tile);
            each([](const float* in_tile, float* in_place, auto bytes) { std::memcpy(in_place, in_tile, bytes); });
        }
    }
}

template class ordered_product<psum_f32>;
template class ordered_product<psum_bf16>;

} // namespace tensorloom::arithmetic
