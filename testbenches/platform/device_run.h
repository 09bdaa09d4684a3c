#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>
#include <systemc>
#include <tensorloom/models/arch/program/device_driver.h>
#include "platform/device_platform.h"
#include "platform/process_usage.h"
#include "platform/testbench_options.h"
#include "platform/waveform_file.h"

namespace tensorloom::testbench {

/// A platform whose memory has this size, and whose memory and router run at the device's clock.
inline platform_config platform_settings(const common_options& common, std::uint64_t memory_bytes)
{
    const sc_core::sc_time period(static_cast<double>(clock_period_ps(common)), sc_core::SC_PS);
    platform_config config;
    config.memory.bytes = memory_bytes;
    config.memory.latency = 2 * period;
    config.memory.clock_period = period;
    config.router.latency = period;
    return config;
}

/// Simulates until the programs of all hosts are done; what that took. Throws what a program threw (its platform must
/// then stay alive); arch::device_failure when one is not done at the end.
process_usage run_programs(const std::vector<const bus::host_thread*>& hosts);

/// The same for a platform, with the waveform that was asked for. A detailed platform is left alive until the process
/// ends (it takes long to tear down). `watch`: what the device's trace() takes besides the file, such as the cells to
/// show.
template <class Platform, class... Watch>
process_usage run_to_end(std::unique_ptr<Platform> platform, const common_options& common, const Watch&... watch)
{
    std::optional<waveform_file> waveform;
    if (common.vcd) {
        waveform.emplace(*common.vcd);
        platform->device.trace(waveform->trace(), watch...);
    }
    process_usage usage;
    try {
        usage = run_programs({&platform->cpu});
    } catch (...) {
        static_cast<void>(platform.release());
        throw;
    }
    if (waveform) { waveform->close(); }
    if (common.detailed) { static_cast<void>(platform.release()); }
    return usage;
}

} // namespace tensorloom::testbench
