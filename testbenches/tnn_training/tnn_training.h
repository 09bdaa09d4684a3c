#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/workloads/training/training_run.h>
#include "platform/fetta/fetta_options.h"
#include "platform/run/program_costs.h"
#include "platform/run/step_costs.h"
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"
#include "platform/fetta/fetta_run.h"
#include "tnn_training/epoch_phases.h"
#include "tnn_training/sample_files.h"

namespace tensorloom::testbench {

/// Options of a run of tnn_training.
struct tnn_training_options : run_options {
    workloads::model_description model;
    sample_request data;                    ///< where the samples come from
    workloads::labelled_samples samples;    ///< which match the model
    std::uint64_t steps = 0;                ///< of an epoch
    bool drop_last = false;                 ///< an epoch ends with the last whole batch
    std::uint64_t block = 0;                ///< samples of a block of the batch; 0: chosen
    std::optional<std::string> save;        ///< file for the final state
    std::optional<std::string> resume;      ///< file of the initial state
    std::optional<std::string> checkpoint;  ///< file for the state during the run
    std::uint64_t checkpoint_epochs = 1;    ///< from one checkpoint to the next
    std::optional<std::string> weights_in;  ///< file of the initial parameters
    std::optional<std::string> weights_out; ///< file for the final ones
    /// Step shown in trace.json, from 1; none: the first one.
    struct step_number {
        std::uint64_t epoch = 0, step = 0;
    };
    std::optional<step_number> trace_step;
    workloads::operand_paths paths = workloads::operand_paths::gathered;
    fetta_options device;
};

/// Reads the command line; none for help or version. Throws base::input_error.
std::optional<tnn_training_options> read_tnn_training_options(int argc, char** argv, std::ostream& out);

/// Results of an epoch.
struct epoch_findings {
    std::vector<workloads::batch_metrics> batches; ///< of training
    workloads::batch_metrics validation;           ///< without a validation set no samples
    workloads::batch_metrics test;
    program_costs training;
    epoch_costs phases;
};

/// What the planner has decided on for the training program.
struct training_plan {
    std::uint64_t blocks = 1, block_samples = 1;
    bool stays = false;                 ///< no tensor leaves the chip
    workloads::step_estimate cycles; ///< of an epoch's program, by estimate
};

/// Results of a run.
struct tnn_training_findings : fetta_findings {
    std::vector<epoch_findings> epochs;
    std::uint64_t first_epoch = 0;                   ///< earlier epochs belong to the resumed run
    workloads::training_memory memory, dense_memory; ///< of a step, and of its dense twin
    std::uint64_t occupied_bytes = 0;                ///< of the unified memory, by both programs
    training_plan plan;
    workloads::path_counts paths;  ///< of the operands of a training step
    std::optional<bool> same_bits; ///< same bits as the emulation; none: not compared
    std::uint64_t compared = 0;    ///< numbers
    std::string first_difference;
    std::string not_a_number; ///< position of a loss that is not finite, which ends the run
    workloads::training_state begin, end;
    step_costs by_step;                           ///< of all epochs
    std::optional<workloads::best_training> best; ///< with early stopping
    bool is_stopped = false;                      ///< early

    /// The state that is saved, and its metrics of the test set.
    const workloads::training_state& result() const { return best ? best->state : end; }
    const workloads::batch_metrics& result_test() const { return best ? best->test : epochs.back().test; }

    bool passed() const { return same_bits.value_or(true) && not_a_number.empty(); }
    std::string failure() const; ///< in one line
};

/// Memory by layer and kind of this network and of its dense twin, in --out:
///
///     network,layer,masters,copies,gradients,optimizer,activations,temporaries
inline constexpr const char* memory_file = "memory.csv";
void write_memory_file(const std::filesystem::path& path, const tnn_training_options& options,
                       const tnn_training_findings& findings);

/// Table and summary.
void write_report(run_report& report, const tnn_training_options& options, const tnn_training_findings& findings);

} // namespace tensorloom::testbench
