#include "platform/report/run_bound.h"
#include <algorithm>
#include <iterator>

namespace tensorloom::testbench {

double peak_bytes_per_cycle(const common_options& common, unsigned dma_ports)
{
    const auto& around = common.platform;
    const double port = around.bus_bytes_per_cycle();
    if (!around.in_dram()) { return port * std::min(dma_ports, around.memory_ports); }
    return std::min(port * dma_ports,
                    around.dram_config.peak_bytes_per_ns() * static_cast<double>(clock_period_ps(common)) / 1000);
}

run_bound bound_of(const program_costs& costs, double peak)
{
    static constexpr const char* reading[] = {"fetch", "load", "matrices", "wait"};
    const auto most = std::max_element(costs.cycles_by_cause.begin(), costs.cycles_by_cause.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    run_bound bound;
    if (most == costs.cycles_by_cause.end() || most->second == 0) { return bound; }
    std::uint64_t all = 0; // of two devices more than the run has
    for (const auto& cause : costs.cycles_by_cause) { all += cause.second; }
    bound.cause = most->first;
    bound.share = ratio(static_cast<double>(most->second), static_cast<double>(all));
    const bool reads = std::find(std::begin(reading), std::end(reading), bound.cause) != std::end(reading);
    const bool writes = bound.cause == "store" || bound.cause == "unload";
    if (!reads && !writes) { return bound; }
    std::uint64_t cycles = writes ? most->second : 0;
    for (const char* cause : reading) { cycles += reads ? costs.cycles_of(cause) : 0; }
    const auto bytes = static_cast<double>(reads ? costs.bus_read_bytes : costs.bus_written_bytes);
    const double meanwhile = ratio(bytes, static_cast<double>(cycles));
    // More than the port can: transfers ran beside work, too.
    bound.bus_bytes_per_cycle = meanwhile <= peak
                                    ? meanwhile
                                    : ratio(static_cast<double>(costs.bus_bytes()), static_cast<double>(costs.cycles));
    return bound;
}

} // namespace tensorloom::testbench
