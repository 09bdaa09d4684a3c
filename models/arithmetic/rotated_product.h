#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/arithmetic/mode_product.h>
#include <tensorloom/models/arithmetic/number_format.h>

namespace tensorloom::arithmetic {

/// Product of a tensor with a matrix along one mode, with the same number of blocks along every mode. Each block of
/// sums takes the blocks of the summed mode in its own rotated order. For the last mode:
///
///     y[i0,i1,k] (+)= sum over t < blocks, j < depth of x[i0,i1,n] c[n,k]
///         n = depth (first + step t mod blocks) + j
///
/// with t, then j ascending, one multiply-add each (arithmetic/mac.h), zeros too. `first` is linear in the indices of
/// y's block: the sum over the modes m of advance[m] times the index along m. An operand is a sum rounded to an
/// element. NaN is canonical. The bits are those of a scalar loop, for every kernel and number of threads.
///
/// Tensors are in C order; elements are accumulators; complex tensors have all real parts first, then, in a second
/// plane, the imaginary parts. Element: double, float, complex of both, bfloat16.
template <class Element> struct rotated_problem {
    using real = typename number_format<Element>::real;

    std::size_t blocks = 1;                    ///< along each mode, at least 1
    std::array<std::size_t, 3> block{1, 1, 1}; ///< elements of a block of x along each mode, at least 1
    unsigned mode = 2;                         ///< the summed mode, 0 to 2
    std::size_t made = 1;                      ///< elements of a block of y along it, at least 1
    std::array<std::size_t, 3> advance{};      ///< each 1 or -1 modulo `blocks`
    bool ascending = true;                     ///< step 1; otherwise -1
    const real* x = nullptr;
    const Element* coefficients = nullptr; ///< c, row by row
    real* y = nullptr;                     ///< does not overlap x
    bool accumulate = false;               ///< y contains sums; otherwise it is overwritten, starting from +0
};

template <class Element> class rotated_product {
public:
    using real = typename number_format<Element>::real;
    using problem = rotated_problem<Element>;
    static constexpr unsigned parts = number_format<Element>::parts;

    /// Uses at most `threads` threads, 1 or more; they wait without spinning.
    explicit rotated_product(unsigned threads = 1);
    /// Uses the kernels of one instruction set, "portable", "avx2" or "avx512", which this machine must support (for
    /// tests).
    rotated_product(unsigned threads, const std::string& instructions);
    ~rotated_product();

    void run(const problem& p);

private:
    struct machinery;
    std::unique_ptr<machinery> m_machinery;
};

/// The same of int8: x contains elements, sums have 32 bits and wrap.
template <> class rotated_product<std::int8_t> {
public:
    using real = std::int32_t;
    using problem = rotated_problem<std::int8_t>;

    explicit rotated_product(unsigned threads = 1) : m_in_range(threads) {}

    /// Adds to overflowed[t], t < blocks, the multiply-adds of step t whose exact sum leaves 32 bits.
    void run(const problem& p, std::uint64_t* overflowed);

private:
    void run_in_range(const problem& p);

    mode_product<std::int8_t> m_in_range; // where no sum can overflow, the order does not matter
    std::vector<product_term> m_terms;
    std::vector<product_counts> m_counts;
};

} // namespace tensorloom::arithmetic
