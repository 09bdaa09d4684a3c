#include "platform/mmv/mmv_costs.h"
#include <algorithm>
#include <iterator>
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

// Calls f(record, steps) for the records of instructions.
template <class F> void for_each_instruction(const activity::program_log& log, F f)
{
    const auto& commands = mmv::description.commands;
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& record = log.records()[r];
        if (std::any_of(commands.begin(), commands.end(),
                        [&](const isa::command_description& c) { return record.phase == c.opcode.name; })) {
            f(record, steps_of(log.counts(r, 0)));
        }
    }
}

void add(instruction_cost& cost, const activity::phase_record& record, std::uint64_t steps)
{
    cost.instructions += steps;
    cost.cycles += record.cycles;
}

void add_instructions(mmv_costs& costs, const activity::program_log& log)
{
    for_each_instruction(log, [&](const auto& record, std::uint64_t steps) {
        add(costs.instructions[std::string(record.phase)], record, steps);
    });
}

// Of a command; null where it belongs to none.
const char* part_of(const std::vector<workloads::part_mark>& marks, std::uint32_t command)
{
    const auto after = std::upper_bound(
        marks.begin(), marks.end(), command,
        [](std::uint32_t number, const workloads::part_mark& mark) { return number < mark.first_command; });
    return after == marks.begin() ? nullptr : std::prev(after)->part;
}

instruction_cost& entry_of(part_list& costs, const std::string& part)
{
    auto found = std::find_if(costs.begin(), costs.end(), [&](const auto& entry) { return entry.first == part; });
    if (found == costs.end()) { found = costs.insert(found, {part, {}}); }
    return found->second;
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

void add_parts(part_list& costs, const part_list& others)
{
    for (const auto& [part, cost] : others) {
        auto& entry = entry_of(costs, part);
        entry.instructions += cost.instructions;
        entry.cycles += cost.cycles;
    }
}

part_list costs_by_part(const device_runs& runs, std::size_t first,
                        const std::vector<std::vector<workloads::part_mark>>& parts)
{
    part_list costs;
    for (std::size_t j = 0; j < parts.size(); ++j) {
        for_each_instruction(*runs.all()[first + j].log, [&](const auto& record, std::uint64_t steps) {
            const char* part = part_of(parts[j], record.command);
            if (part != nullptr) { add(entry_of(costs, part), record, steps); }
        });
    }
    return costs;
}

} // namespace tensorloom::testbench
