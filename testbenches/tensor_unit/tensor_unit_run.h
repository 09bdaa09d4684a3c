#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/workloads/tensor_unit/algorithms.h>
#include "platform/mmv_costs.h"
#include "platform/mmv_station.h"
#include "platform/process_usage.h"
#include "tensor_unit/tensor_unit_check.h"
#include "tensor_unit/tensor_unit_options.h"

namespace tensorloom::testbench {

/// What one run of an algorithm gave.
struct tensor_unit_findings {
    std::vector<std::uint64_t> shape; ///< of the result
    std::int64_t checksum = 0;
    std::uint64_t rounds = 0;                            ///< of the sparse product
    workloads::tensor_unit_cost model;                   ///< the (m,l)-TCU model's numbers, as counted
    std::optional<workloads::tensor_unit_cost> expected; ///< by the closed form, where there is one
    std::optional<tensor_unit_check> check;
    std::uint64_t scratchpad_bytes = 0; ///< as given, else what the run needed
    mmv_costs costs;
    std::vector<activity::module_energy> energy_models;
    process_usage usage;
    std::unique_ptr<mmv_station> station; ///< with its log

    bool as_closed_form() const { return !expected || *expected == model; }
    /// Values as the reference, and counts as the closed form; true also when nothing was checked.
    bool passed() const { return !check || (check->passed && as_closed_form()); }
};

/// The model's view of what a device has counted.
workloads::tensor_unit_cost model_cost(const arch::mmv::counts& counts);

/// Loads or makes the inputs, runs the algorithm in a simulation, checks and writes the result. Throws as
/// run_stations() and arch::input_error.
tensor_unit_findings run_algorithm(const tensor_unit_options& options, const arch::technology& technology);

} // namespace tensorloom::testbench
