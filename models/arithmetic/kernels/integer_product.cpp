#include <algorithm>
#include <cmath>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/kernels/int8_product.h>
#include <tensorloom/models/arithmetic/kernels/int8_terms.h>
#include <tensorloom/models/arithmetic/mode_product.h>
#include <tensorloom/models/arithmetic/kernels/product_blocks.h>
#include <tensorloom/models/arithmetic/kernels/worker_pool.h>

namespace tensorloom::arithmetic {

namespace {

/// Operands of at most the threshold's magnitude count as zero; without `skips` none does.
std::int32_t largest_zero(bool skips, double threshold)
{
    constexpr double largest_operand = 128;
    return skips ? static_cast<std::int32_t>(std::min(largest_operand, std::floor(threshold))) : -1;
}

} // namespace

/// int8: sums of 32 bits, that wrap and are watched for it; a block of fibres at a time.
template <> struct mode_product<std::int8_t>::machinery {
    machinery(unsigned threads, const int8_kernel& kernel) : m_kernel(kernel), m_pool(threads)
    {
        for (unsigned w = 0; w < threads; ++w) { m_workers.push_back({int8_product(kernel), {}}); }
    }

    void run(const problem& p, product_counts* counts);

private:
    struct worker {
        int8_product product;
        int8_counts counts;
    };

    const int8_kernel& m_kernel;
    worker_pool m_pool;
    std::vector<worker> m_workers;
    int8_terms m_terms;
};

void mode_product<std::int8_t>::machinery::run(const problem& p, product_counts* counts)
{
    const auto product = whole_product<std::int8_t>(p, m_terms.gathered());
    m_terms.gather(p.terms, p.term_count, p.columns, p.rows, product.contiguous_fibres(), m_kernel);
    const int8_rounding rounding{p.shift, largest_zero(p.skip_zeros, p.zero_threshold)};
    for (auto& w : m_workers) {
        w.counts.nonzeros.assign(p.rows, 0);
        w.counts.saturated.assign(p.rows, 0);
        w.counts.overflowed.assign(p.term_count, 0);
    }
    for_each_block(m_pool, product, block_bytes, [&](unsigned w, const plane_product<std::int32_t>& block) {
        m_workers[w].product.run(block, m_terms, rounding, m_workers[w].counts);
    });
    for (std::size_t t = 0; t < p.term_count; ++t) {
        const std::uint32_t row = p.terms[t].row;
        counts[t] = {p.skip_zeros ? 0 : product.fibres(), 0, 0};
        for (const auto& w : m_workers) {
            if (p.skip_zeros) { counts[t].operands += w.counts.nonzeros[row]; }
            counts[t].saturated += w.counts.saturated[row];
            counts[t].overflowed += w.counts.overflowed[t];
        }
    }
}

template <>
mode_product<std::int8_t>::mode_product(unsigned threads)
    : m_machinery(std::make_unique<machinery>(threads, best_kernel<int8_kernel>()))
{}
template <>
mode_product<std::int8_t>::mode_product(unsigned threads, const std::string& instructions)
    : m_machinery(std::make_unique<machinery>(threads, kernel_named<int8_kernel>(instructions)))
{}
template <> mode_product<std::int8_t>::~mode_product() = default;
template <> mode_product<std::int8_t>::mode_product(mode_product&&) noexcept = default;
template <> mode_product<std::int8_t>& mode_product<std::int8_t>::operator=(mode_product&&) noexcept = default;

template <> void mode_product<std::int8_t>::run(const problem& p, product_counts* counts)
{
    m_machinery->run(p, counts);
}

} // namespace tensorloom::arithmetic
