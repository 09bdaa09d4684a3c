#pragma once
#include <cstdint>
#include <tensorloom/models/costs/dram/dram_config.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/workloads/contraction/plan.h>
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {

/// Planner's model of a DRAM, from its configuration, at this clock period of the device in ns:
///
///     bytes per cycle      peak, less the share of time that refreshes take; in a run that ends before the first, peak
///     run                  RL + tDQSCK + a burst, and dma_cycles: the DMA asks for a run when it has the one before
///     transfer             the same plus tRCD to open the row
///     energy per byte      of a burst, its share of a row opened once
///     energy per cycle     background with rows open, refreshes
workloads::memory_estimate estimate_of_dram(const costs::dram_config& dram, double clock_ns);

/// Planner's model of an SRAM of this size: as wide as the bus; a run or transfer takes dma_cycles plus the rest of its
/// last beat.
workloads::memory_estimate estimate_of_sram(const costs::energy_model& energy, double clock_ns);

/// The memory of the options, for this many bytes of data, through a DMA port of their width.
workloads::memory_estimate memory_estimate_of(const common_options& common, const costs::technology& technology,
                                              std::uint64_t data_bytes);

} // namespace tensorloom::testbench
