#include "platform/mmv/mmv_costs.h"
#include <algorithm>
#include <tensorloom/models/mmv/isa/driver.h>

namespace tensorloom::testbench {
namespace {

// Steps of the models: an instruction counts one of them, in one of its records.
std::uint64_t steps_of(const std::uint64_t* counts)
{
    const auto count = [&](mmv::event e) { return counts[static_cast<std::size_t>(e)]; };
    return count(mmv::event::matmul_call) + count(mmv::event::vector_instruction) +
           count(mmv::event::scalar_instruction);
}

void add_instructions(mmv_costs& costs, const activity::program_log& log)
{
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& record = log.records()[r];
        const auto& commands = mmv::description.commands;
        const auto* known = std::find_if(commands.begin(), commands.end(), [&](const isa::command_description& c) {
            return record.phase == c.opcode.name;
        });
        if (known == commands.end()) { continue; }
        auto& entry = costs.instructions[known->opcode.name];
        entry.instructions += steps_of(log.counts(r, 0));
        entry.cycles += record.cycles;
    }
}

} // namespace

mmv_costs mmv_costs_of(const device_runs& runs, std::size_t first, std::size_t end, double clock_period_ns,
                       const std::vector<activity::module_energy>& models)
{
    mmv_costs costs;
    static_cast<program_costs&>(costs) = program_costs_of(runs, first, end, clock_period_ns, models);
    add_device_counts(runs, first, end, costs.counts.data());
    for (std::size_t j = first; j < end; ++j) { add_instructions(costs, *runs.all()[j].log); }
    return costs;
}

} // namespace tensorloom::testbench
