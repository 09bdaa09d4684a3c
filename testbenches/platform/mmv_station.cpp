#include "platform/mmv_station.h"
#include <algorithm>
#include <optional>
#include <tensorloom/models/arch/mmv/energy.h>
#include <tensorloom/models/arch/sram_energy.h>
#include <tensorloom/models/mmv/device.h>
#include "platform/device_run.h"
#include "platform/main.h"
#include "platform/memory_need.h"
#include "platform/mmv_machine.h"
#include "platform/report_table.h"

namespace tensorloom::testbench {
namespace {

// What a device says of a program, as the end of the testbench.
[[noreturn]] void end_with(const workloads::mmv_error& error, arch::element_type format)
{
    if (error.code() == arch::error_code::accumulator_overflow ||
        error.code() == arch::error_code::arithmetic_overflow) {
        throw wrong_result(std::string(error.what()) + ", expected smaller numbers" +
                           (format == arch::element_type::int64 ? "" : " or a wider --format"));
    }
    throw arch::device_failure(error.what());
}

// Both are reserved when the platform is built, and taken page by page when they are used.
void require_addresses(std::uint64_t scratchpad_bytes, std::uint64_t memory_bytes)
{
    const std::uint64_t left = address_space_left_bytes();
    if (scratchpad_bytes > left || memory_bytes > left - scratchpad_bytes) {
        throw arch::input_error("the simulation reserves " + grouped_text(scratchpad_bytes) +
                                " bytes of addresses for the scratchpad and " + grouped_text(memory_bytes) +
                                " for the memory, found " + grouped_text(left) +
                                " left by the limit on the address space, expected a higher limit");
    }
}

arch::energy_model device_energy(const mmv::config& config, const arch::technology& technology,
                                 std::uint64_t scratchpad_bytes, double vector_scale)
{
    arch::mmv::mmv_geometry geometry;
    geometry.side = config.side;
    geometry.format = config.format;
    geometry.lanes = config.lanes;
    geometry.blocks = config.blocks;
    geometry.scalar_ops = config.scalar_ops;
    geometry.scratchpad_bytes = scratchpad_bytes;
    geometry.banks = config.banks;
    geometry.vector_scale = vector_scale;
    return arch::mmv::mmv_energy(technology, geometry);
}

} // namespace

void require_energies(const arch::technology& technology, const mmv::config& device)
{
    device_energy(device, technology, device.scratchpad_bytes, 1);
    arch::sram_energy(technology, mmv_station::memory_for(0)); // of any size
}

/// The programs of the device; tells how far it is.
class mmv_station::watched_jobs : public device_jobs {
public:
    watched_jobs(std::string device, activity::log_detail detail, progress* shown)
        : device_jobs(std::move(device), detail), m_progress(shown)
    {}
    void log(const std::string& device, const bus::log_record& record) override
    {
        device_jobs::log(device, record);
        if (m_progress == nullptr || !m_progress->active()) { return; }
        m_progress->show("program " + grouped_text(jobs().size()) + ", cycle " + grouped_text(record.start_cycle) +
                         ", " + record.phase);
    }

private:
    progress* m_progress;
};

struct mmv_station::platform : device_platform<mmv::device<512>> {
    using device_platform<mmv::device<512>>::device_platform;
};

std::uint64_t mmv_station::memory_for(std::uint64_t elements)
{
    constexpr std::uint64_t least = 32u << 20;
    std::uint64_t bytes = least;
    while (bytes < device_mmv_machine::program_bytes + 16 * elements) { bytes *= 2; }
    return bytes;
}

mmv_station::mmv_station(const std::string& name, const mmv::config& device, const common_options& common,
                         std::uint64_t simulated_memory_bytes, activity::log_detail detail, program_type program,
                         progress* shown)
    : m_config(device), m_clock_period_ns(static_cast<double>(clock_period_ps(common)) / 1000), m_name(name),
      m_jobs(std::make_unique<watched_jobs>(name + ".device", detail, shown))
{
    require_addresses(device.scratchpad_bytes, simulated_memory_bytes);
    const auto host = [this, simulated_memory_bytes, run = std::move(program)](bus::host_thread& cpu) {
        device_mmv_machine machine(cpu, device_base, mmv::limits_of(m_config), memory_base, simulated_memory_bytes);
        try {
            run(machine);
        } catch (const workloads::mmv_error& e) {
            end_with(e, m_config.format);
        }
        m_memory_used = machine.used_bytes();
    };
    m_platform = std::make_unique<platform>(name.c_str(), device, platform_settings(common, simulated_memory_bytes),
                                            host, m_jobs.get());
}

mmv_station::~mmv_station() = default;

std::uint64_t mmv_station::memory_bytes() const
{
    constexpr std::uint64_t least = 64u << 10;
    std::uint64_t bytes = least;
    while (bytes < m_memory_used) { bytes *= 2; }
    return bytes;
}

const device_jobs& mmv_station::jobs() const { return *m_jobs; }

std::vector<activity::module_energy> mmv_station::energy_models(const arch::technology& technology,
                                                                std::uint64_t scratchpad_bytes,
                                                                double vector_scale) const
{
    return {{m_name + ".device", device_energy(m_config, technology, scratchpad_bytes, vector_scale)},
            {m_name + ".memory", arch::sram_energy(technology, memory_bytes())}};
}

mmv_costs mmv_station::costs(std::size_t first, std::size_t end,
                             const std::vector<activity::module_energy>& models) const
{
    return costs_of(*m_jobs, first, end, m_clock_period_ns, models);
}

process_usage run_stations(const std::vector<mmv_station*>& stations, const common_options& common,
                           const std::vector<watched_element>& watched)
{
    std::optional<waveform_file> waveform;
    if (common.vcd) {
        waveform.emplace(*common.vcd);
        stations.front()->m_platform->device.trace(waveform->trace(), watched);
    }
    std::vector<const bus::host_thread*> hosts;
    for (const auto* station : stations) { hosts.push_back(&station->m_platform->cpu); }
    process_usage usage;
    try {
        usage = run_programs(hosts);
    } catch (...) {
        for (auto* station : stations) {
            static_cast<void>(station->m_platform.release());
        } // threads are in the midst of it
        throw;
    }
    if (waveform) { waveform->close(); }
    return usage;
}

} // namespace tensorloom::testbench
