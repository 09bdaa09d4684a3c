#include <tensorloom/workloads/tucker/ttm_engine.h>
#include <stdexcept>
#include <string>
#include <Eigen/Core>

namespace tensorloom::workloads {

shape3 product_shape(const tensor<double>& x, const ttm_chain& chain)
{
    if (x.shape.size() != 3) {
        throw std::invalid_argument("tensor of " + std::to_string(x.shape.size()) + " modes found, expected 3");
    }
    shape3 shape{};
    bool any = false;
    for (std::size_t m = 0; m < 3; ++m) {
        shape[m] = x.shape[m];
        if (chain[m] == nullptr) { continue; }
        any = true;
        const auto& matrix = chain[m]->shape;
        if (matrix.size() != 2 || matrix[0] != x.shape[m]) {
            throw std::invalid_argument("matrix of mode " + std::to_string(m + 1) + " does not have " +
                                        std::to_string(x.shape[m]) + " rows");
        }
        shape[m] = matrix[1];
    }
    if (!any) { throw std::invalid_argument("a chain without a matrix found, expected at least one"); }
    return shape;
}

namespace {

using row_major = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using matrix_view = Eigen::Map<row_major>;
using const_view = Eigen::Map<const row_major>;

tensor<double> multiply_mode(const tensor<double>& x, std::size_t mode, const tensor<double>& matrix)
{
    auto shape = x.shape;
    shape[mode] = matrix.shape[1];
    tensor<double> y(shape);
    const mode_view from(x.shape, mode), to(shape, mode);
    const const_view c(matrix.data.data(), from.size, to.size);
    if (from.inner == 1) {
        matrix_view(y.data.data(), to.outer, to.size).noalias() = const_view(x.data.data(), from.outer, from.size) * c;
        return y;
    }
    for (std::ptrdiff_t o = 0; o < from.outer; ++o) {
        matrix_view(y.data.data() + o * to.size * to.inner, to.size, to.inner).noalias() =
            c.transpose() * const_view(x.data.data() + o * from.size * from.inner, from.size, from.inner);
    }
    return y;
}

} // namespace

tensor<double> host_ttm::multiply(const tensor<double>& x, const ttm_chain& chain)
{
    product_shape(x, chain);
    tensor<double> y;
    const tensor<double>* operand = &x;
    for (std::size_t m = 0; m < 3; ++m) {
        if (chain[m] == nullptr) { continue; }
        y = multiply_mode(*operand, m, *chain[m]);
        operand = &y;
    }
    return y;
}

} // namespace tensorloom::workloads
