#include <tensorloom/models/arithmetic/small_mode_product.h>
#include <complex>
#include <limits>
#include <tensorloom/models/arithmetic/cache_line.h>
#include <tensorloom/models/arithmetic/kernels/dense_product.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>

namespace tensorloom::arithmetic {

namespace {

std::ptrdiff_t distance(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

// Kernels make NaNs, but not the canonical one.
template <class R> void make_canonical(R* sums, std::size_t n)
{
    for (std::size_t i = 0; i < n; ++i) {
        if (sums[i] != sums[i]) { sums[i] = std::numeric_limits<R>::quiet_NaN(); }
    }
}

} // namespace

template <class Number> small_mode_product<Number>::small_mode_product() : m_kernel(&best_kernel<gemm_kernel<real>>())
{}
template <class Number>
small_mode_product<Number>::small_mode_product(const std::string& instructions)
    : m_kernel(&kernel_named<gemm_kernel<real>>(instructions))
{}

template <class Number> void small_mode_product<Number>::run(const problem& p)
{
    const bool finite = p.inner == 1 ? multiply_fibres(p) : multiply_rows(p);
    if (!finite) { make_canonical(p.y, parts * p.outer * p.columns * p.inner); }
}

// Coefficients as rows of terms, `step` apart, each with those of all columns. A complex term is two real ones, of x.re
// and of x.im; each part `out` of the result has coefficients of its own.
template <class Number>
auto small_mode_product<Number>::packed_coefficients(const problem& p, unsigned out, std::size_t step) -> const real*
{
    real* const packed = at_line(m_coefficients, step * p.rows * parts);
    const std::size_t matrix = p.rows * p.columns;
    const std::size_t of_row = p.adjoint ? 1 : p.columns, of_column = p.adjoint ? p.rows : 1;
    for (unsigned part = 0; part < parts; ++part) {
        const bool imaginary = part != out; // re = re re - im im, im = re im + im re
        const bool negative = imaginary && (part == 1) != p.adjoint;
        const real* const from = p.c + (imaginary ? matrix : 0);
        for (std::size_t n = 0; n < p.rows; ++n) {
            real* const to = packed + (n * parts + part) * step;
            const real* c = from + n * of_row;
            for (std::size_t k = 0; k < p.columns; ++k, c += of_column) { to[k] = negative ? -*c : *c; }
        }
    }
    return packed;
}

// The summed mode is the last one: fibres times coefficients.
template <class Number> bool small_mode_product<Number>::multiply_fibres(const problem& p)
{
    gemm_tiles<real> g;
    g.terms = p.rows * parts;
    g.rows = even_panels(p.outer, m_kernel->tile_rows, 1).width;
    g.accumulate = p.accumulate;
    g.a = {p.x, distance(p.rows), 1, 0};
    if constexpr (parts > 1) {
        real* to = at_line(m_operands, p.outer * g.terms);
        g.a = {to, distance(g.terms), 1, 0};
        for (std::size_t i = 0; i < p.outer * p.rows; ++i) {
            *to++ = p.x[i];
            *to++ = p.x[p.outer * p.rows + i];
        }
    }
    g.a.tile = distance(g.rows) * g.a.row;
    g.ahead.at = g.a.at;
    const panels cut = even_panels(p.columns, m_kernel->tile_columns, m_kernel->vector_columns);
    const bool in_place = parts == 1 && !p.adjoint;
    const std::size_t step =
        in_place ? p.columns
                 : (p.columns + m_kernel->vector_columns - 1) / m_kernel->vector_columns * m_kernel->vector_columns;
    bool finite = true;
    for (unsigned out = 0; out < parts; ++out) {
        const real* const c = in_place ? p.c : packed_coefficients(p, out, step);
        for (std::size_t j = 0; j < cut.count; ++j) {
            g.columns = cut.size(j);
            g.b = {c + cut.begin(j), distance(step)};
            g.c = {p.y + out * p.outer * p.columns + cut.begin(j), distance(p.columns)};
            finite &= multiply_tiles(*m_kernel, gemm_tiles<real>(g), p.outer);
        }
    }
    return finite;
}

// Transposed coefficients times rows of x.
template <class Number> bool small_mode_product<Number>::multiply_rows(const problem& p)
{
    const std::size_t x_outer = p.rows * p.inner, y_outer = p.columns * p.inner;
    gemm_tiles<real> g;
    g.terms = p.rows * parts;
    g.rows = even_panels(p.columns, m_kernel->tile_rows, 1).width;
    g.accumulate = p.accumulate;
    g.a = p.adjoint ? typename gemm_tiles<real>::left_factor{p.c, distance(p.rows), 1, 0}
                    : typename gemm_tiles<real>::left_factor{p.c, 1, distance(p.columns), 0};
    const panels cut = even_panels(p.inner, m_kernel->tile_columns, m_kernel->vector_columns);
    bool finite = true;
    for (unsigned out = 0; out < parts; ++out) {
        if constexpr (parts > 1) { g.a = {packed_coefficients(p, out, p.columns), 1, distance(p.columns), 0}; }
        g.a.tile = distance(g.rows) * g.a.row;
        g.ahead.at = g.a.at;
        for (std::size_t o = 0; o < p.outer; ++o) {
            const real* x = p.x + o * x_outer;
            if constexpr (parts > 1) {
                real* to = at_line(m_operands, parts * x_outer);
                for (std::size_t n = 0; n < p.rows; ++n, x += p.inner) {
                    to = std::copy(x, x + p.inner, to);
                    to = std::copy(x + p.outer * x_outer, x + p.outer * x_outer + p.inner, to);
                }
                x = to - parts * x_outer;
            }
            real* const y = p.y + out * p.outer * y_outer + o * y_outer;
            for (std::size_t j = 0; j < cut.count; ++j) {
                g.columns = cut.size(j);
                g.b = {x + cut.begin(j), distance(p.inner)};
                g.c = {y + cut.begin(j), distance(p.inner)};
                finite &= multiply_tiles(*m_kernel, gemm_tiles<real>(g), p.columns);
            }
        }
    }
    return finite;
}

template class small_mode_product<double>;
template class small_mode_product<float>;
template class small_mode_product<std::complex<double>>;
template class small_mode_product<std::complex<float>>;

} // namespace tensorloom::arithmetic
