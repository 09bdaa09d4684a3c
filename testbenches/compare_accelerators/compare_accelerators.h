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

/// Options of a run of compare_accelerators.
struct compare_accelerators_options : run_options {
    std::string mode; ///< training, inference
    comparison what;
    workloads::evaluation_settings rules; ///< without the memory's estimate
    std::vector<const rule_sweep*> sweeps;
    bool by_phase = false;               ///< print the work of each phase
    std::vector<const rule_sweep*> grid; ///< rules that are combined; none: no grid
};

/// Reads the command line; none for help or version. Throws base::input_error.
std::optional<compare_accelerators_options> read_compare_accelerators_options(int argc, char** argv, std::ostream& out);

/// One value of a rule that is swept.
struct swept_point {
    const rule_sweep* sweep = nullptr;
    std::string value;
    std::vector<compared_group> groups;
};

/// One combination of the rules of a grid.
struct grid_point {
    rule_values values;
    std::vector<compared_group> groups;
};

/// Results of a comparison.
struct compare_accelerators_findings {
    std::vector<compared_group> groups;
    std::vector<swept_point> sweeps; ///< sweep by sweep, value by value
    std::vector<grid_point> grid;    ///< the last rule fastest
    std::optional<bool> passed;      ///< result of the check; none: not done
    std::string failure;             ///< what the check found wrong
    process_usage usage;
};

/// Tables and summary.
void write_report(run_report& report, const compare_accelerators_options& options,
                  const compare_accelerators_findings& findings);

/// comparison.csv: a row per workload, sequence and accelerator; sweep.csv: also per value of a rule; grid.csv: also
/// per combination of rules.
std::string comparison_csv(const compare_accelerators_options& options, const compare_accelerators_findings& findings);
std::string sweep_csv(const compare_accelerators_options& options, const compare_accelerators_findings& findings);
std::string grid_csv(const compare_accelerators_options& options, const compare_accelerators_findings& findings);

} // namespace tensorloom::testbench
