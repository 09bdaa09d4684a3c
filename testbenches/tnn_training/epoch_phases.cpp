#include "tnn_training/epoch_phases.h"
#include <algorithm>
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/output_file.h>

namespace tensorloom::testbench {
namespace {

void add_events(std::vector<std::uint64_t>& sums, const activity::program_log& log, std::size_t record)
{
    std::size_t at = 0;
    for (std::size_t m = 0; m < log.modules().size(); ++m) {
        const std::size_t size = log.modules()[m].events.size;
        sums.resize(std::max(sums.size(), at + size));
        for (std::size_t e = 0; e < size; ++e) { sums[at + e] += log.counts(record, m)[e]; }
        at += size;
    }
}

void add_to_phase(epoch_phase_costs& costs, const activity::program_log& log, std::size_t record,
                  const activity::energy_report& energy)
{
    add_record(costs, log, record, energy);
    add_events(costs.events, log, record);
}

// Calls f(number of the epoch, name of the phase, its costs).
template <class F> void for_each_phase(const std::vector<const epoch_costs*>& epochs, std::uint64_t first, F f)
{
    for (std::size_t e = 0; e < epochs.size(); ++e) {
        for (std::size_t p = 0; p < phases_of(*epochs[e]); ++p) { f(first + e, epoch_phase_name(p), (*epochs[e])[p]); }
    }
}

} // namespace

const char* epoch_phase_name(std::size_t phase)
{
    if (phase == validation_phase) { return "validation"; }
    return phase == test_phase ? "test" : workloads::step_phase_values[phase].name;
}

std::size_t phases_of(const epoch_costs& costs)
{
    return costs[validation_phase].cycles == 0 ? test_phase + 1 : epoch_phases;
}

void add_training(epoch_costs& costs, const workloads::written_program& program, const activity::program_log& log,
                  const activity::energy_report& energy)
{
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& command = program.commands[command_number(log.records()[r], program.commands.size())];
        add_to_phase(costs[static_cast<std::size_t>(command.phase)], log, r, energy);
    }
}

void add_phase(epoch_phase_costs& costs, const activity::program_log& log, const activity::energy_report& energy)
{
    for (std::size_t r = 0; r < log.records().size(); ++r) { add_to_phase(costs, log, r, energy); }
}

void add_epoch(epoch_costs& sum, const epoch_costs& epoch)
{
    for (std::size_t p = 0; p < phases_of(epoch); ++p) { add_costs(sum[p], epoch[p]); }
}

void write_epoch_files(const output_directory& directory, const std::vector<const epoch_costs*>& epochs,
                       std::uint64_t first, const activity::program_log& log)
{
    cause_list causes; // of any phase
    for_each_phase(epochs, first, [&](auto, auto, const epoch_phase_costs& costs) {
        for (const auto& cause : costs.cycles_by_cause) { add_cause(causes, cause.first, 0); }
    });
    activity::output_file latency(directory.latency().string());
    latency << "epoch,phase,cycles,read_bytes,written_bytes";
    for (const auto& cause : causes) { latency << "," << activity::csv_text(cause.first + "_cycles"); }
    latency << activity::event_columns(log, log.device() + ".") << "\n";
    for_each_phase(epochs, first, [&](std::uint64_t epoch, const char* phase, const epoch_phase_costs& costs) {
        latency << epoch << "," << phase << "," << costs.cycles << "," << costs.bus_read_bytes << ","
                << costs.bus_written_bytes;
        for (const auto& cause : causes) { latency << "," << costs.cycles_of(cause.first); }
        for (const auto count : costs.events) { latency << "," << count; }
        latency << "\n";
    });
    latency.commit();

    activity::output_file energy(directory.energy().string());
    energy << "epoch,phase,cycles";
    for (const auto& c : epochs.front()->front().energy) { energy << "," << activity::csv_text(c.component + "_pJ"); }
    energy << ",total_pJ\n";
    for_each_phase(epochs, first, [&](std::uint64_t epoch, const char* phase, const epoch_phase_costs& costs) {
        energy << epoch << "," << phase << "," << costs.cycles;
        for (const auto& c : costs.energy) { energy << "," << c.pj; }
        energy << "," << costs.pj() << "\n";
    });
    energy.commit();
}

} // namespace tensorloom::testbench
