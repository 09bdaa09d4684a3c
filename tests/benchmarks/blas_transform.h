#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>
#include <cblas.h>

namespace tensorloom::benchmarks {

// C = op(A) B in row-major order; A is m x k, or k x m when transposed.
inline void multiply(CBLAS_TRANSPOSE op, int m, int n, int k, const double* a, const double* b, double* c)
{
    cblas_dgemm(CblasRowMajor, op, CblasNoTrans, m, n, k, 1, a, op == CblasTrans ? m : k, b, n, 0, c, n);
}
inline void multiply(CBLAS_TRANSPOSE op, int m, int n, int k, const float* a, const float* b, float* c)
{
    cblas_sgemm(CblasRowMajor, op, CblasNoTrans, m, n, k, 1, a, op == CblasTrans ? m : k, b, n, 0, c, n);
}

/// The three products of a transform of square matrices, in the order (3,1,2), by OpenBLAS: X C3, C1^T (.), C2^T (.)
/// slab by slab. T: double, float.
template <class T> class blas_transform {
public:
    /// x and the matrices stay where they are.
    blas_transform(const std::array<std::uint32_t, 3>& shape, const std::vector<T>& x,
                   const std::array<std::vector<T>, 3>& matrices)
        : m_shape(shape), m_x(x), m_matrices(matrices), m_first(x.size()), m_second(x.size()), y(x.size())
    {}
    void run()
    {
        const int n1 = static_cast<int>(m_shape[0]);
        const int n2 = static_cast<int>(m_shape[1]);
        const int n3 = static_cast<int>(m_shape[2]);
        multiply(CblasNoTrans, n1 * n2, n3, n3, m_x.data(), m_matrices[2].data(), m_first.data());
        multiply(CblasTrans, n1, n2 * n3, n1, m_matrices[0].data(), m_first.data(), m_second.data());
        for (int i = 0; i < n1; ++i) {
            const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) * n2 * n3;
            multiply(CblasTrans, n2, n3, n2, m_matrices[1].data(), m_second.data() + at, y.data() + at);
        }
    }

    /// Throws std::runtime_error when a device's result is another one. Data and coefficients are at most 1 in modulus:
    /// the sums' rounding errors cannot exceed this, in whatever order they are done.
    void require_equal(const std::vector<T>& result) const
    {
        double difference = 0;
        for (std::size_t i = 0; i < y.size(); ++i) {
            difference = std::max(difference, std::fabs(static_cast<double>(result[i]) - static_cast<double>(y[i])));
        }
        const double allowed = 2 * static_cast<double>(std::numeric_limits<T>::epsilon()) *
                               (m_shape[0] + m_shape[1] + m_shape[2]) * static_cast<double>(y.size());
        if (!(difference <= allowed)) {
            throw std::runtime_error("the device's result differs from OpenBLAS by " + std::to_string(difference));
        }
    }

private:
    const std::array<std::uint32_t, 3> m_shape;
    const std::vector<T>& m_x;
    const std::array<std::vector<T>, 3>& m_matrices;
    std::vector<T> m_first;
    std::vector<T> m_second;

public:
    std::vector<T> y;
};

} // namespace tensorloom::benchmarks
