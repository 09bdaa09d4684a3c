#pragma once
#include <optional>
#include <string>
#include "platform/options/testbench_options.h"
#include "platform/run/program_costs.h"

namespace tensorloom::testbench {

/// Bytes that a port of the DMA and the memory behind it move in a cycle at most.
double peak_bytes_per_cycle(const common_options& common);

/// What bounds a run: the cause of most of its cycles; none where no cycle was spent.
struct run_bound {
    std::string cause;
    double share = 0;                          ///< of all cycles
    std::optional<double> bus_bytes_per_cycle; ///< of causes that wait for data: while they do, at most the peak
};

/// `peak`: peak_bytes_per_cycle().
run_bound bound_of(const program_costs& costs, double peak);

} // namespace tensorloom::testbench
