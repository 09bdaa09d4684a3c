#include <tensorloom/models/arithmetic/kernels/block_product.h>
#include <algorithm>
#include <cfenv>
#include <cmath>

namespace tensorloom::arithmetic {

namespace {

constexpr unsigned blocks_like_this = 4; // that follow one that dense tiles could not do

template <class R, class Use> void for_each_row_of_sums(const plane_product<R>& p, const Use& use)
{
    for (unsigned part = 0; part < p.parts; ++part) {
        for (std::size_t o = 0; o < p.outer; ++o) {
            R* const at = p.y + part * p.y_part + o * p.y_outer;
            if (p.contiguous_fibres()) {
                use(at, p.terms->columns);
                continue;
            }
            for (std::size_t k = 0; k < p.terms->columns; ++k) { use(at + k * p.y_row, p.inner); }
        }
    }
}

} // namespace

template <class R>
void block_product<R>::run(const plane_product<R>& block, const prepared_terms<R>& terms, std::uint64_t* nonzeros)
{
    const auto& g = terms.gathered();
    if (terms.sparse() || m_blocks_by_lists > 0) {
        m_by_lists.run(block, terms.lists(), nonzeros);
        m_blocks_by_lists -= terms.sparse() ? 0 : 1;
        return;
    }
    const bool minus_zero = block.accumulate && save_sums(block);
    const auto operands = [&] {
        std::uint64_t sum = 0;
        for (const std::uint32_t row : g.distinct) { sum += nonzeros[row]; }
        return sum;
    };
    const std::uint64_t before = operands();
    std::feclearexcept(FE_UNDERFLOW);
    const bool finite = m_dense.run(block, terms.packed(), nonzeros);
    const bool zeros = g.nonzeros != g.plane() || operands() - before != block.fibres() * g.distinct.size();
    const bool underflow = std::fetestexcept(FE_UNDERFLOW) != 0;
    if (finite && !(block.skip_zeros && zeros && (minus_zero || underflow))) { return; }
    if (block.accumulate) { restore_sums(block); }
    m_uncounted.assign(block.rows, 0);
    m_by_lists.run(block, terms.lists(), m_uncounted.data());
    m_blocks_by_lists = blocks_like_this;
}

/// True when there is a -0 among them.
template <class R> bool block_product<R>::save_sums(const plane_product<R>& block)
{
    m_saved.clear();
    for_each_row_of_sums(block, [&](const R* row, std::size_t n) { m_saved.insert(m_saved.end(), row, row + n); });
    return std::any_of(m_saved.begin(), m_saved.end(), [](R y) { return y == R(0) && std::signbit(y); });
}

template <class R> void block_product<R>::restore_sums(const plane_product<R>& block) const
{
    const R* from = m_saved.data();
    for_each_row_of_sums(block, [&](R* row, std::size_t n) {
        std::copy_n(from, n, row);
        from += n;
    });
}

template class block_product<double>;
template class block_product<float>;

} // namespace tensorloom::arithmetic
