#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/workloads/tensor.h>
#include "dxt/dxt_options.h"

namespace tensorloom::testbench {

/// The data of a run in the device's format. T: double, float, complex of both.
template <class T> struct dxt_problem {
    std::vector<workloads::tensor<T>> x; ///< one per tensor of the batch; a repeated input is held once
    std::optional<workloads::tensor<T>> initial;
    std::array<std::vector<T>, 3> matrices;
    std::array<std::vector<std::uint32_t>, 3> row_orders; ///< empty for the diagonal

    const workloads::tensor<T>& tensor(std::size_t item) const { return x[x.size() == 1 ? 0 : item]; }
};

/// Loads or fills the tensors and computes the matrices. Throws arch::input_error.
template <class T> dxt_problem<T> make_problem(const dxt_options& options);

} // namespace tensorloom::testbench
