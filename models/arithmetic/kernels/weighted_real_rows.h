#pragma once
#include <cstddef>
#include <vector>
#include <tensorloom/models/arithmetic/kernels/dense_product.h>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>

namespace tensorloom::arithmetic {

/// weighted_rows.h in real numbers, by ordered matrix products.
class weighted_real_rows {
public:
    weighted_real_rows(std::size_t side, const gemm_kernel<double>& kernel);

    void prepare(const double* weights);
    void run(const double* x, std::ptrdiff_t x_stride, std::size_t rows, double* z, std::ptrdiff_t z_stride);

private:
    std::size_t m_side;
    const gemm_kernel<double>& m_kernel;
    gathered_terms<double> m_terms;
    packed_coefficients<double> m_packed;
    std::vector<double> m_copy; // of rows that are replaced panel by panel
};

} // namespace tensorloom::arithmetic
