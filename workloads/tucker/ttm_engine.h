#pragma once
#include <array>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// The matrices of a chain of tensor-times-matrix products, of modes 1, 2, 3; none: the mode stays as it is.
/// C_s is N_s x K_s, a tensor of two modes; its rows are the summed index.
using ttm_chain = std::array<const tensor<double>*, 3>;

/// What multiplies tensors by matrices for an algorithm: the host, or a device over its bus.
///
/// A chain of one to three products: y[k1,k2,k3] = sum over n1,n2,n3 of x[n1,n2,n3] C1[n1,k1] C2[n2,k2] C3[n3,k3],
/// without the sum and the matrix of a mode that stays.
class ttm_engine {
public:
    virtual ~ttm_engine() = default;

    /// x of three modes. Arguments that product_shape() refuses are a std::invalid_argument.
    virtual tensor<double> multiply(const tensor<double>& x, const ttm_chain& chain) = 0;
};

/// The shape of a chain's result. Throws std::invalid_argument: x not of three modes, no matrix at all, a matrix that
/// is not of two modes or has another number of rows than the mode has elements.
shape3 product_shape(const tensor<double>& x, const ttm_chain& chain);

/// Tensor-times-matrix products on the host, in double by Eigen, modes 1, 2, 3 one after the other.
/// The order of a sum is Eigen's: results differ from a device's in the last bits.
class host_ttm : public ttm_engine {
public:
    tensor<double> multiply(const tensor<double>& x, const ttm_chain& chain) override;
};

} // namespace tensorloom::workloads
