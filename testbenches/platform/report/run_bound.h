#pragma once
#include <optional>
#include <string>
#include "platform/options/testbench_options.h"
#include "platform/run/program_costs.h"

namespace tensorloom::testbench {

inline double ratio(double a, double b) { return b == 0 ? 0 : a / b; } ///< of a to b; 0 when b is

/// Peak bytes per cycle of a device's DMA ports and their memory.
double peak_bytes_per_cycle(const common_options& common, unsigned dma_ports = 1);

/// The bound of a run: the cause of most of its cycles; none without cycles.
struct run_bound {
    std::string cause;
    double share = 0; ///< of all cycles
    std::optional<double>
        bus_bytes_per_cycle; ///< for causes that wait for data: throughput in these cycles, at most the peak
};

/// `peak`: peak_bytes_per_cycle().
run_bound bound_of(const program_costs& costs, double peak);

} // namespace tensorloom::testbench
