#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/workloads/step_planner/step_plan.h>
#include <tensorloom/workloads/step_planner/step_program.h>
#include <tensorloom/workloads/step_planner/step_values.h>
#include "platform/fetta/fetta_options.h"
#include "platform/run/program_costs.h"
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"
#include "platform/fetta/fetta_run.h"
#include "tnn_step/tensor_files.h"

namespace tensorloom::testbench {

/// Options of a run of tnn_step.
struct tnn_step_options : run_options {
    std::string layer;                               ///< name, or format
    std::string sequence;                            ///< of the forward contractions: name
    workloads::tensor_network network;               ///< of the forward pass
    std::optional<workloads::contraction_tree> tree; ///< its sequence; none: searched
    std::string phases;
    bool dx = false;
    workloads::tensorized_layer shape;
    given_tensors given;               ///< of the user
    float rate = 0;                    ///< factor of the update on gradients
    workloads::step_settings settings; ///< without the memory's estimate
    fetta_options device;
};

/// Reads the command line; none for help or version. Throws base::input_error.
std::optional<tnn_step_options> read_tnn_step_options(int argc, char** argv, std::ostream& out);

/// Costs of a phase of the program.
struct phase_costs {
    std::uint64_t cycles = 0;
    cause_list cycles_by_cause;
    std::uint64_t engine_cycles = 0; ///< cycles in which the tensor contraction unit worked, including conflicts
    std::uint64_t conflict_cycles = 0;
    std::uint64_t macs = 0;
    std::uint64_t ideal_engine_cycles = 0;
};

/// Results of a run.
struct tnn_step_findings : fetta_findings {
    workloads::contraction_tree tree; ///< sequence of the forward pass
    workloads::step_plan plan;
    workloads::step_program program;
    workloads::step_values results; ///< in the order of the batch
    std::optional<workloads::step_check> check;
    std::uint64_t placed_bytes = 0; ///< written by the host before the step: data, cores, masters, rate
    std::array<phase_costs, workloads::step_phases> phases;

    phase_costs total() const;
    /// The engines' cycles equal those of the plan.
    bool as_planned() const { return total().engine_cycles == plan.engine_cycles(); }
    bool passed() const { return !check || (check->passed() && as_planned()); }
    std::uint64_t compute_bound() const { return plan.ideal_engine_cycles(); }
    std::uint64_t dram_bound(const common_options& common) const; ///< cycles for all moved bytes at peak throughput
};

/// Table and summary.
void write_report(run_report& report, const tnn_step_options& options, const tnn_step_findings& findings);

/// Error message for results that have not passed.
std::string failure_text(const tnn_step_options& options, const tnn_step_findings& findings);

} // namespace tensorloom::testbench
