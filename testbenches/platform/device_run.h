#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/arch/device_driver.h>
#include <tensorloom/models/triada/config.h>
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

/// Simulates until the host's program is done, with the waveform that was asked for; what that took. A detailed platform is left
/// alive until the process ends (it takes long to tear down). `watch`: cells that the waveform shows.
/// Throws what the program threw; arch::device_failure when the program is not done at the end.
template <class Platform>
process_usage run_to_end(std::unique_ptr<Platform> platform, const common_options& common,
                         const std::vector<triada::shape3>& watch)
{
    std::optional<waveform_file> waveform;
    if (common.vcd) {
        waveform.emplace(*common.vcd);
        platform->device.trace(waveform->trace(), watch);
    }
    const usage_meter meter;
    try {
        sc_core::sc_start();
    } catch (const sc_core::sc_report&) {
        platform.release()->cpu.rethrow(); // what the program threw says more
        throw;
    }
    const auto usage = meter.elapsed();
    const bool finished = platform->cpu.finished();
    if (waveform) { waveform->close(); }
    if (common.detailed) { static_cast<void>(platform.release()); }
    if (!finished) { throw arch::device_failure("the simulation ended before the host's program did"); }
    return usage;
}

} // namespace tensorloom::testbench
