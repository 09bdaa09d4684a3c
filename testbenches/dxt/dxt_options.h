#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <tensorloom/models/triada/config.h>
#include "platform/options.h"
#include "platform/run_files.h"
#include "platform/testbench_options.h"
#include "platform/transform_job.h"

namespace tensorloom::testbench {

/// What a run of dxt is asked to do; checked, as far as that goes without loading data. Files named have been looked at.
struct dxt_options : transform_job {
    common_options common;

    std::optional<double> keep;
    triada::shape3 mesh{};
    unsigned step_cycles = 3;
    unsigned load_elements = 8;
    triada::line_extent line_extent = triada::line_extent::mesh;
    unsigned vertical_mode = 2;

    std::optional<std::string> output;
    std::vector<triada::shape3> watch;
    run_files files; ///< inputs and outputs

    std::vector<std::pair<std::string, std::string>> given; ///< every option with its text, for the summary
};

/// Reads the command line; nothing when it asked for help or version. Throws arch::input_error.
std::optional<dxt_options> read_dxt_options(int argc, char** argv, std::ostream& out);

} // namespace tensorloom::testbench
