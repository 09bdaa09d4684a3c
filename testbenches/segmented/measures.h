#pragma once
#include <cstdint>
#include <tensorloom/workloads/segmented/problem.h>
#include "platform/mmv/mmv_costs.h"
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

/// Data of a run, and its time by primitive.
struct segmented_measures {
    std::uint64_t elements = 0; ///< of x; spmv: of the matrix
    std::uint64_t bytes = 0;    ///< segmented_result::data_bytes
    part_list primitives;       ///< of instructions; the other cycles are the rest
    std::uint64_t cycles = 0;   ///< of all programs: what the primitives are parts of
};

double elements_per_ns(const segmented_measures& measures, double ns); ///< Gelem/s
double bytes_per_ns(const segmented_measures& measures, double ns);    ///< GB/s

/// throughput: elements, bytes, Gelem_per_s, GB_per_s; primitives: steps, cycles and share of all and of the rest.
json measures_json(const segmented_measures& measures, double ns);

/// Adds these fields and a line for each. `ns`: time of the run.
void write_measures(run_report& report, const segmented_measures& measures, double ns);

} // namespace tensorloom::testbench
