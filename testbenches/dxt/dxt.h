#pragma once
#include <cstdint>
#include <optional>
#include <ostream>
#include <vector>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <tensorloom/workloads/gemt_check.h>
#include "platform/triada/triada_options.h"
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"
#include "platform/triada/gemt_job.h"
#include "platform/triada/tile_options.h"

namespace tensorloom::testbench {

/// Lines of the mesh along which a signal takes its time.
struct timed_lines {
    double mm_per_cycle = 0; ///< that a signal travels
    double longest_um = 0;
    std::uint64_t cycles = 1; ///< of a signal along the longest line
};

/// A run that ranks of MPI share (docs/ranks.md).
struct rank_options {
    unsigned count = 0;                    ///< 0: one process, without MPI
    std::optional<std::string> checkpoint; ///< directory
    bool resume = false;
};

/// Options of a run of dxt.
struct dxt_options : gemt_job, run_options {
    std::optional<double> keep;
    triada_options device;
    triada::shape3 mesh{};
    std::optional<timed_lines> lines; ///< they set the cycles of a time-step; none: --step-cycles does
    tile_settings tiling;
    std::vector<triada::shape3> watch; ///< inside the mesh and the active box
    rank_options ranks;
};

/// Reads the command line; none for help or version. Throws base::input_error.
std::optional<dxt_options> read_dxt_options(int argc, char** argv, std::ostream& out);

/// What a step of a chain did, over the batch.
struct chain_step_totals {
    std::uint64_t cycles = 0; ///< without fetching the program
    triada::counts counts;
};

/// What ranks did.
struct rank_findings {
    /// All ranks cut the tensor along another mode.
    struct exchange {
        unsigned after_stage = 0; ///< 1 to 3
        std::uint64_t bytes = 0;  ///< between ranks
        double wall_s = 0;        ///< of the slowest rank, without waiting for others
    };

    std::vector<unsigned> splits; ///< mode along which the tensor is cut, 1 to 3, by stage
    std::vector<exchange> exchanges;
    double load_cpu_s = 0;              ///< of the rank with most: filling or reading its slab
    double cpu_s = 0;                   ///< likewise: stages and exchanges
    double exchange_cpu_s = 0;          ///< likewise: exchanges alone
    double waiting_s = 0;               ///< likewise, wall time
    std::uint64_t most_rss_bytes = 0;   ///< of the largest rank
    std::uint64_t checkpoint_bytes = 0; ///< of all ranks, of every stage
    double checkpoint_s = 0;            ///< wall time of the slowest rank
    std::optional<unsigned> resumed;    ///< stages that a checkpoint had
};

/// Results of a run.
struct dxt_findings {
    program_costs costs;
    die on;
    std::uint64_t memory_bytes = 0;               ///< size of the memory on the bus
    std::uint64_t workspace_bytes = 0;            ///< of that, for intermediate tensors
    triada::gemt_plan plan;                       ///< of each tensor
    std::vector<chain_step_totals> steps;         ///< of a chain
    std::uint64_t active_cell_steps = 0;          ///< time-steps executed, each times the active cells of its pass
    process_usage usage;                          ///< of the simulation only
    std::optional<workloads::check_result> check; ///< the worst of the batch; none: not checked
    std::optional<std::uint64_t> kept;            ///< elements that --keep left, over the batch
    std::optional<rank_findings> ranks;           ///< of a run that ranks share
};

/// Hierarchical name of the device in the simulation.
inline constexpr char device_name[] = "platform.device";

/// Table and summary. `log`: of the device.
void write_report(run_report& report, const dxt_options& options, const dxt_findings& findings,
                  const activity::program_log& log);

} // namespace tensorloom::testbench
