#pragma once
#include <cstdint>
#include <tensorloom/models/activity/job_log.h>
#include <tensorloom/models/arch/triada/gemt_tiles.h>
#include "dxt/dxt_options.h"
#include "platform/process_usage.h"
#include "platform/transform_job.h"
#include "platform/transform_run.h"

namespace tensorloom::testbench {

/// Hierarchical names in the simulation.
inline constexpr char dxt_device_name[] = "platform.device";
inline constexpr char dxt_memory_name[] = "platform.memory";

/// Roughly what a run allocates: tensors on the host and in the memory, the core's registers or the modules of the
/// mesh, the reference.
std::uint64_t needed_bytes(const dxt_options& options);

/// What a simulation gave.
template <class T> struct dxt_result {
    transform_outcome<T> transform;
    arch::triada::gemt_plan plan;        ///< of each tensor
    std::uint64_t memory_bytes = 0;      ///< size of the SRAM
    std::uint64_t workspace_bytes = 0;   ///< of that, for intermediate tensors
    std::uint64_t active_cell_steps = 0; ///< time-steps executed, each times the active cells of its pass
    process_usage usage;                 ///< of the simulation alone
};

/// Runs the problem on the device, over the bus: the host uploads a program of one GEMT command per tensor through the
/// driver, starts it and waits for the interrupt. The tensors X of the problem are gone afterwards. `log` must be for
/// dxt_device_name. A detailed platform is left alive until the process ends: a large mesh takes long to tear down.
template <class T>
dxt_result<T> simulate(const dxt_options& options, transform_problem<T>& problem, activity::job_log& log);

} // namespace tensorloom::testbench
