#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <vector>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/job_log.h>
#include <tensorloom/models/arch/triada/gemt_tiles.h>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/workloads/gemt_check.h>
#include "dxt/dxt_options.h"
#include "platform/output_directory.h"
#include "platform/process_usage.h"

namespace tensorloom::testbench {

/// The events of one of the three stages, over the whole batch.
struct stage_totals {
    unsigned mode = 0; ///< 1, 2, 3: the mode that it sums
    std::uint64_t steps = 0;
    std::uint64_t steps_skipped = 0;
    std::uint64_t coefficient_sends = 0;
    std::uint64_t operand_sends = 0;
    std::uint64_t macs = 0;
    std::uint64_t macs_skipped = 0;
};

/// Everything that a run found out.
struct dxt_findings {
    std::uint64_t cycles = 0;
    std::uint64_t clock_period_ps = 1000;
    std::uint64_t memory_bytes = 0;
    std::uint64_t workspace_bytes = 0;
    arch::triada::gemt_plan plan;                 ///< of each tensor
    std::uint64_t active_cell_steps = 0;          ///< time-steps executed, each times the active cells of its pass
    process_usage usage;                          ///< of the simulation
    std::optional<workloads::check_result> check; ///< the worst of the batch; none: not checked
    std::optional<std::uint64_t> kept;            ///< elements that --keep left, over the batch
    const activity::job_log* log = nullptr;
    const activity::energy_report* energy = nullptr;
};

std::array<stage_totals, 3> stages_of(const activity::job_log& log, const std::array<unsigned, 3>& order);

/// The table for people.
void print_table(std::ostream& out, const dxt_options& options, const dxt_findings& findings);

/// summary.json, latency.csv, energy.csv, trace.json.
void write_files(const output_directory& directory, const dxt_options& options, const dxt_findings& findings);

} // namespace tensorloom::testbench
