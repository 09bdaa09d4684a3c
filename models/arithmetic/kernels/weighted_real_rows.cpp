#include <tensorloom/models/arithmetic/kernels/weighted_real_rows.h>
#include <algorithm>
#include <limits>
#include <utility>

namespace tensorloom::arithmetic {

namespace {

constexpr std::size_t rows_at_once = 64; // where there are several panels: the rows stay in the first-level caches

template <class R> void make_nan_canonical(R* z, std::ptrdiff_t z_stride, std::size_t rows, std::size_t side)
{
    for (; rows > 0; --rows, z += z_stride) {
        for (std::size_t j = 0; j < side; ++j) {
            if (z[j] != z[j]) { z[j] = std::numeric_limits<R>::quiet_NaN(); }
        }
    }
}

} // namespace

template <class R>
weighted_real_rows<R>::weighted_real_rows(std::size_t side, const gemm_kernel<R>& kernel)
    : m_side(side), m_kernel(kernel)
{
    m_terms.count = side;
    m_terms.columns = side;
    prepare(std::vector<R>(side * side).data());
}

template <class R> void weighted_real_rows<R>::prepare(const R* weights)
{
    m_terms.planes.assign(weights, weights + m_side * m_side);
    m_packed.pack(m_terms, 1, false, m_kernel);
}

template <class R>
void weighted_real_rows<R>::run(const R* x, std::ptrdiff_t x_stride, std::size_t rows, R* z, std::ptrdiff_t z_stride)
{
    const panels& cut = m_packed.cut();
    const std::size_t most = cut.count == 1 ? rows : rows_at_once;
    const auto height = static_cast<std::ptrdiff_t>(m_kernel.tile_rows);
    for (std::size_t first = 0; first < rows; first += most) {
        const std::size_t count = std::min(most, rows - first);
        typename gemm_tiles<R>::left_factor a{x + static_cast<std::ptrdiff_t>(first) * x_stride, x_stride, 1,
                                              height * x_stride};
        if (cut.count > 1 && x == z) { // the first panel's results replace what the others still need
            m_copy.resize(count * m_side);
            for (std::size_t r = 0; r < count; ++r) {
                std::copy_n(a.at + static_cast<std::ptrdiff_t>(r) * x_stride, m_side, m_copy.data() + r * m_side);
            }
            const auto side = static_cast<std::ptrdiff_t>(m_side);
            a = {m_copy.data(), side, 1, height * side};
        }
        R* const sums = z + static_cast<std::ptrdiff_t>(first) * z_stride;
        bool finite = true;
        for (std::size_t j = 0; j < cut.count; ++j) {
            gemm_tiles<R> tiles{1,
                                m_kernel.tile_rows,
                                cut.size(j),
                                m_side,
                                a,
                                m_packed.panel(0, j),
                                {sums + cut.begin(j), z_stride},
                                {},
                                false,
                                {a.at}};
            finite &= multiply_tiles(m_kernel, std::move(tiles), count);
        }
        if (!finite) { make_nan_canonical(sums, z_stride, count, m_side); }
    }
}

template class weighted_real_rows<double>;
template class weighted_real_rows<float>;

} // namespace tensorloom::arithmetic
