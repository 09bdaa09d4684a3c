#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>
#include <tensorloom/models/mmv/isa/events.h>
#include "platform/run/program_costs.h"

namespace tensorloom::testbench {

/// Number of executions and costs of an instruction.
struct instruction_cost {
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;
};

/// Costs of programs of an MMU/VCU pair, in three separate measures: counts, from which the papers' models are
/// computed; cycles; energy.
struct mmv_costs : program_costs {
    mmv::counts counts;
    std::map<std::string, instruction_cost> instructions; ///< by mnemonic
};

/// program_costs_of() with counts and instructions.
mmv_costs mmv_costs_of(const device_runs& runs, std::size_t first, std::size_t end, double clock_period_ns,
                       const std::vector<activity::module_energy>& models);

} // namespace tensorloom::testbench
