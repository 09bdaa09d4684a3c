#pragma once
#include <cstddef>
#include <vector>
#include <tensorloom/models/arithmetic/kernels/dense_product.h>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>

namespace tensorloom::arithmetic {

/// weighted_rows.h in real numbers R (double, float), by ordered matrix products.
template <class R> class weighted_real_rows {
public:
    weighted_real_rows(std::size_t side, const gemm_kernel<R>& kernel);

    void prepare(const R* weights);
    void run(const R* x, std::ptrdiff_t x_stride, std::size_t rows, R* z, std::ptrdiff_t z_stride);

private:
    std::size_t m_side;
    const gemm_kernel<R>& m_kernel;
    gathered_terms<R> m_terms;
    packed_coefficients<R> m_packed;
    std::vector<R> m_copy; // of rows that are replaced panel by panel
};

} // namespace tensorloom::arithmetic
