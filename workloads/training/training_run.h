#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/workloads/fetta/session.h>
#include <tensorloom/workloads/training/labelled_samples.h>
#include <tensorloom/workloads/training/network_program.h>
#include <tensorloom/workloads/training/network_memory.h>
#include <tensorloom/workloads/training/network_plan.h>

namespace tensorloom::workloads {

/// The state that training changes.
struct training_state {
    parameter_values masters;              ///< values of the parameters of all layers
    std::vector<parameter_values> moments; ///< of the optimizer: velocities; adam: two
    std::array<float, step_constants> constants{};
    std::uint64_t epochs = 0; ///< completed epochs
    std::uint64_t seed = 0;   ///< of the run

    std::uint64_t numbers() const; ///< count of numbers that training changes, without `epochs`
};

/// Bitwise equality of all but the seed: +0 and -0 differ.
bool operator==(const training_state& x, const training_state& y);

/// Random cores whose matrices keep the variance of their operands (twice the variance before relu); all others are 0.
training_state initial_state(const model_description& model, std::uint64_t seed);

/// Metrics of a batch, or of several.
struct batch_metrics {
    double loss = 0; ///< sum over the samples
    double correct = 0;
    double samples = 0;

    double mean_loss() const { return loss / samples; }
    double accuracy() const { return correct / samples; }
    bool same_as(const batch_metrics& x) const
    {
        return loss == x.loss && correct == x.correct && samples == x.samples;
    }
};
batch_metrics sum_of(const std::vector<batch_metrics>& all);

/// The state with the smallest validation loss so far, of a run with early stopping.
struct best_training {
    training_state state;
    double validation_loss = 0; ///< mean
    batch_metrics test;         ///< of this state
};
/// Whether a run that has completed so many epochs has gone through `patience` epochs without a better one.
bool has_lost_patience(const model_description& model, const std::optional<best_training>& best, std::uint64_t epochs);

/// A state from a file.
struct resumed_training : training_state {
    std::optional<best_training> best;
};

/// The content of a file with a state.
std::string saved_training(const model_description& model, std::uint64_t seed, const training_state& state,
                           const std::optional<best_training>& best = std::nullopt);
/// Writes a state to a file, or reads it. Only a state of the same model, batch, optimizer and seed is accepted; the
/// number of epochs and the patience may differ. Throws base::input_error.
void save_training(const std::string& path, const model_description& model, std::uint64_t seed,
                   const training_state& state, const std::optional<best_training>& best = std::nullopt);
resumed_training load_training(const std::string& path, const model_description& model, std::uint64_t seed);

/// Number of steps for this many samples; the last step may have fewer samples than a batch.
inline std::uint64_t batches_of(const model_description& model, std::size_t samples)
{
    return (samples + model.batch - 1) / model.batch;
}

/// Trains a model on a device. The host writes data, parameters and constants once. For each epoch it writes lists of
/// sample numbers, starts programs, and reads metrics.
class model_training {
public:
    /// `block`: samples of a block of the batch; 0: chosen. `steps`: steps of an epoch. `data_base`, `data_bytes`:
    /// memory on the bus for data.
    model_training(const model_description& model, const labelled_samples& samples, const step_device& device,
                   std::uint64_t block, std::uint64_t steps, std::uint64_t data_base, std::uint64_t data_bytes);

    const model_contractions& contractions() const { return m_plan.contractions; }
    const network_plan& plan() const { return m_plan; }
    const written_program& training_program() const { return m_training; }
    const written_program& validation_program() const { return m_validation; } ///< where there is a validation set
    const written_program& test_program() const { return m_test; }
    const training_memory& memory() const { return m_plan.memory; } ///< of a step, if nothing left the chip
    std::uint64_t occupied_bytes() const;                           ///< of the unified memory, by any step
    std::uint64_t end() const { return m_addresses.end; }

    /// Writes data and state.
    void begin(fetta_session& session, const training_state& state) const;

    struct epoch_outcome {
        std::vector<batch_metrics> batches;
        program_outcome<fetta::counts> ran;
    };
    /// Runs the steps of an epoch, counted from 0, of a run with this seed, over samples in this order, or over the
    /// test set. All batches but the last one are full.
    epoch_outcome train(fetta_session& session, const std::vector<std::uint32_t>& order, std::uint64_t seed,
                        std::uint64_t epoch) const;
    epoch_outcome validate(fetta_session& session) const; ///< likewise over the validation set
    epoch_outcome test(fetta_session& session) const;

    /// Reads the state from memory; `epochs`: completed epochs.
    training_state state(fetta_session& session, std::uint64_t epochs) const;

private:
    /// Seed and epoch of the run; programs that do not train ignore them.
    struct epoch_number {
        std::uint64_t seed = 0, epoch = 0;
    };
    epoch_outcome run(fetta_session& session, const written_program& program, const std::vector<std::uint32_t>& order,
                      epoch_number of) const;

    const model_description& m_model;
    const labelled_samples& m_samples;
    network_plan m_plan;
    model_addresses m_addresses;
    written_program m_training, m_validation, m_test;
};

} // namespace tensorloom::workloads
