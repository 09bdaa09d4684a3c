#pragma once
#include <ostream>
#include <string>
#include "platform/output_directory.h"
#include "tensor_unit/tensor_unit_options.h"
#include "tensor_unit/tensor_unit_run.h"
#include "tensor_unit/theorem_run.h"

namespace tensorloom::testbench {

// Of one run: the table for people; summary.json, latency.csv, energy.csv, trace.json.
void print_table(std::ostream& out, const tensor_unit_options& options, const tensor_unit_findings& findings);
void write_files(const output_directory& directory, const tensor_unit_options& options,
                 const tensor_unit_findings& findings);

/// What is wrong with findings that have not passed, in one line.
std::string failure_text(const tensor_unit_options& options, const tensor_unit_findings& findings);
std::string failure_text(const tensor_unit_options& options, const theorems_findings& findings);

// Of the theorems: the table; summary.json alone.
void print_table(std::ostream& out, const tensor_unit_options& options, const theorems_findings& findings);
void write_files(const output_directory& directory, const tensor_unit_options& options,
                 const theorems_findings& findings);

} // namespace tensorloom::testbench
