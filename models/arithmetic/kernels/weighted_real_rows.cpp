#include <tensorloom/models/arithmetic/kernels/weighted_real_rows.h>
#include <algorithm>
#include <limits>

namespace tensorloom::arithmetic {

namespace {

constexpr std::size_t rows_at_once = 64; // where there are several panels: the rows stay in the first-level caches

void make_nan_canonical(double* z, std::ptrdiff_t z_stride, std::size_t rows, std::size_t side)
{
    for (; rows > 0; --rows, z += z_stride) {
        for (std::size_t j = 0; j < side; ++j) {
            if (z[j] != z[j]) { z[j] = std::numeric_limits<double>::quiet_NaN(); }
        }
    }
}

} // namespace

weighted_real_rows::weighted_real_rows(std::size_t side, const gemm_kernel<double>& kernel)
    : m_side(side), m_kernel(kernel)
{
    m_terms.count = side;
    m_terms.columns = side;
    prepare(std::vector<double>(side * side).data());
}

void weighted_real_rows::prepare(const double* weights)
{
    m_terms.planes.assign(weights, weights + m_side * m_side);
    m_packed.pack(m_terms, 1, false, m_kernel);
}

void weighted_real_rows::run(const double* x, std::ptrdiff_t x_stride, std::size_t rows, double* z,
                             std::ptrdiff_t z_stride)
{
    const panels& cut = m_packed.cut();
    const std::size_t most = cut.count == 1 ? rows : rows_at_once;
    for (std::size_t first = 0; first < rows; first += most) {
        const std::size_t count = std::min(most, rows - first);
        gemm_tiles<double> set;
        set.terms = m_side;
        set.a = x + static_cast<std::ptrdiff_t>(first) * x_stride;
        set.a_row = x_stride;
        if (cut.count > 1 && x == z) { // the first panel's results replace what the others still need
            m_copy.resize(count * m_side);
            for (std::size_t r = 0; r < count; ++r) {
                std::copy_n(set.a + static_cast<std::ptrdiff_t>(r) * x_stride, m_side, m_copy.data() + r * m_side);
            }
            set.a = m_copy.data();
            set.a_row = static_cast<std::ptrdiff_t>(m_side);
        }
        set.a_step = 1;
        set.c_row = z_stride;
        set.ahead = set.a;
        double* const sums = z + static_cast<std::ptrdiff_t>(first) * z_stride;
        bool finite = true;
        for (std::size_t j = 0; j < cut.count; ++j) {
            set.columns = std::min(cut.width, m_side - j * cut.width);
            set.b = m_packed.panel(0, j);
            set.b_step = static_cast<std::ptrdiff_t>(m_packed.step(set.columns));
            set.c = sums + j * cut.width;
            finite &= multiply(set, count);
        }
        if (!finite) { make_nan_canonical(sums, z_stride, count, m_side); }
    }
}

// True when every sum is finite.
bool weighted_real_rows::multiply(gemm_tiles<double> set, std::size_t rows) const
{
    bool finite = true;
    set.rows = m_kernel.tile_rows;
    set.count = rows / set.rows;
    set.a_tile = static_cast<std::ptrdiff_t>(set.rows) * set.a_row;
    if (set.count > 0) {
        finite = m_kernel.multiply(set);
        const auto done = static_cast<std::ptrdiff_t>(set.count);
        set.a += done * set.a_tile;
        set.c += done * static_cast<std::ptrdiff_t>(set.rows) * set.c_row;
    }
    set.rows = rows % m_kernel.tile_rows;
    set.count = 1;
    return (set.rows == 0 || m_kernel.multiply(set)) && finite;
}

} // namespace tensorloom::arithmetic
