#include <tensorloom/models/arithmetic/weighted_rows.h>
#include <algorithm>
#include <type_traits>
#include <vector>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/kernels/weighted_integer_rows.h>
#include <tensorloom/models/arithmetic/kernels/weighted_real_rows.h>

namespace tensorloom::arithmetic {

namespace {

// What a product of some format is made with; each has the functions of weighted_rows.

template <class R> struct real_machinery {
    using kernel = gemm_kernel<R>;

    real_machinery(std::size_t side, const kernel& k) : rows(side, k) {}
    void prepare(const R* weights) { rows.prepare(weights); }
    std::uint64_t run(const R* x, std::ptrdiff_t x_stride, std::size_t n, R* z, std::ptrdiff_t z_stride)
    {
        rows.run(x, x_stride, n, z, z_stride);
        return 0;
    }

    weighted_real_rows<R> rows;
};

/// A complex multiply-add is two real ones per part, of x.re and of x.im, in this order: so rows of (re, im) pairs are
/// rows of reals, times real weights of which R[i][j] makes the block [re im; -im re].
struct complex_machinery {
    using complex = std::complex<double>;
    using kernel = gemm_kernel<double>;

    complex_machinery(std::size_t side, const kernel& k) : m_side(side), rows(2 * side, k) {}
    void prepare(const complex* weights)
    {
        std::vector<double> blocks(4 * m_side * m_side);
        for (std::size_t i = 0; i < m_side; ++i) {
            double* const re = blocks.data() + 2 * i * 2 * m_side; // what x.re multiplies
            double* const im = re + 2 * m_side;
            for (std::size_t j = 0; j < m_side; ++j) {
                const complex& w = weights[i * m_side + j];
                re[2 * j] = w.real();
                re[2 * j + 1] = w.imag();
                im[2 * j] = -w.imag();
                im[2 * j + 1] = w.real();
            }
        }
        rows.prepare(blocks.data());
    }
    std::uint64_t run(const complex* x, std::ptrdiff_t x_stride, std::size_t n, complex* z, std::ptrdiff_t z_stride)
    {
        rows.run(reinterpret_cast<const double*>(x), 2 * x_stride, n, reinterpret_cast<double*>(z), 2 * z_stride);
        return 0;
    }

    std::size_t m_side;
    weighted_real_rows<double> rows;
};

template <class Word> struct integer_machinery {
    using kernel = integer_rows_kernel<Word>;

    integer_machinery(std::size_t side, const kernel& k) : rows(side, k) {}
    void prepare(const Word* weights) { rows.prepare(weights); }
    std::uint64_t run(const Word* x, std::ptrdiff_t x_stride, std::size_t n, Word* z, std::ptrdiff_t z_stride)
    {
        return rows.run(x, x_stride, n, z, z_stride);
    }

    weighted_integer_rows<Word> rows;
};

/// Operands become words first. Rows: of words.
template <class Element, class Kernel, class Rows> struct widening_machinery {
    using word = accumulator_of<Element>;
    using kernel = Kernel;

    widening_machinery(std::size_t side, const kernel& k) : m_side(side), rows(side, k) {}
    void prepare(const Element* weights)
    {
        words.resize(m_side * m_side);
        std::transform(weights, weights + m_side * m_side, words.begin(), [](Element w) { return widened(w); });
        rows.prepare(words.data());
    }
    std::uint64_t run(const Element* x, std::ptrdiff_t x_stride, std::size_t n, word* z, std::ptrdiff_t z_stride)
    {
        constexpr std::size_t rows_at_once = 64; // whose words stay in the first-level cache
        words.resize(std::max(words.size(), std::min(n, rows_at_once) * m_side));
        std::uint64_t overflowed = 0;
        for (std::size_t first = 0; first < n; first += rows_at_once) {
            const std::size_t count = std::min(rows_at_once, n - first);
            for (std::size_t r = 0; r < count; ++r, x += x_stride) {
                std::transform(x, x + m_side, words.data() + r * m_side, [](Element e) { return widened(e); });
            }
            const auto stride = static_cast<std::ptrdiff_t>(m_side);
            if constexpr (std::is_integral_v<word>) {
                overflowed += rows.run(words.data(), stride, count, z, z_stride);
            } else {
                rows.run(words.data(), stride, count, z, z_stride);
            }
            z += static_cast<std::ptrdiff_t>(count) * z_stride;
        }
        return overflowed;
    }

    std::size_t m_side;
    Rows rows;
    std::vector<word> words;
};

} // namespace

template <> struct weighted_rows<double>::machinery : real_machinery<double> {
    using real_machinery::real_machinery;
};
template <> struct weighted_rows<float>::machinery : real_machinery<float> {
    using real_machinery::real_machinery;
};
template <> struct weighted_rows<std::complex<double>>::machinery : complex_machinery {
    using complex_machinery::complex_machinery;
};
template <>
struct weighted_rows<bfloat16>::machinery
    : widening_machinery<bfloat16, gemm_kernel<float>, weighted_real_rows<float>> {
    using widening_machinery::widening_machinery;
};
template <>
struct weighted_rows<float16>::machinery : widening_machinery<float16, gemm_kernel<float>, weighted_real_rows<float>> {
    using widening_machinery::widening_machinery;
};
template <>
struct weighted_rows<std::int8_t>::machinery
    : widening_machinery<std::int8_t, integer_rows_kernel<std::int32_t>, weighted_integer_rows<std::int32_t>> {
    using widening_machinery::widening_machinery;
};
template <> struct weighted_rows<std::int32_t>::machinery : integer_machinery<std::int32_t> {
    using integer_machinery::integer_machinery;
};
template <> struct weighted_rows<std::int64_t>::machinery : integer_machinery<std::int64_t> {
    using integer_machinery::integer_machinery;
};

template <class Element>
weighted_rows<Element>::weighted_rows(std::size_t side)
    : m_machinery(std::make_unique<machinery>(side, best_kernel<typename machinery::kernel>()))
{}
template <class Element>
weighted_rows<Element>::weighted_rows(std::size_t side, const std::string& instructions)
    : m_machinery(std::make_unique<machinery>(side, kernel_named<typename machinery::kernel>(instructions)))
{}
template <class Element> weighted_rows<Element>::~weighted_rows() = default;
template <class Element> weighted_rows<Element>::weighted_rows(weighted_rows&&) noexcept = default;
template <class Element> weighted_rows<Element>& weighted_rows<Element>::operator=(weighted_rows&&) noexcept = default;

template <class Element> void weighted_rows<Element>::prepare(const Element* weights) { m_machinery->prepare(weights); }

template <class Element>
std::uint64_t weighted_rows<Element>::run(const Element* x, std::ptrdiff_t x_stride, std::size_t rows, word* z,
                                          std::ptrdiff_t z_stride)
{
    return m_machinery->run(x, x_stride, rows, z, z_stride);
}

template class weighted_rows<double>;
template class weighted_rows<float>;
template class weighted_rows<std::complex<double>>;
template class weighted_rows<bfloat16>;
template class weighted_rows<float16>;
template class weighted_rows<std::int8_t>;
template class weighted_rows<std::int32_t>;
template class weighted_rows<std::int64_t>;

} // namespace tensorloom::arithmetic
