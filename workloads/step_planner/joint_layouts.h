#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/step_planner/contract_choice.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/mode_layout.h>

namespace tensorloom::workloads {

/// How operands get from the banks to the engines.
enum class operand_paths : std::uint8_t {
    gathered, ///< any layout, through gather buffers; rows of a cycle that lie in one bank wait
    networks  ///< by the distribution networks alone wherever a layout, mapping and split allow it
};
inline constexpr base::named_value operand_paths_values[] = {
    {0, "linear", "operands pass gather buffers, which are not part of the paper"},
    {1, "banked", "operands pass only the distribution networks wherever possible"},
};

/// Of the vector unit over the words of a tensor that it permutes: unpacked, to a pitch, from it, packed.
inline constexpr std::uint64_t passes_to_permute = 4;

/// What the search for layouts is asked. The graph's sizes are those of a block of the batch.
struct layout_request {
    struct contraction {
        double times = 1;     ///< that it is done in a step
        bool is_kept = false; ///< its sums stay in the accumulators from block to block
        /// Rows of the accumulators that it may take: as sums that are kept, else for one piece of its stream.
        std::uint64_t accumulator_rows = 0;
    };
    struct tensor {
        bool batch_outermost = false;
        double cycles_per_gap = 0; ///< what an element of gaps costs in a step, because it is moved
        /// Lies as that tensor, which has the same modes and lies as itself: a gradient that is added to its core.
        std::optional<std::size_t> lies_as;
        /// Lies like one of these and not otherwise: what others than these contractions use, too.
        std::vector<mode_layout> given;
        double cycles_unless_first = 0; ///< what it costs in a step to bring it into any but the first of them
    };
    const contraction_graph& graph;
    fetta::device_limits limits;
    std::vector<contraction> contractions;
    std::vector<tensor> tensors;
    operand_paths paths = operand_paths::gathered;
    bool transpose_layer = true; ///< of the distribution networks: may be on
    /// Behind it no further layouts are tried, in beats of engines that are looked at: a second is about 10^8.
    std::uint64_t most_work = 1'000'000'000;
};

/// A layout for every tensor and a way to do every contraction.
struct joint_layouts {
    std::vector<mode_layout> layout;     ///< by tensor
    std::vector<contract_choice> choice; ///< by contraction
    /// Estimated cycles of the engines in a step, those that wait for banks among them.
    double cycles = 0;
};

/// Chooses the order of modes and the pitch of every tensor jointly over all its uses.
///
/// For given layouts a contraction takes its best mapping, split and order of the modes in each flat index: closed form
/// plus conflicts, each stream's from a sample (contract_choice.h). Tensors take their layouts one after the other, the
/// largest first, those without one counting as free of conflicts; then again, until none finds a better one, or
/// `most_work` is done. Orders come first, then gaps of the best orders. Throws base::input_error where a contraction
/// finds no way that leaves the accumulators that it may take.
///
/// operand_paths::networks: of every mapping and split also which bits of the engine's number are whose, and slower
/// mappings too. An operand or result that has no banked form (banked_form.h) counts as if the vector unit permuted it
/// (passes_to_permute), though gather and scatter buffers take no time: as few as may be need one.
joint_layouts choose_layouts(const layout_request& request);

} // namespace tensorloom::workloads
