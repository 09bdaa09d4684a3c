#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/arithmetic/number_format.h>

namespace tensorloom::arithmetic {

/// One time-step of a stage: the streamed row of the coefficient matrix, and the slice of the tensor that it
/// multiplies.
struct product_term {
    const unsigned char* coefficients = nullptr; ///< bytes of `columns` elements, any alignment
    std::uint32_t row = 0;                       ///< index of the pivots along the summed mode
    std::uint32_t nonzeros = 0;                  ///< coefficients that are not exactly zero
};

/// Counts of the pivots of one time-step.
struct product_counts {
    std::uint64_t operands = 0;   ///< pivots that do not count as zero; all of them without skip_zeros
    std::uint64_t saturated = 0;  ///< pivots whose sum saturated when it became an operand (int8)
    std::uint64_t overflowed = 0; ///< multiply-adds whose exact sum left the accumulator's range (int8; the sum wraps)
};

/// Product of a tensor with a matrix along one mode:
///
///     y[o,k,i] (+)= sum over t of narrowed(x[o, row_t, i], shift) c_t[k]      t = 0, 1, 2, ...
///
/// in that order, one multiply-add per term (arithmetic/mac.h), never split: the bits are those of a scalar loop, for
/// every kernel, sparsity and number of threads. With skip_zeros a term with a zero factor is skipped, not added.
///
/// Tensors are in C order, x of outer x rows x inner elements, y of outer x columns x inner. Elements are accumulators;
/// complex tensors have all real parts first, then, in a second plane, the imaginary parts.
///
/// Choices that affect only the speed are made here: dense tiles, or lists of the non-zero coefficients of a sparse
/// matrix, with masked operands where multiplying by zero would differ from skipping (-0 after an underflow,
/// infinities, NaN; NaN is always canonical). Element: double, float, complex of both, bfloat16, int8_t.
template <class Element> class mode_product {
public:
    using real = typename number_format<Element>::real;
    static constexpr unsigned parts = number_format<Element>::parts;

    struct problem {
        std::size_t outer = 0;
        std::size_t rows = 0; ///< of x along the summed mode; a term's row lies below
        std::size_t inner = 0;
        std::size_t columns = 0; ///< of y along the summed mode
        const real* x = nullptr;
        real* y = nullptr;
        bool accumulate = false;   ///< y contains sums; otherwise it is overwritten, starting from +0
        bool skip_zeros = true;    ///< ESOP
        double zero_threshold = 0; ///< with skip_zeros: an operand of at most this modulus counts as zero
        unsigned shift = 0;        ///< int8: right shift of a sum that becomes an operand, 0 to 31
        const product_term* terms = nullptr;
        std::size_t term_count = 0;
    };

    /// Uses at most `threads` threads, 1 or more; they wait without spinning.
    explicit mode_product(unsigned threads = 1);
    /// Uses the kernels of one instruction set, "portable", "avx2" or "avx512", which this machine must support (for
    /// tests).
    mode_product(unsigned threads, const std::string& instructions);
    ~mode_product();
    mode_product(mode_product&&) noexcept;
    mode_product& operator=(mode_product&&) noexcept;

    /// counts: term_count entries, overwritten.
    void run(const problem& p, product_counts* counts);

private:
    struct machinery;
    std::unique_ptr<machinery> m_machinery;
};

} // namespace tensorloom::arithmetic
