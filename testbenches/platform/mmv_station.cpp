#include "platform/mmv_station.h"
#include <utility>
#include <tensorloom/models/arch/mmv/energy.h>
#include <tensorloom/models/arch/costs/sram_energy.h>
#include <tensorloom/models/mmv/device.h>
#include "platform/device_run.h"
#include "platform/main.h"
#include "platform/mmv_machine.h"

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

arch::energy_model device_energy(const mmv::config& config, const arch::technology& technology,
                                 std::uint64_t scratchpad_bytes, double vector_scale)
{
    arch::mmv::geometry geometry;
    geometry.side = config.side;
    geometry.format = config.format;
    geometry.lanes = config.lanes;
    geometry.blocks = config.blocks;
    geometry.scalar_ops = config.scalar_ops;
    geometry.scratchpad_bytes = scratchpad_bytes;
    geometry.banks = config.banks;
    geometry.vector_scale = vector_scale;
    return arch::mmv::device_energy(technology, geometry);
}

} // namespace

void require_energies(const arch::technology& technology, const mmv::config& device)
{
    device_energy(device, technology, device.scratchpad_bytes, 1);
    arch::sram_energy(technology, mmv_station::memory_for(0)); // of any size
}

struct mmv_station::platform : device_platform<mmv::device<512>> {
    using device_platform<mmv::device<512>>::device_platform;
};

std::uint64_t mmv_station::memory_for(std::uint64_t elements)
{
    constexpr std::uint64_t least = 32u << 20;
    std::uint64_t bytes = least;
    while (bytes < machine_memory::program_bytes + 16 * elements) { bytes *= 2; }
    return bytes;
}

mmv_station::mmv_station(const std::string& name, const mmv::config& device, const common_options& common,
                         std::uint64_t simulated_memory_bytes, activity::log_detail detail, program_type program,
                         progress* shown)
    : device_station(name, common, detail, shown), m_config(device)
{
    require_addresses("scratchpad", device.scratchpad_bytes, simulated_memory_bytes);
    const auto host = [this, simulated_memory_bytes, run = std::move(program)](bus::host_thread& cpu) {
        device_mmv_machine machine(cpu, device_base, mmv::limits_of(m_config), memory_base, simulated_memory_bytes);
        try {
            run(machine);
        } catch (const workloads::mmv_error& e) {
            end_with(e, m_config.format);
        }
        note_memory_used(machine.used_bytes());
    };
    m_platform = std::make_unique<platform>(name.c_str(), device, platform_settings(common, simulated_memory_bytes),
                                            host, sink());
}

mmv_station::~mmv_station() = default;

std::function<void(sc_core::sc_trace_file&)> mmv_station::waveform(const std::vector<watched_element>& watched)
{
    return [this, watched](sc_core::sc_trace_file& file) { m_platform->device.trace(file, watched); };
}

const bus::host_thread& mmv_station::host() const { return m_platform->cpu; }
void mmv_station::settle_memory() { m_platform->memory.settle(); }
void mmv_station::leave_alive() { static_cast<void>(m_platform.release()); }

std::vector<activity::module_energy> mmv_station::energy_models(const arch::technology& technology,
                                                                std::uint64_t scratchpad_bytes,
                                                                double vector_scale) const
{
    return {{name() + ".device", device_energy(m_config, technology, scratchpad_bytes, vector_scale)},
            sram_model(technology)};
}

mmv_costs mmv_station::costs(std::size_t first, std::size_t end,
                             const std::vector<activity::module_energy>& models) const
{
    return mmv_costs_of(jobs(), first, end, clock_period_ns(), models);
}

} // namespace tensorloom::testbench
