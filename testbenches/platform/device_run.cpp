#include "platform/device_run.h"
#include <algorithm>

namespace tensorloom::testbench {

process_usage run_programs(const std::vector<const bus::host_thread*>& hosts)
{
    const usage_meter meter;
    try {
        sc_core::sc_start();
    } catch (const sc_core::sc_report&) {
        for (const auto* host : hosts) { host->rethrow(); } // what a program threw says more
        throw;
    }
    const auto usage = meter.elapsed();
    if (!std::all_of(hosts.begin(), hosts.end(), [](const bus::host_thread* host) { return host->finished(); })) {
        throw arch::device_failure("the simulation ended before the host's program did");
    }
    return usage;
}

} // namespace tensorloom::testbench
