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
    bp,    ///< backward: gradients of tensors that depend on X, and dX
    wg,    ///< weight gradients: of cores, and of products of cores only
    update ///< update of the cores by their gradients
};
inline constexpr unsigned step_phases = 4;
inline constexpr base::named_value step_phase_values[] = {
    {0, "fp", "forward"},
    {1, "bp", "backward, towards dX"},
    {2, "wg", "weight gradients"},
    {3, "update", "cores updated by their gradients"},
};

/// A training step as contractions of two tensors each, in a valid order: the input of the step planner. Modes have
/// numbers; tensors that share a mode are contracted over it.
struct graph_mode {
    std::string name;
    std::uint64_t size = 1;
};
struct graph_tensor {
    std::string name;
    std::vector<unsigned> modes;            ///< in C order, as on the host
    std::optional<std::size_t> gradient_of; ///< the tensor of this gradient
};
struct graph_contraction {
    step_phase phase = step_phase::fp;
    std::size_t a = 0, b = 0, result = 0;
    /// A mode of the result that is computed index by index, each over the whole batch, because the sums do not fit at
    /// once.
    std::optional<unsigned> sliced = std::nullopt;
};
struct contraction_graph {
    std::vector<graph_mode> modes;
    std::vector<graph_tensor> tensors;
    std::vector<graph_contraction> contractions;
    unsigned batch = 0; ///< the mode of the samples

    bool has(std::size_t tensor, unsigned mode) const;
    bool is_batched(std::size_t tensor) const { return has(tensor, batch); }
    std::uint64_t elements(std::size_t tensor) const;
    /// The contraction that computes it; none for given tensors.
    std::optional<std::size_t> maker(std::size_t tensor) const;
    std::vector<std::size_t> users(std::size_t tensor) const;      ///< contractions, ascending
    std::optional<std::size_t> gradient(std::size_t tensor) const; ///< of a tensor, if the step has it
    std::uint64_t slices(std::size_t contraction) const;           ///< 1: not sliced
    bool is_sliced(std::size_t tensor,
                   unsigned mode) const; ///< the result of such a contraction, or a tensor with its layout
    std::uint64_t macs(std::size_t contraction) const;
    std::uint64_t macs() const;
};

/// The contractions of a training step (contraction_search/training_step.h) with numbered modes and tensors. Gradients
/// of products of cores precede those of tensors that depend on X, so that both need not be in memory at the same time.
contraction_graph graph_of(const training_step& step, const std::string& batch);

/// The step of a whole layer: its forward network, contracted along a tree, in reverse mode. Blocks of bt form one
/// network whose cores have a block index, over which the last step sums.
contraction_graph step_graph(const tensorized_layer& layer, const contraction_tree& tree, bool with_dx);

/// The layer with a dense matrix of the same size: Y = X W^T, dX = dY W, dW = dY^T X.
contraction_graph dense_graph(const tensorized_layer& layer, bool with_dx);

/// A single network, one phase. Its batch is the first index of node 0 (merged with indices that are always adjacent to
/// it), or a mode of one sample if node 0 has no index. A result that sums over the batch can be estimated, but not
/// run.
contraction_graph network_graph(const tensor_network& network, const contraction_tree& tree);

/// The graph with a contraction cut into `slices`: a mode of its result becomes two, whose outer one is sliced. Values
/// in C order do not change. None if no mode of the result is divisible by `slices`, apart from modes that are sliced.
std::optional<contraction_graph> with_slices(contraction_graph graph, std::size_t contraction, std::uint64_t slices);

/// The graph with this number of samples.
contraction_graph with_batch(contraction_graph graph, std::uint64_t samples);

} // namespace tensorloom::workloads
