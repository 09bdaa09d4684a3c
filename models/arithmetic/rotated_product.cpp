#include <tensorloom/models/arithmetic/rotated_product.h>
#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>
#include <tensorloom/models/arithmetic/cache_line.h>
#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding.h>
#include <tensorloom/models/arithmetic/kernels/dense_product.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/kernels/product_blocks.h>
#include <tensorloom/models/arithmetic/kernels/worker_pool.h>

namespace tensorloom::arithmetic {

namespace {

// Contiguous fibres are copied and multiplied together: this many bytes stay in the caches.
constexpr std::size_t set_bytes = 64 * 1024;

std::ptrdiff_t signed_of(std::size_t elements) { return static_cast<std::ptrdiff_t>(elements); }
std::size_t rounded_up(std::size_t n, std::size_t unit) { return (n + unit - 1) / unit * unit; }

/// For rows so short that calling a function to copy them takes longer than copying.
template <class R> void copy_row(const R* from, std::size_t n, R* to)
{
    constexpr std::size_t few = 4;
    std::size_t k = 0;
    for (; k + few <= n; k += few) { std::memcpy(to + k, from + k, few * sizeof(R)); }
    for (; k < n; ++k) { to[k] = from[k]; }
}

/// Memory layout of a tensor with an outer, a summed and an inner mode.
struct tensor_strides {
    std::size_t outer, inner, summed, plane;
};
tensor_strides strides_of(const std::array<std::size_t, 3>& size, unsigned summed)
{
    const std::array<std::size_t, 3> stride{size[1] * size[2], size[2], 1};
    const std::size_t plane = size[0] * stride[0];
    return {stride[summed == 0 ? 1 : 0], stride[summed == 2 ? 1 : 2], stride[summed], plane};
}

} // namespace

/// The rotation is free: operands and coefficients are packed twice in sequence, in the order of steps, and a block of
/// sums starts at its first block. The fibres of one class, whose blocks have the same sum of advances, start at the
/// same places and are multiplied together: as columns of a kernel's tile, or, where they are contiguous, as its rows.
template <class Element> struct rotated_product<Element>::machinery {
    machinery(unsigned threads, const gemm_kernel<real>& kernel, const bfloat16_rounding& rounding)
        : m_kernel(kernel), m_rounding(rounding), m_pool(threads), m_workers(threads)
    {}

    void run(const problem& p);

private:
    using tiles = gemm_tiles<real>;
    using left_factor = typename tiles::left_factor;
    using right_factor = typename tiles::right_factor;
    /// Where the fibres of one outer index begin.
    struct fibre_place {
        const real* x;
        real* y;
    };
    struct worker {
        std::vector<real> operands, sums;
        std::vector<fibre_place> places;
    };
    /// Some fibres of one class that are multiplied together: of each of some outer indices as many inner ones.
    struct fibre_group {
        std::size_t outer, count; // outer indices
        std::size_t width;        // inner indices of each
        std::size_t in_block;     // the first of these, in its block
        std::size_t group;        // class
    };

    void pack_coefficients();
    void pack_turn(unsigned out, std::size_t block, const panels& cut, real* to) const;
    fibre_group group_at(std::size_t item) const;
    fibre_place place_of(const fibre_group& g, std::size_t outer) const;
    std::size_t first_position(const fibre_group& g, std::size_t block) const;
    std::size_t block_at(std::size_t position) const
    {
        return m_p.ascending || position == 0 ? position : m_p.blocks - position;
    }
    void take(const real* from, std::size_t n, real* to) const;
    std::size_t pack_columns(const std::vector<fibre_place>& places, std::size_t width, real* to) const;
    std::size_t pack_rows(const std::vector<fibre_place>& places, std::size_t width, real* to) const;
    void multiply(const fibre_group& g, worker& w, const real* next) const;
    template <class Move>
    void each_row_of_sums(const std::vector<fibre_place>& places, std::size_t width, std::size_t from, real* sums,
                          std::size_t step, const Move& move) const;

    const gemm_kernel<real>& m_kernel;
    const bfloat16_rounding& m_rounding; // of bfloat16 only
    worker_pool m_pool;
    std::vector<worker> m_workers;
    std::vector<real> m_storage;

    // Of the running product.
    problem m_p;
    tensor_strides m_x{}, m_y{};
    bool m_by_rows = false; // fibres are rows of tiles
    std::size_t m_outer = 0, m_inner_block = 0;
    std::array<std::size_t, 2> m_advance{}; // of outer and inner mode
    std::size_t m_outer_block = 0;
    std::size_t m_terms = 0;    // of a whole turn, real ones
    std::size_t m_turns = 1;    // that are packed
    std::size_t m_together = 1; // outer indices in a group
    panels m_inner_cut;         // of a block of the inner mode
    panels m_made_cut;          // of a block of results
    const real* m_packed = nullptr;
};

template <class Element> void rotated_product<Element>::machinery::run(const problem& p)
{
    m_p = p;
    const unsigned outer = p.mode == 0 ? 1 : 0, inner = p.mode == 2 ? 1 : 2;
    std::array<std::size_t, 3> size{};
    for (unsigned m = 0; m < 3; ++m) { size[m] = p.blocks * p.block[m]; }
    m_x = strides_of(size, p.mode);
    size[p.mode] = p.blocks * p.made;
    m_y = strides_of(size, p.mode);
    m_by_rows = p.mode == 2;
    m_outer = size[outer];
    m_outer_block = p.block[outer];
    m_inner_block = p.block[inner];
    m_advance = {p.advance[outer], p.advance[inner]};
    m_terms = p.blocks * p.block[p.mode] * parts;
    m_turns = p.blocks == 1 ? 1 : 2;
    if (m_by_rows) {
        const std::size_t rows = std::max<std::size_t>(1, set_bytes / sizeof(real) / (m_turns * m_terms));
        m_inner_cut = even_panels(m_inner_block, rounded_up(rows, m_kernel.tile_rows), m_kernel.tile_rows);
        m_together = std::max<std::size_t>(1, m_kernel.tile_rows / m_inner_block);
        m_made_cut = even_panels(p.made, m_kernel.tile_columns, m_kernel.vector_columns);
    } else {
        m_inner_cut = even_panels(m_inner_block, m_kernel.tile_columns, m_kernel.vector_columns);
        m_together = std::max<std::size_t>(1, m_kernel.tile_columns / m_inner_block);
        m_made_cut = even_panels(p.made, m_kernel.tile_rows, 1);
    }
    m_together = std::min(m_together, m_outer);
    pack_coefficients();

    const std::size_t items = (m_outer + m_together - 1) / m_together * p.blocks * m_inner_cut.count;
    const auto work_on = [&](unsigned w, std::size_t item) {
        const real* const next = item + 1 < items ? place_of(group_at(item + 1), group_at(item + 1).outer).x : nullptr;
        multiply(group_at(item), m_workers[w], next);
    };
    const double macs = static_cast<double>(m_y.plane) * static_cast<double>(m_terms);
    if (m_pool.workers() > 1 && macs >= shared_macs) {
        m_pool.run(items, work_on);
    } else {
        for (std::size_t item = 0; item < items; ++item) { work_on(0, item); }
    }
}

// Part `out` of the results of a block: tile by tile, or panel by panel, all terms in the order of steps, once for each
// turn.
template <class Element> void rotated_product<Element>::machinery::pack_coefficients()
{
    const std::size_t block = m_made_cut.count * m_made_cut.width * m_turns * m_terms;
    real* const packed = at_line(m_storage, parts * m_p.blocks * block);
    for (unsigned out = 0; out < parts; ++out) {
        for (std::size_t b = 0; b < m_p.blocks; ++b) {
            pack_turn(out, b, m_made_cut, packed + (out * m_p.blocks + b) * block);
        }
    }
    m_packed = packed;
}

template <class Element>
void rotated_product<Element>::machinery::pack_turn(unsigned out, std::size_t block, const panels& cut, real* to) const
{
    const std::size_t depth = m_p.block[m_p.mode];
    const std::size_t columns = m_p.blocks * m_p.made;
    for (std::size_t i = 0; i < cut.count; ++i) {
        const Element* const first = m_p.coefficients + block * m_p.made + cut.begin(i);
        const std::size_t turn = m_terms * cut.width;
        real* at = to + i * m_turns * turn;
        for (std::size_t position = 0; position < m_p.blocks; ++position) {
            for (std::size_t j = 0; j < depth; ++j, at += parts * cut.width) {
                const Element* const row = first + (block_at(position) * depth + j) * columns;
                for (std::size_t k = 0; k < cut.size(i); ++k) {
                    if constexpr (parts == 2) {
                        at[k] = out == 0 ? row[k].real() : row[k].imag();
                        at[cut.width + k] = out == 0 ? -row[k].imag() : row[k].real();
                    } else {
                        at[k] = widened(row[k]);
                    }
                }
            }
        }
        if (m_turns == 2) { std::copy_n(at - turn, turn, at); }
    }
}

template <class Element>
typename rotated_product<Element>::machinery::fibre_group
rotated_product<Element>::machinery::group_at(std::size_t item) const
{
    const std::size_t cut = item % m_inner_cut.count;
    const std::size_t group = item / m_inner_cut.count % m_p.blocks;
    const std::size_t outer = item / m_inner_cut.count / m_p.blocks * m_together;
    return {outer, std::min(m_together, m_outer - outer), m_inner_cut.size(cut), m_inner_cut.begin(cut), group};
}

// Of a group's fibres, at one of its outer indices.
template <class Element>
typename rotated_product<Element>::machinery::fibre_place
rotated_product<Element>::machinery::place_of(const fibre_group& g, std::size_t outer) const
{
    const std::size_t missing = g.group + m_p.blocks - m_advance[0] * (outer / m_outer_block) % m_p.blocks;
    const std::size_t block = m_advance[1] * missing % m_p.blocks; // 1 and -1 are their own inverses
    const std::size_t inner = block * m_inner_block + g.in_block;
    return {m_p.x + outer * m_x.outer + inner * m_x.inner, m_p.y + outer * m_y.outer + inner * m_y.inner};
}

// Where, in the order of steps, a block of a group's results begins.
template <class Element>
std::size_t rotated_product<Element>::machinery::first_position(const fibre_group& g, std::size_t block) const
{
    return block_at((g.group + m_p.advance[m_p.mode] * block) % m_p.blocks);
}

// Sums that become operands.
template <class Element> void rotated_product<Element>::machinery::take(const real* from, std::size_t n, real* to) const
{
    if constexpr (std::is_same_v<Element, bfloat16>) {
        m_rounding.round(from, to, n, -1);
    } else {
        copy_row(from, n, to);
    }
}

// Fibres side by side, term by term. Returns elements from one term to the next.
template <class Element>
std::size_t rotated_product<Element>::machinery::pack_columns(const std::vector<fibre_place>& places, std::size_t width,
                                                              real* to) const
{
    const std::size_t depth = m_p.block[m_p.mode];
    const std::size_t step = rounded_up(places.size() * width, m_kernel.vector_columns);
    for (std::size_t i = 0; i < places.size(); ++i) {
        real* at = to + i * width;
        for (std::size_t position = 0; position < m_p.blocks; ++position) {
            const real* row = places[i].x + block_at(position) * depth * m_x.summed;
            for (std::size_t j = 0; j < depth; ++j, row += m_x.summed) {
                for (unsigned part = 0; part < parts; ++part, at += step) { take(row + part * m_x.plane, width, at); }
            }
        }
    }
    if (m_turns == 2) { std::copy_n(to, m_terms * step, to + m_terms * step); }
    return step;
}

// Fibres one after the other. Returns elements from one to the next.
template <class Element>
std::size_t rotated_product<Element>::machinery::pack_rows(const std::vector<fibre_place>& places, std::size_t width,
                                                           real* to) const
{
    const std::size_t depth = m_p.block[m_p.mode];
    const std::size_t row = m_turns * m_terms + cache_line / sizeof(real); // rows do not meet in one set of a cache
    for (const auto& place : places) {
        const real* x = place.x;
        for (std::size_t v = 0; v < width; ++v, x += m_x.inner, to += row) {
            real* at = to;
            for (std::size_t position = 0; position < m_p.blocks; ++position) {
                const real* const from = x + block_at(position) * depth;
                if constexpr (parts == 2) {
                    for (std::size_t j = 0; j < depth; ++j, at += 2) {
                        at[0] = from[j];
                        at[1] = from[j + m_x.plane];
                    }
                } else {
                    take(from, depth, at);
                    at += depth;
                }
            }
            if (m_turns == 2) { std::copy_n(to, m_terms, at); }
        }
    }
    return row;
}

// Rows of a block of sums, `from` elements behind the fibres' begin, that lie together in a tile as well as in y:
// move(in the tile, in y, how many).
template <class Element>
template <class Move>
void rotated_product<Element>::machinery::each_row_of_sums(const std::vector<fibre_place>& places, std::size_t width,
                                                           std::size_t from, real* sums, std::size_t step,
                                                           const Move& move) const
{
    for (std::size_t i = 0; i < places.size(); ++i) {
        real* const y = places[i].y + from;
        if (m_by_rows) {
            for (std::size_t v = 0; v < width; ++v) {
                move(sums + (i * width + v) * step, y + v * m_y.inner, m_p.made);
            }
        } else {
            for (std::size_t k = 0; k < m_p.made; ++k) { move(sums + k * step + i * width, y + k * m_y.summed, width); }
        }
    }
}

// `next`: data to read next, if any; the first tiles prefetch it.
template <class Element>
void rotated_product<Element>::machinery::multiply(const fibre_group& g, worker& w, const real* next) const
{
    // (1) Pack the fibres of the group, by rows or by columns.
    constexpr std::size_t line = cache_line / sizeof(real);
    const std::size_t fibres = g.count * g.width;
    const std::size_t depth = m_p.block[m_p.mode] * parts;
    const std::size_t most = m_by_rows ? fibres * (m_turns * m_terms + line)
                                       : m_turns * m_terms * rounded_up(fibres, m_kernel.vector_columns);
    real* const operands = at_line(w.operands, most);
    w.places.clear();
    for (std::size_t i = 0; i < g.count; ++i) { w.places.push_back(place_of(g, g.outer + i)); }
    const std::size_t step =
        m_by_rows ? pack_rows(w.places, g.width, operands) : pack_columns(w.places, g.width, operands);
    // (2) Sums go to their place directly where the group has one piece, otherwise through a buffer.
    const bool direct = g.count == 1;
    const std::size_t sums_row = rounded_up(m_by_rows ? m_p.made : fibres, m_kernel.vector_columns);
    real* const sums = direct ? nullptr : at_line(w.sums, sums_row * (m_by_rows ? fibres : m_p.made));
    const std::size_t height = m_by_rows ? even_panels(fibres, m_kernel.tile_rows, 1).width : m_made_cut.width;

    // (3) Cache lines to prefetch for the next call, one per term of a tile.
    typename tiles::fetch ahead{operands};
    if (next != nullptr && parts == 1) {
        ahead.at = next;
        ahead.step = signed_of(m_by_rows ? line : m_x.summed);
        ahead.tile = signed_of(m_by_rows ? line * m_terms : direct ? line : m_x.outer);
        ahead.tiles = m_by_rows ? (fibres + line - 1) / line : direct ? (g.width + line - 1) / line : g.count;
    }

    // (4) For each part and block: load sums, multiply, store sums.
    for (unsigned out = 0; out < parts; ++out) {
        for (std::size_t block = 0; block < m_p.blocks; ++block) {
            const std::size_t skipped = first_position(g, block) * depth; // terms
            const real* const packed =
                m_packed + (out * m_p.blocks + block) * m_made_cut.count * m_made_cut.width * m_turns * m_terms;
            const std::size_t from = out * m_y.plane + block * m_p.made * m_y.summed;
            real* const c = direct ? w.places[0].y + from : sums;
            const auto each_row = [&](const auto& move) {
                each_row_of_sums(w.places, g.width, from, sums, sums_row, move);
            };
            if (!direct && m_p.accumulate) {
                each_row([](real* tile, const real* y, std::size_t n) { copy_row(y, n, tile); });
            }
            bool finite = true;
            const auto multiplied = [&](const auto& a, const auto& b, real* to, std::ptrdiff_t row, std::size_t rows,
                                        std::size_t columns) {
                // Written in place: copying just written data stalls.
                finite &= multiply_tiles(
                    m_kernel, tiles{1, height, columns, m_terms, a, b, {to, row}, {}, m_p.accumulate, ahead}, rows);
                const std::size_t done = std::min(ahead.tiles, (rows + height - 1) / height);
                ahead.tiles -= done;
                ahead.at = ahead.tiles == 0 ? operands : ahead.at + signed_of(done) * ahead.tile;
            };
            if (m_by_rows) {
                const left_factor fibre_rows{operands + skipped, signed_of(step), 1, signed_of(height * step)};
                for (std::size_t i = 0; i < m_made_cut.count; ++i) {
                    const right_factor panel{packed + (i * m_turns * m_terms + skipped) * m_made_cut.width,
                                             signed_of(m_made_cut.width)};
                    multiplied(fibre_rows, panel, c + m_made_cut.begin(i), signed_of(direct ? m_y.inner : sums_row),
                               fibres, m_made_cut.size(i));
                }
            } else {
                const left_factor coefficients{packed + skipped * height, 1, signed_of(height),
                                               signed_of(m_turns * m_terms * height)};
                const right_factor fibre_columns{operands + skipped * step, signed_of(step)};
                multiplied(coefficients, fibre_columns, c, signed_of(direct ? m_y.summed : sums_row), m_p.made, fibres);
            }
            if (!direct) {
                each_row([](const real* tile, real* y, std::size_t n) { copy_row(tile, n, y); });
            }
            // (5) Replace NaN results by the canonical NaN.
            if (!finite) {
                each_row([](const real*, real* y, std::size_t n) {
                    for (std::size_t k = 0; k < n; ++k) {
                        if (y[k] != y[k]) { y[k] = std::numeric_limits<real>::quiet_NaN(); }
                    }
                });
            }
        }
    }
}

template <class Element>
rotated_product<Element>::rotated_product(unsigned threads)
    : m_machinery(
          std::make_unique<machinery>(threads, best_kernel<gemm_kernel<real>>(), best_kernel<bfloat16_rounding>()))
{}

template <class Element>
rotated_product<Element>::rotated_product(unsigned threads, const std::string& instructions)
    : m_machinery(std::make_unique<machinery>(threads, kernel_named<gemm_kernel<real>>(instructions),
                                              kernel_named<bfloat16_rounding>(instructions)))
{}

template <class Element> rotated_product<Element>::~rotated_product() = default;

template <class Element> void rotated_product<Element>::run(const problem& p) { m_machinery->run(p); }

template class rotated_product<double>;
template class rotated_product<float>;
template class rotated_product<std::complex<double>>;
template class rotated_product<std::complex<float>>;
template class rotated_product<bfloat16>;

} // namespace tensorloom::arithmetic
