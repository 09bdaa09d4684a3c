#include "platform/report/run_bound.h"
#include <algorithm>
#include <utility>

namespace tensorloom::testbench {

double peak_bytes_per_cycle(const common_options& common, unsigned dma_ports)
{
    const auto& around = common.platform;
    const double port = around.bus_bytes_per_cycle();
    const double memory =
        around.in_dram() ? around.dram_config.peak_bytes_per_ns() * static_cast<double>(clock_period_ps(common)) / 1000
                         : static_cast<double>(around.memory_bytes_per_cycle) * around.memory_ports;
    return std::min(port * dma_ports, memory);
}

run_bound bound_of(const program_costs& costs, const common_options& common, unsigned dma_ports)
{
    run_bound bound;
    const auto& freed = costs.freed;
    const auto all = static_cast<double>(freed.all());
    for (std::size_t r = 0; r < base::resource_count; ++r) {
        const std::uint64_t without = freed.without(static_cast<base::resource>(r)); // an estimate may be above all
        const std::uint64_t saved = freed.all() - std::min(freed.all(), without);
        bound.savings[r] = ratio(static_cast<double>(saved), all);
    }
    // Transfers save at least what each of their parts does.
    constexpr double much_more = 2;
    auto single = bound.savings;
    const double transfers = std::exchange(single[static_cast<std::size_t>(base::resource::transfers)], 0);
    const auto most = std::max_element(single.begin(), single.end());
    if (*most > 0) { bound.by = static_cast<base::resource>(most - single.begin()); }
    if (transfers > much_more * *most) { bound.by = base::resource::transfers; }
    bound.computing = ratio(static_cast<double>(freed.only_compute()), all);

    const auto cycles = static_cast<double>(costs.cycles);
    bound.bus_bytes_per_cycle = ratio(static_cast<double>(costs.bus_bytes()), cycles);
    bound.peak_bus_bytes_per_cycle = peak_bytes_per_cycle(common, dma_ports);
    auto& bus = bound.bus;
    bus.busy = std::min(1.0, bound.bus_bytes_per_cycle / (common.platform.bus_bytes_per_cycle() * dma_ports));
    bus.waiting = std::min(1 - bus.busy, ratio(static_cast<double>(costs.bus_stalled_cycles), cycles * dma_ports));
    bus.idle = 1 - bus.busy - bus.waiting;
    return bound;
}

} // namespace tensorloom::testbench
