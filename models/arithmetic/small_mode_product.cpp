#include <tensorloom/models/arithmetic/small_mode_product.h>
#include <algorithm>
#include <complex>
#include <cstring>
#include <limits>
#include <tensorloom/models/arithmetic/cache_line.h>
#include <tensorloom/models/arithmetic/kernels/dense_product.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::arithmetic {

namespace {

std::ptrdiff_t distance(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

// Kernels may give NaNs other than the canonical one.
template <class R> void make_canonical(R* sums, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i) {
        if (sums[i] != sums[i]) { sums[i] = std::numeric_limits<R>::quiet_NaN(); }
    }
}

// For rows too short for a call.
template <class R> void copy_row(const R* from, std::size_t n, R* to)
{
    constexpr std::size_t few = 4;
    std::size_t i = 0;
    for (; i + few <= n; i += few) { std::memcpy(to + i, from + i, few * sizeof(R)); }
    for (; i < n; ++i) { to[i] = from[i]; }
}

} // namespace

// As matrix products, all of which have the same sizes: fibres times coefficients, where the summed mode is the last
// one; otherwise, slab by slab, transposed coefficients times rows of x.
template <class Number> struct small_mode_product<Number>::tiling {
    problem sizes;                    // that it is made for
    std::size_t together = 1;         // slabs whose rows are multiplied side by side
    std::size_t coefficient_step = 0; // from a term's coefficients to the next one's, packed
    panels columns;
    std::size_t whole_rows = 0; // of the left factor, in tiles that are equally high
    gemm_tiles<real> whole, rest;

    bool suits(const problem& p) const
    {
        return p.outer == sizes.outer && p.rows == sizes.rows && p.inner == sizes.inner && p.columns == sizes.columns &&
               p.transposed == sizes.transposed;
    }
    bool packs_coefficients() const { return parts > 1 || (sizes.inner == 1 && sizes.transposed); }
    bool packs_rows() const { return parts > 1 || together > 1; }

    void cut(const problem& p, const gemm_kernel<real>& kernel);
    bool multiply(const gemm_kernel<real>& kernel, const real* a, const real* b, real* c);
};

template <class Number> void small_mode_product<Number>::tiling::cut(const problem& p, const gemm_kernel<real>& kernel)
{
    sizes = p;
    const bool fibres = p.inner == 1;
    const std::size_t vector = kernel.vector_columns;
    // Slabs that are narrower than half a vector leave most of it unused.
    together = fibres || 2 * p.inner > vector ? 1 : std::min(p.outer, kernel.tile_columns / p.inner);
    coefficient_step = fibres ? (p.columns + vector - 1) / vector * vector : p.columns;
    const std::size_t rows = fibres ? p.outer : p.columns;
    const std::size_t width = fibres ? p.columns : together * p.inner;
    columns = even_panels(width, kernel.tile_columns, vector);
    const std::size_t height = even_panels(rows, kernel.tile_rows, 1).width;
    whole = {};
    whole.rows = height;
    whole.count = rows / height;
    whole.terms = p.rows * parts;
    whole.b.step = distance(fibres ? (packs_coefficients() ? coefficient_step : p.columns) : width);
    whole.c.row = distance(width);
    if (fibres) {
        whole.a.row = distance(whole.terms);
        whole.a.step = 1;
    } else {
        const bool down = p.transposed && !packs_coefficients();
        whole.a.row = down ? distance(p.rows) : 1;
        whole.a.step = down ? 1 : distance(p.columns);
    }
    whole.a.tile = distance(height) * whole.a.row;
    whole_rows = whole.count * height;
    rest = whole;
    rest.count = 1;
    rest.rows = rows - whole_rows;
}

// True when every sum is finite.
template <class Number>
bool small_mode_product<Number>::tiling::multiply(const gemm_kernel<real>& kernel, const real* a, const real* b,
                                                  real* c)
{
    bool finite = true;
    for (std::size_t j = 0; j < columns.count; ++j) {
        const std::size_t first = columns.begin(j);
        whole.columns = columns.size(j);
        whole.a.at = a;
        whole.ahead.at = a;
        whole.b.at = b + first;
        whole.c.at = c + first;
        finite &= kernel.multiply(whole);
        if (rest.rows == 0) { continue; }
        rest.columns = whole.columns;
        rest.a.at = a + distance(whole_rows) * rest.a.row;
        rest.ahead.at = rest.a.at;
        rest.b.at = whole.b.at;
        rest.c.at = whole.c.at + distance(whole_rows) * rest.c.row;
        finite &= kernel.multiply(rest);
    }
    return finite;
}

template <class Number>
small_mode_product<Number>::small_mode_product()
    : m_kernel(&best_kernel<gemm_kernel<real>>()), m_tiling(std::make_unique<tiling>())
{}
template <class Number>
small_mode_product<Number>::small_mode_product(const std::string& instructions)
    : m_kernel(&kernel_named<gemm_kernel<real>>(instructions)), m_tiling(std::make_unique<tiling>())
{}
template <class Number> small_mode_product<Number>::~small_mode_product() = default;
template <class Number> small_mode_product<Number>::small_mode_product(small_mode_product&&) noexcept = default;
template <class Number>
small_mode_product<Number>& small_mode_product<Number>::operator=(small_mode_product&&) noexcept = default;

template <class Number> void small_mode_product<Number>::run(const problem& p)
{
    if (!m_tiling->suits(p)) { m_tiling->cut(p, *m_kernel); }
    m_tiling->whole.accumulate = m_tiling->rest.accumulate = p.accumulate;
    const bool finite = p.inner == 1 ? multiply_fibres(p) : multiply_rows(p);
    if (!finite) { make_canonical(p.y, parts * p.outer * p.columns * p.inner); }
}

