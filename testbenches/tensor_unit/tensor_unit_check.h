#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <tensorloom/models/arch/mmv/events.h>
#include <tensorloom/workloads/tensor_unit/algorithms.h>
#include <tensorloom/workloads/tensor_unit/result.h>
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

/// What a comparison with the reference found.
struct tensor_unit_check {
    bool passed = false;
    double max_abs_error = 0;
    double max_rel_error = 0;                 ///< by the largest modulus of the reference
    double bound = 0;                         ///< on max_rel_error; 0: equal
    std::optional<std::uint64_t> first_wrong; ///< index; the shorter length when lengths differ
};

/// Compares a result with the reference's. Whole numbers must be equal. Others may be off by 1e-9 of the largest
/// modulus of the reference: sums in other orders, over at most millions of terms.
tensor_unit_check check_values(const workloads::tensor_unit_values& found,
                               const workloads::tensor_unit_values& reference);

/// The model's view of what a device has counted.
workloads::tensor_unit_cost model_cost(const arch::mmv::counts& counts);

// Problems and the model's numbers, as a run and the theorems tell them.

/// What an algorithm uses of a problem, numbers by `number`: "64, inner 16".
std::string problem_text(const workloads::tensor_unit_algorithm& algorithm,
                         const workloads::tensor_unit_problem& problem, std::string (*number)(std::uint64_t));
/// Size and options, null where the algorithm does not use them, and "weak".
json problem_json(const workloads::tensor_unit_algorithm& algorithm, const workloads::tensor_unit_problem& problem);
json cost_json(const workloads::tensor_unit_cost& cost, unsigned side, std::uint64_t latency);

} // namespace tensorloom::testbench
