#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <tensorloom/models/arithmetic/mode_product.h>
#include <tensorloom/models/arithmetic/kernels/plane_product.h>
#include <tensorloom/models/arithmetic/kernels/worker_pool.h>

namespace tensorloom::arithmetic {

/// A whole product as its kernels see it, operands as they are.
template <class Element>
plane_product<typename mode_product<Element>::real>
whole_product(const typename mode_product<Element>::problem& p,
              const gathered_terms<typename mode_product<Element>::real>& terms)
{
    plane_product<typename mode_product<Element>::real> product;
    product.outer = p.outer;
    product.inner = p.inner;
    product.rows = p.rows;
    product.x = p.x;
    product.x_outer = p.rows * p.inner;
    product.x_row = p.inner;
    product.x_part = p.outer * product.x_outer;
    product.y = p.y;
    product.y_outer = p.columns * p.inner;
    product.y_row = p.inner;
    product.y_part = p.outer * product.y_outer;
    product.parts = mode_product<Element>::parts;
    product.accumulate = p.accumulate;
    product.skip_zeros = p.skip_zeros;
    product.terms = &terms;
    return product;
}

constexpr std::size_t block_bytes = 256 * 1024; // with the sums, well within a common second-level cache
constexpr std::size_t any_bytes = std::numeric_limits<std::size_t>::max(); // cut for the sake of threads only
constexpr std::size_t block_columns = 96;                                  // a multiple of every kernel's tile_columns
constexpr std::size_t block_fibres = 8;                                    // likewise of tile_rows
constexpr std::size_t blocks_per_worker = 4;                               // so that all end at about the same time
constexpr double shared_macs = 1e6; // a smaller product is done sooner than other threads wake up

/// A product cut into blocks: whole slabs (outer indices), or columns of one slab.
struct block_cut {
    std::size_t outer;        // slabs in a block
    std::size_t inner;        // columns in a block
    std::size_t inner_blocks; // per slab
    std::size_t count;
};

template <class R> block_cut cut_into_blocks(const plane_product<R>& p, std::size_t bytes, unsigned workers)
{
    const auto rounded = [](std::size_t n, std::size_t step) { return std::max(step, n / step * step); };
    const std::size_t rows = std::max<std::size_t>(1, p.rows * p.parts);
    std::size_t fibres = bytes / sizeof(R) / rows;
    if (workers > 1) { fibres = std::min(fibres, p.fibres() / (workers * blocks_per_worker)); }
    block_cut cut{1, p.inner, 1, 0};
    if (fibres >= p.inner) {
        cut.outer = p.inner == 1 ? rounded(fibres, block_fibres) : fibres / p.inner;
    } else {
        cut.inner = rounded(fibres, block_columns);
        cut.inner_blocks = (p.inner + cut.inner - 1) / cut.inner;
    }
    cut.outer = std::clamp<std::size_t>(p.outer, 1, cut.outer);
    cut.inner = std::min(p.inner, cut.inner);
    cut.count = (p.outer + cut.outer - 1) / cut.outer * cut.inner_blocks;
    return cut;
}

template <class R> plane_product<R> block_of(const plane_product<R>& p, const block_cut& cut, std::size_t index)
{
    const auto slab = [&](std::size_t block) { return block / cut.inner_blocks * cut.outer; };
    const auto column = [&](std::size_t block) { return block % cut.inner_blocks * cut.inner; };
    const std::size_t o = slab(index);
    const std::size_t i = column(index);
    plane_product<R> block = p;
    block.outer = std::min(cut.outer, p.outer - o);
    block.inner = std::min(cut.inner, p.inner - i);
    block.x += o * p.x_outer + i;
    block.y += o * p.y_outer + i;
    block.x_ahead = index + 1 < cut.count ? p.x + slab(index + 1) * p.x_outer + column(index + 1) : nullptr;
    return block;
}

/// work(worker, block) for every block of a product, of about so many bytes of operands; by all workers of the pool
/// when it is large.
template <class R, class Work>
void for_each_block(worker_pool& pool, const plane_product<R>& p, std::size_t bytes, const Work& work)
{
    const double macs = static_cast<double>(p.fibres()) * static_cast<double>(p.terms->plane());
    const bool shared = pool.workers() > 1 && macs >= shared_macs;
    const block_cut cut = cut_into_blocks(p, bytes, shared ? pool.workers() : 1);
    const auto work_on = [&](unsigned worker, std::size_t index) { work(worker, block_of(p, cut, index)); };
    if (shared) {
        pool.run(cut.count, work_on);
    } else {
        for (std::size_t index = 0; index < cut.count; ++index) { work_on(0, index); }
    }
}

} // namespace tensorloom::arithmetic
