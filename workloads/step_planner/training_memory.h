#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>

namespace tensorloom::workloads {

/// Kinds of data in training.
enum class memory_kind : std::uint8_t { masters, copies, gradients, optimizer, activations, temporaries };
inline constexpr std::size_t memory_kinds = 6;
inline constexpr base::named_value memory_kind_values[] = {
    {0, "masters", "parameters in float32"},
    {1, "copies", "parameters rounded to bf16, the operands of contractions"},
    {2, "gradients", "gradients of parameters, float32"},
    {3, "optimizer", "state of the optimizer for each parameter, float32"},
    {4, "activations", "X, and results of the forward pass that the backward pass uses"},
    {5, "temporaries", "all other tensors, at the time when they take most"},
};

/// A tensor of a training step and the range of operations that need it.
struct needed_tensor {
    memory_kind kind = memory_kind::temporaries;
    std::size_t layer = 0;
    std::uint64_t bytes = 0;
    std::size_t first = 0, last = 0; ///< both included
};

/// Memory of a training step. Parameters, data that belongs to them, and activations are all needed at once at the end
/// of the forward pass; temporaries are those of the operation with most of them.
struct training_memory {
    std::vector<std::array<std::uint64_t, memory_kinds>> layers;
    std::uint64_t peak = 0; ///< at the operation that needs most: the sum, or less

    std::uint64_t of(memory_kind kind) const; ///< of all layers
    std::uint64_t sum() const;
};
training_memory memory_of(const std::vector<needed_tensor>& tensors, std::size_t layers);

/// The memory of a layer whose step consists of these contractions in order: for the whole batch, without recomputation
/// and gaps. X and intermediates are bf16. Without optimizer.
training_memory memory_of(const contraction_graph& graph);

} // namespace tensorloom::workloads
