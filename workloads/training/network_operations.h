#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/training_memory.h>
#include <tensorloom/workloads/training/model_contractions.h>

namespace tensorloom::workloads {

// A program of a model as a list of operations on tensors, in the order of the device: operations before all steps, a
// loop over the batches, which contains a loop over the blocks of a batch if there are several, and operations after
// all steps.
// This file determines what is computed; network_memory.h makes room for it, and network_program.h writes the program.

/// Consecutive parameters with their state, which are updated together.
struct parameter_group {
    std::uint64_t offset = 0, elements = 0; ///< among all parameters
    std::size_t masters = 0, copies = 0;    ///< tensors
    std::size_t gradients = 0;              ///< of a training step
    std::vector<std::size_t> moments;       ///< likewise
};

/// Words of a step that the host reads.
enum class step_metric : std::uint8_t { loss, correct, samples };
inline constexpr std::size_t step_metrics = 3;
/// Words that change from step to step on the device; the host writes them once.
enum class step_constant : std::uint8_t {
    minus_rate,
    first_power, ///< adam: beta 1 to the power of the number of steps
    second_power ///< adam: likewise beta 2
};
inline constexpr std::size_t step_constants = 3;

/// Words that the host writes once and that never change, without duplicate values or lists, for all steps of a model,
/// by index.
using literal_list = std::vector<float>;

/// Number of tensors of the parameters' size that an optimizer keeps: sgd: velocities; others: both moments.
std::size_t moments_of(optimizer_kind kind);

/// A step's operations, and its tensors with a meaning outside of them.
struct network_step : operation_list {
    std::vector<parameter_group> groups;
    std::size_t constants = 0, literals = 0, ones = 0, list = 0, metrics = 0;
};

/// The words of a list, which the host writes for every batch: the numbers of the samples of all blocks, then those of
/// the following that the model needs. Members are indices of words.
struct list_layout {
    explicit list_layout(const model_contractions& contractions);

    std::uint64_t count = 0;       ///< with several blocks: number of samples of the batch without fillers, float32
    std::uint64_t rate_factor = 0; ///< with a schedule: factor on the rate, float32
    /// For each block and each stream of random numbers: its key, and the number of the block's first value in the
    /// batch, 32 bits each.
    std::uint64_t masks = 0;
    std::uint64_t words = 0; ///< size of the list
};
inline constexpr std::uint64_t mask_words = 2;
inline constexpr std::uint64_t metric_words = 4; ///< float32 of a block, the first ones are step_metrics

/// The same for another number of batches.
operation_list with_batches(operation_list list, std::uint64_t batches);

/// Selects the operations of a program.
struct step_request {
    bool training = true; ///< whole steps, else only the forward pass and the metrics
    std::uint64_t batches = 1;
    /// Maximum number of elements of a group of several parameters; 0: one group with all parameters.
    std::uint64_t group_elements = 0;
};

/// Steps over lists of batches, one after the other. Adds the literals that it needs to the list.
network_step operations_of(const model_description& model, const model_contractions& contractions,
                           const step_request& request, literal_list& literals);

} // namespace tensorloom::workloads
