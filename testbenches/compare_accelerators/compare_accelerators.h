#pragma once
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <tensorloom/workloads/accelerators/evaluation.h>
#include "compare_accelerators/comparison.h"
#include "platform/process/process_resources.h"
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

/// What a run of compare_accelerators is asked to do.
struct compare_accelerators_options : run_options {
    std::string mode; ///< training, inference
    comparison what;
    workloads::evaluation_settings rules; ///< without the memory's estimate
    std::vector<const rule_sweep*> sweeps;
};

/// Reads the command line; nothing when it asked for help or version. Throws base::input_error.
std::optional<compare_accelerators_options> read_compare_accelerators_options(int argc, char** argv, std::ostream& out);

/// One value of a rule that is swept.
struct swept_point {
    const rule_sweep* sweep = nullptr;
    std::string value;
    std::vector<compared_group> groups;
};

/// What a comparison found.
struct compare_accelerators_findings {
    std::vector<compared_group> groups;
    std::vector<swept_point> sweeps; ///< sweep by sweep, value by value
    std::optional<bool> passed;      ///< of the check; nothing: not done
    std::string failure;             ///< what it found wrong
    process_usage usage;
};

/// Tables and summary.
void write_report(run_report& report, const compare_accelerators_options& options,
                  const compare_accelerators_findings& findings);

/// comparison.csv: a row per workload, sequence and accelerator; sweep.csv: a row per value of a rule besides.
std::string comparison_csv(const compare_accelerators_options& options, const compare_accelerators_findings& findings);
std::string sweep_csv(const compare_accelerators_options& options, const compare_accelerators_findings& findings);

} // namespace tensorloom::testbench
