#pragma once
#include <algorithm>
#include <array>
#include <optional>
#include <tensorloom/models/base/values/resources.h>
#include "platform/options/testbench_options.h"
#include "platform/run/program_costs.h"

namespace tensorloom::testbench {

inline double ratio(double a, double b) { return b == 0 ? 0 : a / b; } ///< of a to b; 0 when b is

/// Peak bytes per cycle of a device's DMA ports and their memory.
double peak_bytes_per_cycle(const common_options& common, unsigned dma_ports = 1);

/// Cycles of the DMA's ports, as shares.
struct bus_use {
    double busy = 0;    ///< beats
    double waiting = 0; ///< idle: the memory has not answered
    double idle = 0;    ///< idle for another reason: no transfer, or the device's port is slower
};

/// What a run is bound by: the resource that saves most of its cycles if it takes no time (base::freed_cycles); work
/// that other work hides saves nothing. Transfers as a whole only if they save more than twice as much as any one
/// resource.
struct run_bound {
    std::array<double, base::resource_count> savings{}; ///< by resource: share of the cycles
    std::optional<base::resource> by;                   ///< none when no resource saves a cycle
    double computing = 0; ///< cycles that are left when all but computing is free, as a share
    double bus_bytes_per_cycle = 0;
    double peak_bus_bytes_per_cycle = 0;
    bus_use bus;

    double saving(base::resource r) const { return savings[static_cast<std::size_t>(r)]; }
    /// Of this utilisation end to end, what it would be if all but computing took no time; at most 1.
    double utilisation_ceiling(double utilisation) const { return std::min(1.0, ratio(utilisation, computing)); }
};

/// `dma_ports`: of the device, or of all devices.
run_bound bound_of(const program_costs& costs, const common_options& common, unsigned dma_ports = 1);

} // namespace tensorloom::testbench
