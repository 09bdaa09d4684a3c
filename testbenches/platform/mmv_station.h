#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/arch/technology.h>
#include <tensorloom/models/mmv/config.h>
#include <tensorloom/workloads/mmv/machine.h>
#include "platform/device_jobs.h"
#include "platform/mmv_costs.h"
#include "platform/mmv_options.h"
#include "platform/process_usage.h"
#include "platform/progress.h"
#include "platform/testbench_options.h"

namespace tensorloom::testbench {

/// A platform of its own with an MMU/VCU pair, and what the device did there. Several may stand in one simulation.
class mmv_station {
public:
    using program_type = std::function<void(workloads::mmv_machine&)>;

    /// Memory to simulate for an algorithm whose largest array has so many elements of at most 16 bytes: programs and more than that.
    static std::uint64_t memory_for(std::uint64_t elements);

    /// Elaboration. `name`: of the platform in the simulation; `program`: what the host does with the device. `shown`: gets how far the
    /// device is, where nobody else shows anything; else nullptr. Throws arch::input_error when a limit on the address space leaves no room
    /// for scratchpad and memory.
    mmv_station(const std::string& name, const mmv::config& device, const common_options& common,
                std::uint64_t simulated_memory_bytes, activity::log_detail detail, program_type program,
                progress* shown = nullptr);
    ~mmv_station();
    mmv_station(const mmv_station&) = delete;
    mmv_station& operator=(const mmv_station&) = delete;

    const mmv::config& device() const { return m_config; }
    /// The memory, as energy takes it: the smallest one with room for the largest program and the data of what ran, in powers of two from
    /// 64 KiB on. That of the simulation is larger, because what a run needs is known only afterwards; cycles do not depend on it.
    std::uint64_t memory_bytes() const;
    const device_jobs& jobs() const;
    std::size_t programs() const { return jobs().jobs().size(); } ///< that ran so far

    /// What device and memory cost in energy. `scratchpad_bytes`: its size, for energy; `vector_scale`: factor on the estimated energies of the
    /// vector unit. Throws arch::input_error for what the technology misses.
    std::vector<activity::module_energy> energy_models(const arch::technology& technology,
                                                       std::uint64_t scratchpad_bytes, double vector_scale = 1) const;

    /// Of the programs `first` to `end` - 1.
    mmv_costs costs(std::size_t first, std::size_t end, const std::vector<activity::module_energy>& models) const;

private:
    class watched_jobs;
    struct platform;
    friend process_usage run_stations(const std::vector<mmv_station*>& stations, const common_options& common,
                                      const std::vector<watched_element>& watched);

    mmv::config m_config;
    std::uint64_t m_memory_used = 0;
    double m_clock_period_ns;
    std::string m_name;
    std::unique_ptr<watched_jobs> m_jobs;
    std::unique_ptr<platform> m_platform;
};

/// Throws arch::input_error when the technology misses an energy that such a device, or its memory, is charged with.
void require_energies(const arch::technology& technology, const mmv::config& device);

/// Simulates until the programs of all stations are done, with the waveform of the first, and of its elements `watched`, when one was asked
/// for. What the simulation cost.
///
/// Throws what a program threw. An overflow on the device is a wrong_result, any other error that it reports an arch::device_failure.
process_usage run_stations(const std::vector<mmv_station*>& stations, const common_options& common,
                           const std::vector<watched_element>& watched);

} // namespace tensorloom::testbench
