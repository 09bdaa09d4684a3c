#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/tlm/host_thread.h>
#include "platform/device_jobs.h"
#include "platform/process_usage.h"
#include "platform/progress.h"
#include "platform/testbench_options.h"

namespace tensorloom::testbench {

/// How long a run may become that a user's own program decides about.
struct run_limits {
    std::uint64_t cycles = std::numeric_limits<std::uint64_t>::max();  ///< of each program
    std::uint64_t records = std::numeric_limits<std::uint64_t>::max(); ///< of all logs; run_stations() refuses more
};

/// A platform of its own with one device, and what the device did there. Several may stand in one simulation. What kind
/// of device it is, a station derived from this says.
class device_station {
public:
    virtual ~device_station();
    device_station(const device_station&) = delete;
    device_station& operator=(const device_station&) = delete;

    /// The memory, as the energy of an SRAM takes it: the smallest one with room for the largest program and the data
    /// of what ran, in powers of two from 64 KiB on. That of the simulation is larger, because what a run needs is
    /// known only afterwards; cycles do not depend on it.
    std::uint64_t memory_bytes() const;
    const device_jobs& jobs() const;
    std::size_t programs() const { return jobs().jobs().size(); } ///< that ran so far
    double clock_period_ns() const { return m_clock_period_ns; }

protected:
    /// `name`: of the platform in the simulation; `shown`: gets how far the device is, where nobody else shows
    /// anything; else nullptr.
    device_station(const std::string& name, const common_options& common, activity::log_detail detail, progress* shown,
                   std::uint64_t most_records = run_limits{}.records);

    const std::string& name() const { return m_name; }
    bus::activity_sink* sink();
    void note_memory_used(std::uint64_t bytes) { m_memory_used = bytes; }
    /// An SRAM of memory_bytes(). Throws arch::input_error for what the technology misses.
    activity::module_energy sram_model(const arch::technology& technology) const;

private:
    class watched_jobs;
    friend process_usage run_stations(const std::vector<device_station*>& stations, const common_options& common,
                                      const std::function<void(sc_core::sc_trace_file&)>& trace_first);

    virtual const bus::host_thread& host() const = 0;
    virtual void settle_memory() = 0; ///< brings its counts up to the present time
    virtual void leave_alive() = 0;   ///< the platform, to the end of the process

    std::string m_name;
    double m_clock_period_ns;
    std::uint64_t m_memory_used = 0;
    std::unique_ptr<watched_jobs> m_jobs;
};

/// Throws arch::input_error when a limit on the address space leaves no room for a device's own memory and that of the
/// platform. Both are reserved when the platform is built, and taken page by page when they are used.
void require_addresses(const std::string& device_memory, std::uint64_t device_bytes, std::uint64_t memory_bytes);

/// Simulates until the programs of all stations are done, with the waveform of the first when one was asked for:
/// `trace_first` says what it shows. What the simulation cost. Throws what a program threw, and arch::input_error when
/// a log grows beyond its limit.
process_usage run_stations(const std::vector<device_station*>& stations, const common_options& common,
                           const std::function<void(sc_core::sc_trace_file&)>& trace_first);

} // namespace tensorloom::testbench
