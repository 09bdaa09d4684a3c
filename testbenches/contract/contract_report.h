#pragma once
#include <ostream>
#include <string>
#include "contract/contract_options.h"
#include "contract/contract_run.h"
#include "platform/output_directory.h"

namespace tensorloom::testbench {

/// The table that a person reads.
void print_table(std::ostream& out, const contract_options& options, const contract_findings& findings);

/// One line that says what is wrong with findings that have not passed.
std::string failure_text(const contract_options& options, const contract_findings& findings);

/// summary.json, latency.csv, energy.csv, trace.json.
void write_files(const output_directory& directory, const contract_options& options, const contract_findings& findings);

} // namespace tensorloom::testbench
