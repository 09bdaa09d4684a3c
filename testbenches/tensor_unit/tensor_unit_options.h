#pragma once
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/workloads/tensor_unit/algorithms.h>
#include "platform/options/mmv_options.h"
#include "platform/report/run_files.h"

namespace tensorloom::testbench {

/// What a run of tensor_unit is asked to do.
struct tensor_unit_options : run_options {
    bool theorems = false;                                       ///< run them all; no algorithm then
    const workloads::tensor_unit_algorithm* algorithm = nullptr; ///< that runs: with --scalar the baseline
    workloads::tensor_unit_problem problem;                      ///< complete
    std::vector<std::string> inputs;                             ///< .npy files; none: those of the docs
    std::uint64_t latency = 0;                                   ///< l of the (m,l)-TCU model
    unsigned side = 16;                                          ///< q = sqrt(m)
    mmv_options device;
    arch::element_type format = arch::element_type::int64;
};

/// "--size 64, --sweeps 4": what the algorithm uses of the problem, as it would be typed.
std::string problem_options_text(const tensor_unit_options& options);

/// Reads the command line; nothing when it asked for help or version. Throws arch::input_error.
std::optional<tensor_unit_options> read_tensor_unit_options(int argc, char** argv, std::ostream& out);

} // namespace tensorloom::testbench
