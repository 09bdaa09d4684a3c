#include "platform/fetta/fetta_run.h"
#include <limits>
#include <optional>
#include <tensorloom/models/activity/trace_json.h>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/models/fetta/isa/events.h>

namespace tensorloom::testbench {

void require_energies(const fetta_options& device, const common_options& common, const costs::technology& technology)
{
    fetta::device_energy(technology, energy_settings_of(device, common));
    require_memory_costs(common.platform, technology);
}

void fetta_findings::run(const fetta_options& device, const common_options& common, const costs::technology& technology)
{
    usage = run_testbeds({testbed.get()}, common, testbed->waveform(device.traced));
    take_costs(*testbed, device, common, technology);
}

void fetta_findings::take_costs(const fetta_testbed& of, const fetta_options& device, const common_options& common,
                                const costs::technology& technology)
{
    // Of an SRAM as large as the run used.
    energy_models = of.energy_models(technology, fetta::device_energy(technology, energy_settings_of(device, common)));
    on = of.die_with(technology, fetta::device_area(technology, energy_settings_of(device, common)));
    costs = of.costs(0, of.programs(), energy_models);
}

namespace {

utilisation_measure utilisation_of(const fetta_options& device)
{
    const auto& g = device.config.limits;
    const double pes = static_cast<double>(g.engines) * g.side * g.side;
    return mac_utilisation(fetta::utilisation_unit, static_cast<std::size_t>(fetta::event::mac), pes);
}

} // namespace

void write_program_files(const output_directory& directory, const fetta_options& device, const common_options& common,
                         const fetta_findings& findings, const std::string& job)
{
    write_program_files(directory, common,
                        {{"device", &findings.testbed->runs(), findings.energy_models, utilisation_of(device), {job}}});
    write_banks_file(directory, findings.testbed->counted_memories());
}

void write_trace_file(const output_directory& directory, const fetta_options& device, const common_options& common,
                      const fetta_findings& findings, const activity::program_log* log)
{
    std::optional<activity::energy_report> energy;
    std::vector<activity::traced_device> traced;
    if (log != nullptr) {
        energy.emplace(*log, static_cast<double>(clock_period_ps(common)) / 1000, findings.energy_models);
        traced.push_back(traced_log(*log, *energy, utilisation_of(device)));
    }
    activity::write_trace_json(directory.trace().string(), traced);
}

std::string with_technology_option(const std::string& error)
{
    return (error.rfind("technology ", 0) == 0 ? "--technology: " : "") + error;
}

std::uint64_t data_room(const common_options& common)
{
    const auto& around = common.platform;
    return around.in_dram() ? around.memory_bytes(0) - session_memory::program_bytes
                            : std::numeric_limits<std::int64_t>::max();
}

} // namespace tensorloom::testbench
