#include <tensorloom/models/arithmetic/mode_product.h>
#include <type_traits>
#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding.h>
#include <tensorloom/models/arithmetic/kernels/block_product.h>
#include <tensorloom/models/arithmetic/cache_line.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/kernels/prepared_terms.h>
#include <tensorloom/models/arithmetic/kernels/product_blocks.h>
#include <tensorloom/models/arithmetic/kernels/worker_pool.h>

namespace tensorloom::arithmetic {

namespace {

/// The largest number of a format that is not above a limit.
template <class R> R not_above(double limit)
{
    const R nearest = static_cast<R>(limit);
    return static_cast<double>(nearest) > limit ? std::nextafter(nearest, R(0)) : nearest;
}

/// What a format's products are made with, all of one instruction set.
template <class R> struct kernel_set {
    const gemm_kernel<R>& dense;
    const list_kernel<R>& lists;
    const bfloat16_rounding& rounding; // of bfloat16 only

    static kernel_set best()
    {
        return {best_kernel<gemm_kernel<R>>(), best_kernel<list_kernel<R>>(), best_kernel<bfloat16_rounding>()};
    }
    static kernel_set named(const std::string& instructions)
    {
        return {kernel_named<gemm_kernel<R>>(instructions), kernel_named<list_kernel<R>>(instructions),
                kernel_named<bfloat16_rounding>(instructions)};
    }
};

/// Sums that become operands: n of them, their imaginary parts `from_part` and `to_part` later. Those of at most the
/// threshold's modulus become zero; a negative threshold clears nothing.
template <class R>
void ready_row(R, const kernel_set<R>&, const R* from, std::size_t, R* to, std::size_t, std::size_t n, double threshold)
{
    const R small = not_above<R>(threshold);
    for (std::size_t k = 0; k < n; ++k) { to[k] = std::fabs(from[k]) <= small ? R(0) : from[k]; }
}
void ready_row(bfloat16, const kernel_set<float>& kernels, const float* from, std::size_t, float* to, std::size_t,
               std::size_t n, double threshold)
{
    kernels.rounding.round(from, to, n, not_above<float>(threshold));
}
template <class R>
void ready_row(std::complex<R>, const kernel_set<R>&, const R* from, std::size_t from_part, R* to, std::size_t to_part,
               std::size_t n, double threshold)
{
    for (std::size_t k = 0; k < n; ++k) {
        const bool small = counts_as_zero(std::complex<R>{from[k], from[k + from_part]}, threshold);
        to[k] = small ? R(0) : from[k];
        to[k + to_part] = small ? R(0) : from[k + from_part];
    }
}

} // namespace

/// The floating formats: all of them work on real planes, a block of fibres at a time, so that what a block needs stays
/// in the cache.
template <class Element> struct mode_product<Element>::machinery {
    machinery(unsigned threads, const kernel_set<real>& kernels) : m_kernels(kernels), m_pool(threads)
    {
        for (unsigned w = 0; w < threads; ++w) {
            m_workers.push_back({block_product<real>(kernels.dense, kernels.lists), {}, {}});
        }
    }

    void run(const problem& p, product_counts* counts);

private:
    struct worker {
        block_product<real> product;
        std::vector<real> operands;          // of a block: rounded, small ones cleared
        std::vector<std::uint64_t> nonzeros; // operands, by row
    };

    static bool clears(const problem& p) { return p.skip_zeros && p.zero_threshold > 0; }
    static bool readies(const problem& p) { return !std::is_same_v<Element, accumulator_of<Element>> || clears(p); }
    void ready_operands(const problem& p, plane_product<real>& block, std::vector<real>& operands) const;

    const kernel_set<real> m_kernels;
    worker_pool m_pool;
    std::vector<worker> m_workers;
    prepared_terms<real> m_terms;
};

/// Rounds sums to operands and clears small ones, where that is asked for; then the block reads the copy.
template <class Element>
void mode_product<Element>::machinery::ready_operands(const problem& p, plane_product<real>& block,
                                                      std::vector<real>& operands) const
{
    if (!readies(p)) { return; }
    const double threshold = clears(p) ? p.zero_threshold : -1;
    const std::size_t volume = block.fibres() * block.rows;
    real* to = at_line(operands, volume * parts);
    const bool contiguous = block.contiguous_fibres();
    const std::size_t length = contiguous ? block.rows : block.inner;
    real* row = to;
    for (std::size_t o = 0; o < block.outer; ++o) {
        for (std::size_t n = 0; n < (contiguous ? 1 : block.rows); ++n, row += length) {
            ready_row(Element{}, m_kernels, block.x + o * block.x_outer + n * block.x_row, block.x_part, row, volume,
                      length, threshold);
        }
    }
    block.x = to;
    block.x_outer = block.rows * block.inner;
    block.x_row = block.inner;
    block.x_part = volume;
    block.x_ahead = nullptr;
}

template <class Element> void mode_product<Element>::machinery::run(const problem& p, product_counts* counts)
{
    const auto product = whole_product<Element>(p, m_terms.gathered());
    m_terms.template gather<Element>(p.terms, p.term_count, p.columns, p.skip_zeros, product.contiguous_fibres(),
                                     m_kernels.dense, m_kernels.lists);

    for (auto& w : m_workers) {
        w.nonzeros.assign(p.rows, 0);
        w.product.start();
    }
    // Lists make blocks of their own.
    const std::size_t bytes = m_terms.sparse() && !readies(p) ? any_bytes : block_bytes;
    for_each_block(m_pool, product, bytes, [&](unsigned w, plane_product<real> block) {
        ready_operands(p, block, m_workers[w].operands);
        m_workers[w].product.run(block, m_terms, m_workers[w].nonzeros.data());
    });

    for (std::size_t t = 0; t < p.term_count; ++t) {
        std::uint64_t operands = product.fibres();
        if (p.skip_zeros) {
            operands = 0;
            for (const auto& w : m_workers) { operands += w.nonzeros[p.terms[t].row]; }
        }
        counts[t] = {operands, 0, 0};
    }
}

template <class Element>
mode_product<Element>::mode_product(unsigned threads)
    : m_machinery(std::make_unique<machinery>(threads, kernel_set<real>::best()))
{}

template <class Element>
mode_product<Element>::mode_product(unsigned threads, const std::string& instructions)
    : m_machinery(std::make_unique<machinery>(threads, kernel_set<real>::named(instructions)))
{}

template <class Element> mode_product<Element>::~mode_product() = default;
template <class Element> mode_product<Element>::mode_product(mode_product&&) noexcept = default;
template <class Element> mode_product<Element>& mode_product<Element>::operator=(mode_product&&) noexcept = default;

template <class Element> void mode_product<Element>::run(const problem& p, product_counts* counts)
{
    m_machinery->run(p, counts);
}

template class mode_product<double>;
template class mode_product<float>;
template class mode_product<std::complex<double>>;
template class mode_product<std::complex<float>>;
template class mode_product<bfloat16>;

} // namespace tensorloom::arithmetic
