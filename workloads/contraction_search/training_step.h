#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>

namespace tensorloom::workloads {

/// Phases of a training step.
enum class training_phase : std::uint8_t {
    fp, ///< forward: Y of X
    bp, ///< backward: gradients of tensors that depend on X, and dX
    wg  ///< weight gradients: of cores, and of products of cores only
};
inline constexpr base::named_value training_phase_values[] = {
    {0, "fp", "forward"},
    {1, "bp", "backward, towards dX"},
    {2, "wg", "weight gradients"},
};

/// A contraction of a training step; tensors by their number in it.
struct training_contraction {
    training_phase phase = training_phase::fp;
    std::size_t a = 0, b = 0, result = 0;
    step_extents extents;

    std::uint64_t macs() const { return extents.macs(); }
};

/// A layer's training step as contractions of two tensors each, in a valid order.
///
/// Reverse mode over the forward tree: every step C = A.B gives dA = dC.B and dB = A.dC. The three contractions have
/// the same indices, so each costs the MACs of the forward step. A whole step therefore costs exactly 3 times the
/// forward pass; without dX the step that takes X has no dA. This is consistent with the paper, which does not state
/// it. Source: FETTA, section II and figure 9.
struct training_step {
    std::vector<named_tensor> tensors; ///< nodes, then results; the gradient of a tensor NAME is dNAME
    index_sizes sizes;
    std::vector<training_contraction> contractions;

    std::uint64_t macs(training_phase phase) const;
    std::uint64_t macs() const; ///< of all phases
};

/// The training step of a forward network whose node 0 is X and whose result is Y, along a tree. The gradient of the
/// result is the tensor dY, that of node k is "dX", "dG1", ....
training_step reverse_mode(const tensor_network& forward, const contraction_tree& tree, bool with_dx);

} // namespace tensorloom::workloads
