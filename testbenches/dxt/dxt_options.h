#pragma once
#include <optional>
#include <ostream>
#include <vector>
#include "platform/report/run_files.h"
#include "platform/transform/transform_job.h"
#include "platform/options/triada_options.h"

namespace tensorloom::testbench {

/// What a run of dxt is asked to do.
struct dxt_options : transform_job, run_options {
    std::optional<double> keep;
    triada_options device;
    triada::shape3 mesh{};
    std::vector<triada::shape3> watch; ///< inside the mesh and the active box
};

/// Reads the command line; nothing when it asked for help or version. Throws arch::input_error.
std::optional<dxt_options> read_dxt_options(int argc, char** argv, std::ostream& out);

} // namespace tensorloom::testbench
