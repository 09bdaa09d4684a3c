#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include "platform/options.h"
#include "platform/run_files.h"
#include "platform/testbench_options.h"
#include "platform/transform_job.h"
#include "platform/triada_options.h"

namespace tensorloom::testbench {

/// What a run of dxt is asked to do; checked, as far as that goes without loading data. Files named have been looked
/// at.
struct dxt_options : transform_job {
    common_options common;

    std::optional<double> keep;
    triada_options device;
    triada::shape3 mesh{};

    std::optional<std::string> output;
    std::vector<triada::shape3> watch; ///< inside the mesh and the active box
    run_files files;                   ///< inputs and outputs

    std::vector<std::pair<std::string, std::string>> given; ///< every option with its text, for the summary
};

/// Reads the command line; nothing when it asked for help or version. Throws arch::input_error.
std::optional<dxt_options> read_dxt_options(int argc, char** argv, std::ostream& out);

} // namespace tensorloom::testbench
