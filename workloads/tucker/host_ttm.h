#pragma once
#include <tensorloom/workloads/tucker/ttm_engine.h>

namespace tensorloom::workloads {

/// Tensor-times-matrix products on the host, in double by Eigen, modes 1, 2, 3 one after the other.
/// The order of a sum is Eigen's: results differ from a device's in the last bits.
class host_ttm : public ttm_engine {
public:
    tensor<double> multiply(const tensor<double>& x, const ttm_chain& chain) override;
};

} // namespace tensorloom::workloads
