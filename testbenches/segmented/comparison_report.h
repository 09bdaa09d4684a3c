#pragma once
#include <ostream>
#include <string>
#include "platform/output_directory.h"
#include "segmented/segmented_comparison.h"
#include "segmented/segmented_options.h"

namespace tensorloom::testbench {

// Of a comparison: the table for people; summary.json, latency.csv, energy.csv, trace.json. The files with rows have
// the programs of the device whose vector costs are as they are.
void print_table(std::ostream& out, const segmented_options& options, const segmented_comparison& comparison);
/// What is wrong with a comparison that has not passed, in one line.
std::string failure_text(const segmented_options& options, const segmented_comparison& comparison);
void write_files(const output_directory& directory, const segmented_options& options,
                 const segmented_comparison& comparison);

} // namespace tensorloom::testbench
