#pragma once
#include <ostream>
#include <string>
#include "platform/output_directory.h"
#include "segmented/segmented_options.h"
#include "segmented/segmented_run.h"

namespace tensorloom::testbench {

// Of one run: the table for people; summary.json, latency.csv, energy.csv, trace.json.
void print_table(std::ostream& out, const segmented_options& options, const segmented_findings& findings);
void write_files(const output_directory& directory, const segmented_options& options,
                 const segmented_findings& findings);

/// What is wrong with findings that have not passed, in one line.
std::string failure_text(const segmented_options& options, const segmented_findings& findings);

} // namespace tensorloom::testbench
