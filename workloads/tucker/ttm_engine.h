#pragma once
#include <array>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// The matrices of a chain of tensor-times-matrix products, for modes 1, 2, 3; nullptr: the mode is not multiplied. C_s
/// is N_s x K_s, a tensor of two modes; its rows are the summed index.
using ttm_chain = std::array<const tensor<double>*, 3>;

/// Multiplies tensors by matrices for an algorithm, on the host or on a device over its bus. A chain of one to three
/// products: y[k1,k2,k3] = sum over n1,n2,n3 of x[n1,n2,n3] C1[n1,k1] C2[n2,k2] C3[n3,k3], without the sum and the
/// matrix of a mode that is not multiplied.
class ttm_engine {
public:
    virtual ~ttm_engine() = default;

    /// x has three modes. Throws std::invalid_argument as product_shape().
    virtual tensor<double> multiply(const tensor<double>& x, const ttm_chain& chain) = 0;
};

/// The shape of a chain's result. Throws std::invalid_argument: x without three modes, no matrix at all, a matrix
/// without two modes or whose number of rows differs from the size of the mode.
shape3 product_shape(const tensor<double>& x, const ttm_chain& chain);

/// Tensor-times-matrix products on the host, in double by Eigen, in the order of modes 1, 2, 3. Eigen's summation order
/// differs from a device's, so results differ in the last bits.
class host_ttm : public ttm_engine {
public:
    tensor<double> multiply(const tensor<double>& x, const ttm_chain& chain) override;
};

} // namespace tensorloom::workloads
