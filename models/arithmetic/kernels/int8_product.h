#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/kernels/int8_kernel.h>
#include <tensorloom/models/arithmetic/kernels/int8_terms.h>
#include <tensorloom/models/arithmetic/kernels/plane_product.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>

namespace tensorloom::arithmetic {

/// Counts of the operands and sums of a product of 8-bit integers. All counts grow.
struct int8_counts {
    std::vector<std::uint64_t> nonzeros;   ///< by row of the tensor
    std::vector<std::uint64_t> saturated;  ///< by row of the tensor
    std::vector<std::uint64_t> overflowed; ///< by term: multiply-adds whose exact sum left 32 bits
};

/// A product of 8-bit integers along one mode with sums of 32 bits, which wrap. x holds sums that are yet to be
/// rounded; coefficients fit 8 bits.
///
/// Sums that wrap may be added in any order, pairs of terms at once. Whether a sum overflows depends on the order,
/// though: where a bound of the sum of magnitudes does not rule it out, the sum is followed term by term.
class int8_product {
public:
    explicit int8_product(const int8_kernel& kernel = best_kernel<int8_kernel>()) : m_kernel(kernel) {}

    /// `terms` was gathered for p and the same kernel. counts: as long as the rows of x and the terms are many.
    void run(const plane_product<std::int32_t>& p, const int8_terms& terms, const int8_rounding& rounding,
             int8_counts& counts);

private:
    using product = plane_product<std::int32_t>;

    void count_overflows(const product& p, const int8_terms& prepared, const int8_rounding& rounding,
                         int8_counts& counts);
    void multiply_lanes(const product& p, const int8_terms& prepared, const int8_rounding& rounding);
    void multiply_fibres(const product& p, const int8_terms& prepared, const int8_rounding& rounding);
    void pack_lanes(const product& p, const int8_terms& prepared, const int8_rounding& rounding, std::size_t first,
                    std::size_t lanes, std::int32_t* words);

    const int8_kernel& m_kernel;

    // scratch, kept between runs
    std::vector<std::int32_t> m_operands;   // words of pairs
    std::vector<std::int32_t> m_sums;       // tiles that have no place of their own in y
    std::vector<std::uint32_t> m_nonzeros;  // by row of x
    std::vector<std::uint32_t> m_saturated; // by row of x
};

} // namespace tensorloom::arithmetic
