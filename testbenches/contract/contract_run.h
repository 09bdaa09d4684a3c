#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include <tensorloom/models/arch/fetta/area.h>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/workloads/contraction/reference.h>
#include "contract/contract_job.h"
#include "contract/contract_options.h"
#include "contract/steady_power.h"
#include "platform/fetta_station.h"
#include "platform/process_usage.h"

namespace tensorloom::testbench {

/// What permuting tensors through memory took.
struct reordering_costs {
    std::uint64_t cycles = 0;
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
};

/// What one run gave.
struct contract_findings {
    contract_job job;
    std::optional<workloads::contraction_check> check;
    fetta_costs costs;            ///< of all programs
    reordering_costs reordering;  ///< of those that permute tensors through memory
    std::uint64_t tcu_cycles = 0; ///< that the tensor contraction unit worked, conflicts included
    std::vector<arch::fetta::component_area> areas;
    std::vector<block_power> steady_power;
    std::vector<activity::module_energy> energy_models;
    process_usage usage;
    std::unique_ptr<fetta_station> station; ///< with its log

    /// The unit worked as long as the plan's closed form says; true also where there is no plan.
    bool as_closed_form() const;
    /// Values within their bound, cycles as the closed form; true also when nothing was checked.
    bool passed() const { return !check || (check->passed && as_closed_form()); }
    double utilisation(std::uint64_t cycles, const arch::fetta::geometry& g) const; ///< of the PEs in so many cycles
};

/// Loads or makes the operands, plans, runs in a simulation, checks and writes the result. An error that the device
/// reports of a user's own program is an arch::input_error, of any other one an arch::device_failure. Throws
/// arch::input_error.
contract_findings run_contract(const contract_options& options, const arch::technology& technology);

} // namespace tensorloom::testbench
