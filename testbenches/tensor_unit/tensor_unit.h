#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/workloads/tensor_unit/algorithms.h>
#include <tensorloom/workloads/tensor_unit/lower_bounds.h>
#include <tensorloom/workloads/tensor_unit/result.h>
#include "platform/mmv/mmv_options.h"
#include "platform/report/testbench_run.h"
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

/// Options of a run of tensor_unit.
struct tensor_unit_options : run_options {
    bool theorems = false;                                       ///< run all theorems instead of an algorithm
    const workloads::tensor_unit_algorithm* algorithm = nullptr; ///< to run: with --scalar the baseline
    workloads::tensor_unit_problem problem;                      ///< complete
    std::vector<std::string> inputs;                             ///< .npy files; none: those of the docs
    bool allow_nonfinite = false;                                ///< of these files
    std::uint64_t latency = 0;                                   ///< l of the (m,l)-TCU model
    unsigned side = 16;                                          ///< q = sqrt(m)
    mmv_options device;
    base::element_type format = base::element_type::int64;
};

/// "--size 64, --sweeps 4": the options of the problem that the algorithm uses.
std::string problem_options_text(const tensor_unit_options& options);

/// Reads the command line; none for help or version. Throws base::input_error.
std::optional<tensor_unit_options> read_tensor_unit_options(int argc, char** argv, std::ostream& out);

/// The model's numbers from a device's counts.
workloads::tensor_unit_cost model_cost(const mmv::counts& counts);

// Problems and the model's numbers, for the reports of a run and of the theorems.

/// The fields of a problem that an algorithm uses, numbers by `number`: "64, inner 16".
std::string problem_text(const workloads::tensor_unit_algorithm& algorithm,
                         const workloads::tensor_unit_problem& problem, std::string (*number)(std::uint64_t));
/// "moves-free"
std::string charges_name(workloads::charge_table charges);
/// Size and options, null if the algorithm does not use them, and "weak".
json problem_json(const workloads::tensor_unit_algorithm& algorithm, const workloads::tensor_unit_problem& problem);
json cost_json(const workloads::tensor_unit_cost& cost, unsigned side, std::uint64_t latency);
json bounds_json(const workloads::run_bounds& bounds);

/// Runs every theorem over growing sizes at side 4 and 16, in one simulation with a device per side and format, and the
/// best baseline; Theorem 8 over sweeps and latencies; Theorem 12; and Theorem 10 as printed in the paper. It writes no
/// programs into files. The options must outlive it.
std::unique_ptr<testbench_run> make_theorem_run(const tensor_unit_options& options);

} // namespace tensorloom::testbench
