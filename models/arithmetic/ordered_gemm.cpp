#include <tensorloom/models/arithmetic/ordered_gemm.h>
#include <algorithm>
#include <tensorloom/models/arithmetic/gemm_kernels.h>

namespace tensorloom::arithmetic {
namespace {

constexpr std::size_t packed_bytes = 256 * 1024; // of B at once: half of a common second-level cache
constexpr std::size_t row_block_bytes = 128 * 1024;

bool runs_avx2()
{
#if defined(TENSORLOOM_X86_KERNELS)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

bool runs_avx512()
{
#if defined(TENSORLOOM_X86_KERNELS)
    return __builtin_cpu_supports("avx512f");
#else
    return false;
#endif
}

} // namespace

template <class R> std::vector<const gemm_kernel<R>*> gemm_kernels()
{
    std::vector<const gemm_kernel<R>*> all{&portable_gemm_kernel<R>()};
#if defined(TENSORLOOM_X86_KERNELS)
    if (runs_avx2()) { all.push_back(&avx2_gemm_kernel<R>()); }
    if (runs_avx512()) { all.push_back(&avx512_gemm_kernel<R>()); }
#endif
    return all;
}

template <class R> const gemm_kernel<R>& best_gemm_kernel()
{
    static const gemm_kernel<R>& best = *gemm_kernels<R>().back();
    return best;
}

template <class R>
void ordered_gemm<R>::pack(const size& n, const scattered_rows<R>& b, std::size_t first_column, std::size_t columns)
{
    // A few rows at a time: read along the rows, written panel by panel, both in runs of several cache lines.
    constexpr std::size_t rows_at_once = 8;
    const std::size_t width = m_kernel.tile_columns;
    const std::size_t panels = (columns + width - 1) / width;
    m_packed.resize(panels * n.terms * width);
    for (std::size_t t0 = 0; t0 < n.terms; t0 += rows_at_once) {
        const std::size_t t1 = std::min(n.terms, t0 + rows_at_once);
        for (std::size_t p = 0; p < panels; ++p) {
            R* to = m_packed.data() + (p * n.terms + t0) * width;
            const std::size_t used = std::min(width, columns - p * width);
            const R* from = b.data + first_column + p * width;
            for (std::size_t t = t0; t < t1; ++t, to += width) {
                std::copy_n(from + b.offset[t], used, to);
                if (used < width) { std::fill(to + used, to + width, R(0)); }
            }
        }
    }
}

template <class R>
void ordered_gemm<R>::multiply(const size& n, const tiled_rows<R>* a, const scattered_rows<R>& b,
                               const result_rows<R>* c, std::size_t products, bool accumulate)
{
    const std::size_t height = m_kernel.tile_rows;
    const std::size_t width = m_kernel.tile_columns;
    const std::size_t terms = std::max<std::size_t>(n.terms, 1);
    const std::size_t column_block = std::max(width, packed_bytes / (terms * sizeof(R)) / width * width);
    const std::size_t row_block = std::max(height, row_block_bytes / (terms * sizeof(R)) / height * height);
    R edge[32 * 64]; // a tile at the right edge is computed here, and its valid columns copied

    for (std::size_t j0 = 0; j0 < n.columns; j0 += column_block) {
        const std::size_t columns = std::min(column_block, n.columns - j0);
        pack(n, b, j0, columns);
        for (std::size_t product = 0; product < products; ++product) {
            const auto& A = a[product];
            const auto& C = c[product];
            for (std::size_t i0 = 0; i0 < n.rows; i0 += row_block) {
                const std::size_t rows_end = std::min(n.rows, i0 + row_block);
                for (std::size_t j = 0; j < columns; j += width) {
                    const R* panel = m_packed.data() + j * n.terms;
                    const std::size_t used = std::min(width, columns - j);
                    for (std::size_t i = i0; i < rows_end; i += height) {
                        const auto rows = static_cast<unsigned>(std::min(height, rows_end - i));
                        const R* tile = A.data + static_cast<std::ptrdiff_t>(i / height) * A.tile;
                        R* out = C.data + static_cast<std::ptrdiff_t>(i) * C.row + static_cast<std::ptrdiff_t>(j0 + j);
                        if (used == width) {
                            m_kernel.run(rows, n.terms, tile, A.row, A.offset, panel, out, C.row, accumulate);
                            continue;
                        }
                        for (unsigned r = 0; accumulate && r < rows; ++r) {
                            std::copy_n(out + r * C.row, used, edge + r * width);
                            std::fill(edge + r * width + used, edge + (r + 1) * width, R(0));
                        }
                        m_kernel.run(rows, n.terms, tile, A.row, A.offset, panel, edge,
                                     static_cast<std::ptrdiff_t>(width), accumulate);
                        for (unsigned r = 0; r < rows; ++r) { std::copy_n(edge + r * width, used, out + r * C.row); }
                    }
                }
            }
        }
    }
}

template class ordered_gemm<double>;
template class ordered_gemm<float>;
template const gemm_kernel<double>& best_gemm_kernel<double>();
template const gemm_kernel<float>& best_gemm_kernel<float>();
template std::vector<const gemm_kernel<double>*> gemm_kernels<double>();
template std::vector<const gemm_kernel<float>*> gemm_kernels<float>();

} // namespace tensorloom::arithmetic
