#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/kernels/dense_product.h>
#include <tensorloom/models/arithmetic/kernels/list_product.h>
#include <tensorloom/models/arithmetic/kernels/plane_product.h>
#include <tensorloom/models/arithmetic/kernels/prepared_terms.h>

namespace tensorloom::arithmetic {

/// Products of some fibres by the fastest suitable kernel, exact in all special cases: one thread's part of a product
/// along one mode.
///
/// Multiplying by a zero differs from skipping it when the sum is -0, given or after an underflow, and with infinities
/// or NaNs, which are visible in the sums. Such a block is computed again by lists, which skip, and so are some
/// following blocks from the start: neighbours often have the same cases.
template <class R> class block_product {
public:
    block_product(const gemm_kernel<R>& dense, const list_kernel<R>& lists) : m_dense(dense), m_by_lists(lists, dense)
    {}

    /// A new product begins.
    void start() { m_blocks_by_lists = 0; }

    /// nonzeros[n] grows by the operands of row n that are not zero, for each row that a term names.
    void run(const plane_product<R>& block, const prepared_terms<R>& terms, std::uint64_t* nonzeros);

private:
    bool save_sums(const plane_product<R>& block);
    void restore_sums(const plane_product<R>& block) const;

    dense_product<R> m_dense;
    list_product<R> m_by_lists;
    unsigned m_blocks_by_lists = 0;         // remaining
    std::vector<R> m_saved;                 // sums before a dense product
    std::vector<std::uint64_t> m_uncounted; // for operands that have been counted already
};

} // namespace tensorloom::arithmetic
