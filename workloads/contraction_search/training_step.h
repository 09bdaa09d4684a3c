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
    bp, ///< backward: gradients of what has X in it, and dX
    wg  ///< weight gradients: of cores, and of what is made of cores alone
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

/// A layer's training step as contractions of two tensors each, in an order in which they can be done.
///
/// Reverse mode over the forward tree: every step C = A.B gives dA = dC.B and dB = A.dC. The indices of the three are
/// the same, so that each costs the MACs of the forward step: a whole step is exactly 3 times the forward pass, and
/// without dX the step that takes X has no dA. The paper's text fits to this and does not state it. Source: FETTA,
/// section II and figure 9.
struct training_step {
    std::vector<named_tensor> tensors; ///< nodes, then what is made; gradients are called d and the name of the tensor
    index_sizes sizes;
    std::vector<training_contraction> contractions;

    std::uint64_t macs(training_phase phase) const;
    std::uint64_t macs() const; ///< of all phases
};

/// Of a forward network whose node 0 is X and whose result is Y, along a tree of it. The gradient of the result is the
/// tensor dY, that of node k is "dX", "dG1", ....
training_step reverse_mode(const tensor_network& forward, const contraction_tree& tree, bool with_dx);

} // namespace tensorloom::workloads
