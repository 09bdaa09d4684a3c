#pragma once
#include <ostream>
#include "platform/output_directory.h"
#include "tucker/tucker_costs.h"
#include "tucker/tucker_options.h"
#include "tucker/tucker_run.h"

namespace tensorloom::testbench {

/// The table for people.
void print_table(std::ostream& out, const tucker_options& options, const tucker_result& result,
                 const tucker_costs& costs, const device_jobs& jobs);

/// summary.json, latency.csv, energy.csv, trace.json.
void write_files(const output_directory& directory, const tucker_options& options, const tucker_result& result,
                 const tucker_costs& costs, const device_jobs& jobs);

} // namespace tensorloom::testbench
