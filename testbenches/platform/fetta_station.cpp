#include "platform/fetta_station.h"
#include <utility>
#include <tensorloom/models/arch/dram/dram_energy.h>
#include <tensorloom/models/arch/fetta/energy.h>
#include <tensorloom/models/fetta/device.h>
#include "platform/device_run.h"
#include "platform/fetta_machine.h"

namespace tensorloom::testbench {

struct fetta_station::platform : device_platform<fetta::device<512>> {
    using device_platform<fetta::device<512>>::device_platform;
};

std::uint64_t fetta_station::sram_bytes_for(std::uint64_t data_bytes)
{
    constexpr std::uint64_t page = 4096;
    return machine_memory::program_bytes + (data_bytes + page - 1) / page * page;
}

std::uint64_t fetta_station::data_base() { return memory_base + machine_memory::program_bytes; }

std::uint64_t fetta_station::dram_data_bytes(const arch::dram_config& dram)
{
    return dram.organisation.bytes() - machine_memory::program_bytes;
}

fetta_station::fetta_station(const std::string& name, const fetta_options& options, const common_options& common,
                             std::uint64_t sram_bytes, activity::log_detail detail, program_type program,
                             progress* shown, const run_limits& limits)
    : device_station(name, common, detail, shown, limits.records), m_options(options), m_common(common)
{
    const std::uint64_t bytes = options.in_dram ? options.dram_config.organisation.bytes() : sram_bytes;
    require_addresses("unified memory", options.geometry.memory_bytes(), bytes);
    const std::uint64_t period_ps = clock_period_ps(common);
    const std::uint64_t timeout_ns = limits.cycles > machine_memory::a_week_ns / period_ps * 1000
                                         ? machine_memory::a_week_ns
                                         : (limits.cycles * period_ps + 999) / 1000;
    const auto host = [this, bytes, timeout_ns, run = std::move(program)](bus::host_thread& cpu) {
        device_fetta_machine machine(cpu, device_base, memory_base, bytes, timeout_ns);
        run(machine);
        note_memory_used(machine.used_bytes());
    };
    auto settings = platform_settings(common, bytes);
    if (options.in_dram) {
        settings.dram.emplace();
        settings.dram->dram = options.dram_config;
    }
    m_platform = std::make_unique<platform>(name.c_str(), device_config(options, common), settings, host, sink());
}

fetta_station::~fetta_station() = default;

std::function<void(sc_core::sc_trace_file&)> fetta_station::waveform()
{
    return [this](sc_core::sc_trace_file& file) { m_platform->device.trace(file, m_options.traced); };
}

const bus::host_thread& fetta_station::host() const { return m_platform->cpu; }
void fetta_station::settle_memory() { m_platform->memory.settle(); }
void fetta_station::leave_alive() { static_cast<void>(m_platform.release()); }

std::vector<activity::module_energy> fetta_station::energy_models(const arch::technology& technology) const
{
    const auto device = arch::fetta::device_energy(technology, energy_settings_of(m_options, m_common));
    if (!m_options.in_dram) { return {{name() + ".device", device}, sram_model(technology)}; }
    return {{name() + ".device", device}, {name() + ".memory", arch::dram_energy(m_options.dram_config)}};
}

fetta_costs fetta_station::costs(std::size_t first, std::size_t end,
                                 const std::vector<activity::module_energy>& models) const
{
    fetta_costs costs;
    static_cast<job_costs&>(costs) = job_costs_of(jobs(), first, end, clock_period_ns(), models);
    add_device_counts(jobs(), first, end, costs.counts.data());
    return costs;
}

} // namespace tensorloom::testbench
