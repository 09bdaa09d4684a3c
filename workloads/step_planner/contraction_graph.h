#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/contraction_search/training_step.h>
#include <tensorloom/workloads/tensor_network/layer.h>

namespace tensorloom::workloads {

/// Parts of a training step.
enum class step_phase : std::uint8_t {
    fp,    ///< forward: Y of X
    bp,    ///< backward: gradients of what has X in it, and dX
    wg,    ///< weight gradients: of cores, and of what is made of cores alone
    update ///< new cores of their gradients
};
inline constexpr unsigned step_phases = 4;
inline constexpr base::named_value step_phase_values[] = {
    {0, "fp", "forward"},
    {1, "bp", "backward, towards dX"},
    {2, "wg", "weight gradients"},
    {3, "update", "cores updated by their gradients"},
};

/// A training step as contractions of two tensors each, in an order in which they can be done: what the step planner
/// takes. Modes have numbers, tensors that share one are contracted over it.
struct graph_mode {
    std::string name;
    std::uint64_t size = 1;
};
struct graph_tensor {
    std::string name;
    std::vector<unsigned> modes;            ///< in C order, as the host has it
    std::optional<std::size_t> gradient_of; ///< the tensor whose gradient it is
};
struct graph_contraction {
    step_phase phase = step_phase::fp;
    std::size_t a = 0, b = 0, result = 0;
    /// A mode of the result of which one index is done at a time, over the whole batch: sums that are too many at once.
    std::optional<unsigned> sliced = std::nullopt;
};
struct contraction_graph {
    std::vector<graph_mode> modes;
    std::vector<graph_tensor> tensors;
    std::vector<graph_contraction> contractions;
    unsigned batch = 0; ///< the mode along which samples lie

    bool has(std::size_t tensor, unsigned mode) const;
    bool is_batched(std::size_t tensor) const { return has(tensor, batch); }
    std::uint64_t elements(std::size_t tensor) const;
    /// The contraction that makes it; nothing for what is given.
    std::optional<std::size_t> maker(std::size_t tensor) const;
    std::vector<std::size_t> users(std::size_t tensor) const;      ///< contractions, ascending
    std::optional<std::size_t> gradient(std::size_t tensor) const; ///< of a tensor, where the step makes or takes one
    std::uint64_t slices(std::size_t contraction) const;           ///< 1 where it is done at once
    bool is_sliced(std::size_t tensor, unsigned mode) const;       ///< the result of such a contraction, or lies as it
    std::uint64_t macs(std::size_t contraction) const;
    std::uint64_t macs() const;
};

/// The contractions of a training step (contraction_search/training_step.h) in numbers. Gradients of what is made of
/// cores come before those of what has X in it, so that both need not have a place at the same time.
contraction_graph graph_of(const training_step& step, const std::string& batch);

/// A whole layer: of its forward network, contracted along a tree, in reverse mode. Blocks of bt are one network whose
/// cores have an index of their own, over which the last step sums.
contraction_graph step_graph(const tensorized_layer& layer, const contraction_tree& tree, bool with_dx);

/// The layer without tensors: Y = X W^T of as many rows and columns, dX = dY W, dW = dY^T X.
contraction_graph dense_graph(const tensorized_layer& layer, bool with_dx);

/// A network by itself, one phase: its batch is the first index of node 0 (merged with those that always stand beside
/// it), a mode of one sample where node 0 has none. A result that is a sum over the batch can be estimated, not run.
contraction_graph network_graph(const tensor_network& network, const contraction_tree& tree);

/// The same with so many slices of a contraction: a mode of its result becomes two, whose outer one is sliced. Values
/// in C order stay as they are. Nothing where no mode of the result can be divided by so many.
std::optional<contraction_graph> with_slices(contraction_graph graph, std::size_t contraction, std::uint64_t slices);

/// The same with so many samples.
contraction_graph with_batch(contraction_graph graph, std::uint64_t samples);

} // namespace tensorloom::workloads
