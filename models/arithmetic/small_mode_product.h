#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/arithmetic/number_format.h>

namespace tensorloom::arithmetic {

template <class R> struct gemm_kernel;

/// Product of a small dense tensor with a small dense matrix along one mode, without the set-up that is worthwhile for
/// large ones (mode_product.h):
///
///     y[o,k,i] (+)= sum over n = 0, 1, ... of x[o,n,i] c[n,k]
///
/// in that order, one multiply-add per term (arithmetic/mac.h), zeros too: the bits are those of a scalar loop, for
/// every kernel. NaN is canonical.
///
/// Tensors and the matrix are in C order; complex ones have all real parts first, then the imaginary parts. Number:
/// double, float, complex of both; bfloat16 is multiplied as the equal floats.
template <class Number> struct small_mode_problem {
    using real = typename number_format<Number>::real;

    std::size_t outer = 0;
    std::size_t rows = 0; ///< of x along the summed mode
    std::size_t inner = 0;
    std::size_t columns = 0; ///< of y along the summed mode
    const real* x = nullptr; ///< outer x rows x inner
    const real* c = nullptr; ///< rows x columns
    bool transposed = false; ///< c is columns x rows, and its transpose is used,
    bool conjugated = true;  ///< conjugated
    real* y = nullptr;       ///< outer x columns x inner; disjoint from x and c
    bool accumulate = false; ///< y contains sums; otherwise it is overwritten, starting from +0
};

template <class Number> class small_mode_product {
public:
    using real = typename number_format<Number>::real;
    using problem = small_mode_problem<Number>;
    static constexpr unsigned parts = number_format<Number>::parts;

    small_mode_product();
    /// Uses the kernel of one instruction set, "portable", "avx2" or "avx512", which this machine must support (for
    /// tests).
    explicit small_mode_product(const std::string& instructions);

    ~small_mode_product();
    small_mode_product(small_mode_product&&) noexcept;
    small_mode_product& operator=(small_mode_product&&) noexcept;

    void run(const problem& p);

private:
    struct tiling; // many products of the same sizes follow each other

    const real* coefficients(const problem& p, unsigned out);
    bool multiply_fibres(const problem& p);
    bool multiply_rows(const problem& p);
    bool multiply_packed(const problem& p, std::size_t slabs, const real* c, const real* x, real* y);

    const gemm_kernel<real>* m_kernel;
    std::unique_ptr<tiling> m_tiling;
    std::vector<real> m_coefficients, m_operands, m_sums; // packed
};

/// The same of integers, whose sums wrap; in a scalar loop.
template <> class small_mode_product<std::int32_t> {
public:
    using real = std::int32_t;
    using problem = small_mode_problem<std::int32_t>;

    /// Returns the number of multiply-adds whose exact sum leaves 32 bits.
    std::uint64_t run(const problem& p);
};

} // namespace tensorloom::arithmetic