// Coefficients of one part of the result, as rows of terms with those of all columns. A complex term is two real ones,
// of x.re and of x.im.
template <class Number> auto small_mode_product<Number>::coefficients(const problem& p, unsigned out) -> const real*
{
    if (!m_tiling->packs_coefficients()) { return p.c; }
    const std::size_t step = m_tiling->coefficient_step;
    real* const packed = at_line(m_coefficients, step * p.rows * parts);
    const std::size_t of_row = p.transposed ? 1 : p.columns, of_column = p.transposed ? p.rows : 1;
    for (unsigned part = 0; part < parts; ++part) {
        const bool imaginary = part != out; // re = re re - im im, im = re im + im re
        const bool negative = imaginary && (part == 1) != (p.transposed && p.conjugated);
        const real* const from = p.c + (imaginary ? p.rows * p.columns : 0);
        for (std::size_t n = 0; n < p.rows; ++n) {
            real* const to = packed + (n * parts + part) * step;
            const real* c = from + n * of_row;
            for (std::size_t k = 0; k < p.columns; ++k, c += of_column) { to[k] = negative ? -*c : *c; }
        }
    }
    return packed;
}

template <class Number> bool small_mode_product<Number>::multiply_fibres(const problem& p)
{
    const real* x = p.x;
    if constexpr (parts > 1) {
        real* const pairs = at_line(m_operands, p.outer * p.rows * parts);
        for (std::size_t i = 0; i < p.outer * p.rows; ++i) {
            pairs[2 * i] = p.x[i];
            pairs[2 * i + 1] = p.x[p.outer * p.rows + i];
        }
        x = pairs;
    }
    bool finite = true;
    for (unsigned out = 0; out < parts; ++out) {
        finite &= m_tiling->multiply(*m_kernel, x, coefficients(p, out), p.y + out * p.outer * p.columns);
    }
    return finite;
}

template <class Number> bool small_mode_product<Number>::multiply_rows(const problem& p)
{
    const std::size_t slab = p.rows * p.inner, result = p.columns * p.inner;
    bool finite = true;
    for (unsigned out = 0; out < parts; ++out) {
        const real* const c = coefficients(p, out);
        const real* x = p.x;
        real* y = p.y + out * p.outer * result;
        for (std::size_t o = 0; o < p.outer; o += m_tiling->together) {
            const std::size_t slabs = std::min(m_tiling->together, p.outer - o);
            if (m_tiling->packs_rows()) {
                finite &= multiply_packed(p, slabs, c, x, y);
            } else {
                finite &= m_tiling->multiply(*m_kernel, c, x, y);
            }
            x += slabs * slab;
            y += slabs * result;
        }
    }
    return finite;
}

// Rows of some slabs side by side, term by term; where there are several, so are their sums. Those of slabs that are
// missing are of no account.
template <class Number>
bool small_mode_product<Number>::multiply_packed(const problem& p, std::size_t slabs, const real* c, const real* x,
                                                 real* y)
{
    const std::size_t together = m_tiling->together, width = together * p.inner;
    const std::size_t x_part = p.outer * p.rows * p.inner;
    real* const rows = at_line(m_operands, parts * p.rows * width);
    real* to = rows;
    for (std::size_t n = 0; n < p.rows; ++n) {
        for (unsigned part = 0; part < parts; ++part, to += width) {
            const real* from = x + part * x_part + n * p.inner;
            for (std::size_t s = 0; s < slabs; ++s, from += p.rows * p.inner) {
                copy_row(from, p.inner, to + s * p.inner);
            }
        }
    }
    if (together == 1) { return m_tiling->multiply(*m_kernel, c, rows, y); }
    real* const sums = at_line(m_sums, p.columns * width);
    const auto for_each_row = [&](const auto& visit) {
        for (std::size_t s = 0; s < slabs; ++s) {
            for (std::size_t k = 0; k < p.columns; ++k) {
                visit(y + (s * p.columns + k) * p.inner, sums + k * width + s * p.inner);
            }
        }
    };
    if (p.accumulate) {
        for_each_row([&](const real* row, real* sum) { copy_row(row, p.inner, sum); });
    }
    const bool finite = m_tiling->multiply(*m_kernel, c, rows, sums);
    for_each_row([&](real* row, const real* sum) { copy_row(sum, p.inner, row); });
    return finite;
}

std::uint64_t small_mode_product<std::int32_t>::run(const problem& p)
{
    std::uint64_t overflowed = 0;
    for (std::size_t made = 0; made < p.outer * p.columns * p.inner; ++made) {
        const std::size_t i = made % p.inner, k = made / p.inner % p.columns, o = made / p.inner / p.columns;
        std::int32_t sum = p.accumulate ? p.y[made] : 0;
        for (std::size_t n = 0; n < p.rows; ++n) {
            const std::int32_t x = p.x[(o * p.rows + n) * p.inner + i];
            const std::int32_t c = p.c[p.transposed ? k * p.rows + n : n * p.columns + k];
            overflowed += mac_overflows<std::int32_t>(sum, x, c) ? 1 : 0;
            sum = mac(sum, x, c);
        }
        p.y[made] = sum;
    }
    return overflowed;
}

template class small_mode_product<double>;
template class small_mode_product<float>;
template class small_mode_product<std::complex<double>>;
template class small_mode_product<std::complex<float>>;

} // namespace tensorloom::arithmetic
