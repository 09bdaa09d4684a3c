#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tensorloom/models/arithmetic/number_format.h>

namespace tensorloom::arithmetic {

/// Rows times one stationary square matrix of weights R:
///
///     z[r][j] = sum over i = 0, 1, ..., side-1 of x[r][i] R[i][j]
///
/// from +0 on, one multiply-add per term (arithmetic/mac.h), in that order: the bits are those of a scalar loop, for
/// every kernel. NaN is canonical, integers wrap, and every multiply-add whose exact sum leaves the range of its word
/// is counted. Where a bound of the magnitudes excludes overflow, integers are added without checks.
///
/// Rows are processed in sequence, so z may be x. Element: double, float, complex<double>, bfloat16 and float16 (words:
/// float), int8_t (words: int32_t), int32_t, int64_t.
template <class Element> class weighted_rows {
public:
    using word = accumulator_of<Element>;

    explicit weighted_rows(std::size_t side); ///< 1 to 1024
    /// Uses the kernels of one instruction set, "portable", "avx2" or "avx512", which this machine must support (for
    /// tests).
    weighted_rows(std::size_t side, const std::string& instructions);
    ~weighted_rows();
    weighted_rows(weighted_rows&&) noexcept;
    weighted_rows& operator=(weighted_rows&&) noexcept;

    /// Sets R, side x side, row by row without gaps; all 0 before.
    void prepare(const Element* weights);

    /// Strides: distance between rows, in elements and in words, signed. z is disjoint from x, or x itself (same
    /// stride, word = element). Its rows must not overlap. Returns the number of overflowed multiply-adds.
    std::uint64_t run(const Element* x, std::ptrdiff_t x_stride, std::size_t rows, word* z, std::ptrdiff_t z_stride);

private:
    struct machinery;
    std::unique_ptr<machinery> m_machinery;
};

} // namespace tensorloom::arithmetic
