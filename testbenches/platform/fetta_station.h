#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/arch/fetta/events.h>
#include <tensorloom/workloads/fetta/machine.h>
#include "platform/device_station.h"
#include "platform/fetta_options.h"
#include "platform/job_costs.h"

namespace tensorloom::testbench {

/// What programs of a FETTA cost.
struct fetta_costs : job_costs {
    arch::fetta::counts counts;
};

/// A platform of its own with a FETTA and a DRAM or an SRAM.
class fetta_station : public device_station {
public:
    using program_type = std::function<void(workloads::fetta_machine&)>;

    /// Memory that an SRAM needs for programs and so many bytes of data.
    static std::uint64_t sram_bytes_for(std::uint64_t data_bytes);
    /// Where data begins in the memory of every station, and what a DRAM has room for from there on.
    static std::uint64_t data_base();
    static std::uint64_t dram_data_bytes(const arch::dram_config& dram);

    /// Elaboration. `sram_bytes`: size of an SRAM; `program`: what the host does with the device, which gets an
    /// arch::device_failure of a program that is not done within limits.cycles. Throws arch::input_error when a limit
    /// on the address space leaves no room for the memory.
    fetta_station(const std::string& name, const fetta_options& options, const common_options& common,
                  std::uint64_t sram_bytes, activity::log_detail detail, program_type program,
                  progress* shown = nullptr, const run_limits& limits = {});
    ~fetta_station() override;

    /// What run_stations() takes to show the device, with what the options say.
    std::function<void(sc_core::sc_trace_file&)> waveform();

    /// What device and memory cost in energy. Throws arch::input_error for what the technology misses.
    std::vector<activity::module_energy> energy_models(const arch::technology& technology) const;

    /// Of the programs `first` to `end` - 1.
    fetta_costs costs(std::size_t first, std::size_t end, const std::vector<activity::module_energy>& models) const;

private:
    struct platform;

    // device_station
    const bus::host_thread& host() const override;
    void settle_memory() override;
    void leave_alive() override;

    fetta_options m_options;
    common_options m_common;
    std::unique_ptr<platform> m_platform;
};

} // namespace tensorloom::testbench
