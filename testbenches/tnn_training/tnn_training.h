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
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"
#include "platform/fetta/fetta_run.h"
#include "tnn_training/epoch_phases.h"

namespace tensorloom::testbench {

/// What a run of tnn_training is asked to do.
struct tnn_training_options : run_options {
    workloads::model_description model;
    std::string data;                  ///< folder of the model's data set, where it does not ship with the project
    bool drop_last = false;            ///< an epoch ends with the last whole batch
    std::optional<std::string> save;   ///< where the state goes in the end
    std::optional<std::string> resume; ///< the state to begin with
    /// Of trace.json, from 1; nothing: the first one.
    struct step_number {
        std::uint64_t epoch = 0, step = 0;
    };
    std::optional<step_number> trace_step;
    fetta_options device;
};

/// Reads the command line; nothing when it asked for help or version. Throws base::input_error.
std::optional<tnn_training_options> read_tnn_training_options(int argc, char** argv, std::ostream& out);

/// What an epoch gave.
struct epoch_findings {
    std::vector<workloads::batch_metrics> batches; ///< of training
    workloads::batch_metrics test;
    program_costs training;
    epoch_costs phases;
};

/// What one run gave.
struct tnn_training_findings : fetta_findings {
    std::vector<epoch_findings> epochs;
    std::uint64_t first_epoch = 0;                   ///< those before it were of the run that is resumed
    workloads::training_memory memory, dense_memory; ///< of a step, and of its dense twin
    std::uint64_t occupied_bytes = 0;                ///< of the unified memory, by both programs
    std::optional<bool> same_bits;                   ///< as the emulation; nothing: not compared
    std::uint64_t compared = 0;                      ///< numbers
    std::string first_difference;
    std::string not_a_number; ///< where the loss is none; it is the end of the run
    workloads::training_state begin, end;

    bool passed() const { return same_bits.value_or(true) && not_a_number.empty(); }
    std::string failure() const; ///< in one line
};

/// By layer and kind of this network and of its dense twin, in --out:
///
///     network,layer,masters,copies,gradients,optimizer,activations,temporaries
inline constexpr const char* memory_file = "memory.csv";
void write_memory_file(const std::filesystem::path& path, const tnn_training_options& options,
                       const tnn_training_findings& findings);

/// Table and summary.
void write_report(run_report& report, const tnn_training_options& options, const tnn_training_findings& findings);

} // namespace tensorloom::testbench
