#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/mmv/config.h>
#include <tensorloom/workloads/mmv/machine.h>
#include "platform/device_station.h"
#include "platform/mmv_costs.h"
#include "platform/mmv_options.h"

namespace tensorloom::testbench {

/// A platform of its own with an MMU/VCU pair and an SRAM.
class mmv_station : public device_station {
public:
    using program_type = std::function<void(workloads::mmv_machine&)>;

    /// Memory to simulate for an algorithm whose largest array has so many elements of at most 16 bytes: programs and
    /// more than that.
    static std::uint64_t memory_for(std::uint64_t elements);

    /// Elaboration. `program`: what the host does with the device. Its errors: an overflow on the device is a
    /// wrong_result, any other one that it reports an arch::device_failure. Throws arch::input_error when a limit on
    /// the address space leaves no room for scratchpad and memory.
    mmv_station(const std::string& name, const mmv::config& device, const common_options& common,
                std::uint64_t simulated_memory_bytes, activity::log_detail detail, program_type program,
                progress* shown = nullptr);
    ~mmv_station() override;

    const mmv::config& device() const { return m_config; }

    /// What run_stations() takes to show the device, with these processing elements.
    std::function<void(sc_core::sc_trace_file&)> waveform(const std::vector<watched_element>& watched);

    /// What device and memory cost in energy. `scratchpad_bytes`: its size, for energy; `vector_scale`: factor on the
    /// estimated energies of the vector unit. Throws arch::input_error for what the technology misses.
    std::vector<activity::module_energy> energy_models(const arch::technology& technology,
                                                       std::uint64_t scratchpad_bytes, double vector_scale = 1) const;

    /// Of the programs `first` to `end` - 1.
    mmv_costs costs(std::size_t first, std::size_t end, const std::vector<activity::module_energy>& models) const;

private:
    struct platform;

    // device_station
    const bus::host_thread& host() const override;
    void settle_memory() override;
    void leave_alive() override;

    mmv::config m_config;
    std::unique_ptr<platform> m_platform;
};

/// Throws arch::input_error when the technology misses an energy that such a device, or its memory, is charged with.
void require_energies(const arch::technology& technology, const mmv::config& device);

} // namespace tensorloom::testbench
