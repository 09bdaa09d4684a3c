#pragma once
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include "compare_measured/measured_machine.h"
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

struct compare_measured_options : run_options {
    const measured_machine_entry* machine = nullptr;
    std::optional<std::string> cases; ///< a file; none: the cases that ship with the project
    std::optional<std::string> only;  ///< the cases of this name; none: all
};

/// Reads the command line; none for help or version. Throws base::input_error.
std::optional<compare_measured_options> read_compare_measured_options(int argc, char** argv, std::ostream& out);

/// Errors of some cases: model over measured, less 1.
struct measured_errors {
    std::size_t cases = 0;
    double mean = 0, largest = 0;           ///< of their absolute values
    std::optional<double> rank_correlation; ///< of Spearman; none of less than two different measurements
};
measured_errors errors_of(const std::vector<measured_case>& cases, const std::optional<bool>& fitted);

/// What a run found.
struct compare_measured_findings {
    std::vector<measured_case> cases;
    json configuration;
    process_usage usage;

    bool passed() const;
};

void write_report(run_report& report, const compare_measured_options& options, const compare_measured_findings& found);
std::string cases_csv(measured_quantity quantity, const compare_measured_findings& found);

} // namespace tensorloom::testbench
