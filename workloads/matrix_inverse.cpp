#include <tensorloom/workloads/matrix_inverse.h>

#include <limits>

#include <Eigen/LU>

namespace tensorloom::workloads {

template <class V> std::vector<V> matrix_inverse(const std::vector<V>& matrix, std::size_t n)
{
    using dense = Eigen::Matrix<V, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto size = static_cast<Eigen::Index>(n);
    Eigen::FullPivLU<dense> lu(Eigen::Map<const dense>(matrix.data(), size, size));
    lu.setThreshold(static_cast<long double>(n) * std::numeric_limits<double>::epsilon());
    if (!lu.isInvertible()) { return {}; }
    std::vector<V> result(matrix.size());
    Eigen::Map<dense>(result.data(), size, size) = lu.inverse();
    return result;
}

template std::vector<long double> matrix_inverse(const std::vector<long double>&, std::size_t);
template std::vector<std::complex<long double>> matrix_inverse(const std::vector<std::complex<long double>>&,
                                                               std::size_t);

} // namespace tensorloom::workloads
