#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/workloads/mmv/program_builder.h>
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

/// Costs of instructions by part of an algorithm, in the order in which the parts begin.
using part_list = std::vector<std::pair<std::string, instruction_cost>>;

/// Adds those of another device.
void add_parts(part_list& costs, const part_list& others);

/// Of the programs from `first` on, whose parts these are (session_costs::parts). Their logs must have each command
/// (log_detail::per_command, every_record).
part_list costs_by_part(const device_runs& runs, std::size_t first,
                        const std::vector<std::vector<workloads::part_mark>>& parts);

} // namespace tensorloom::testbench
