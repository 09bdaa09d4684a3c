#include "platform/report/mmv_costs.h"
#include <algorithm>
#include <tensorloom/models/arch/mmv/driver.h>

namespace tensorloom::testbench {
namespace {

constexpr unsigned bus_bytes_per_cycle = 64; // the DMA port of a device_platform

// Steps of the models: an instruction counts one of them, in one of its records.
std::uint64_t steps_of(const std::uint64_t* counts)
{
    const auto count = [&](arch::mmv::event e) { return counts[static_cast<std::size_t>(e)]; };
    return count(arch::mmv::event::matmul_call) + count(arch::mmv::event::vector_instruction) +
           count(arch::mmv::event::scalar_instruction);
}

void add_instructions(mmv_costs& costs, const activity::job_log& log)
{
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& record = log.records()[r];
        const auto& commands = arch::mmv::description.commands;
        const auto* known = std::find_if(commands.begin(), commands.end(), [&](const arch::command_description& c) {
            return record.phase == c.opcode.name;
        });
        if (known == commands.end()) { continue; }
        auto& entry = costs.instructions[known->opcode.name];
        entry.instructions += steps_of(log.counts(r, 0));
        entry.cycles += record.cycles;
    }
}

double ratio(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

} // namespace

mmv_costs mmv_costs_of(const device_jobs& jobs, std::size_t first, std::size_t end, double clock_period_ns,
                       const std::vector<activity::module_energy>& models)
{
    mmv_costs costs;
    static_cast<job_costs&>(costs) = job_costs_of(jobs, first, end, clock_period_ns, models);
    add_device_counts(jobs, first, end, costs.counts.data());
    for (std::size_t j = first; j < end; ++j) { add_instructions(costs, *jobs.jobs()[j].log); }
    return costs;
}

mmv_roofline roofline_of(const mmv_costs& costs, unsigned side, unsigned banks)
{
    const std::uint64_t macs = costs.counts[arch::mmv::event::mac];
    const std::uint64_t words =
        costs.counts[arch::mmv::event::scratchpad_read] + costs.counts[arch::mmv::event::scratchpad_write];
    mmv_roofline r;
    r.macs_per_cycle = ratio(macs, costs.cycles);
    r.peak_macs_per_cycle = static_cast<double>(side) * side;
    r.scratchpad_words_per_cycle = ratio(words, costs.cycles);
    r.peak_scratchpad_words_per_cycle = 2.0 * banks;
    r.bus_bytes_per_cycle = ratio(costs.bus_bytes(), costs.cycles);
    r.peak_bus_bytes_per_cycle = bus_bytes_per_cycle;
    r.macs_per_scratchpad_word = ratio(macs, words);
    r.macs_per_bus_byte = ratio(macs, costs.bus_bytes());
    return r;
}

} // namespace tensorloom::testbench
