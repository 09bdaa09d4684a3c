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
    gathered, ///< any layout, through gather buffers; rows of one cycle in the same bank conflict
    networks, ///< only through the distribution networks if layout, mapping and split allow it, else through buffers
    /// As `networks`, but on a device without buffers, which is the paper's: the vector unit permutes what the networks
    /// cannot bring. Of estimates only; no program is written for it.
    unbuffered
};
inline constexpr base::named_value operand_paths_values[] = {
    {0, "linear", "operands pass gather buffers, which are not part of the paper"},
    {1, "banked", "operands pass only the distribution networks wherever possible"},
    {2, "unbuffered", "operands pass only the distribution networks; the vector unit permutes the others"},
};

/// Passes of the vector unit over the words of a tensor that it permutes: unpack, to a pitch, from it, pack.
inline constexpr std::uint64_t passes_to_permute = 4;
/// Cycles of a vector unit with as many lanes as a device has elements in a row of all banks, for what is gathered.
constexpr std::uint64_t cycles_to_permute(const path_counts& paths, const fetta::device_limits& g)
{
    return paths.gathered_elements * passes_to_permute / (g.engines * g.side);
}

/// Input of the search for layouts. The graph has the sizes of a block of the batch.
struct layout_request {
    struct contraction {
        double times = 1;     ///< executions per step
        bool is_kept = false; ///< its sums stay in the accumulators from block to block
        /// Rows of the accumulators that it may use: for kept sums, else for one piece of its stream.
        std::uint64_t accumulator_rows = 0;
    };
    struct tensor {
        bool batch_outermost = false;
        double cycles_per_gap = 0; ///< cost of moving an element of gaps in a step
        /// Has the layout of that tensor, which has the same modes and its own layout: a gradient that is added to its
        /// core.
        std::optional<std::size_t> lies_as;
        /// Allowed layouts, for tensors that are also used outside of these contractions.
        std::vector<mode_layout> given;
        double cycles_unless_first = 0; ///< cost per step of any allowed layout but the first
    };
    const contraction_graph& graph;
    fetta::device_limits limits;
    std::vector<contraction> contractions;
    std::vector<tensor> tensors;
    operand_paths paths = operand_paths::gathered;
    bool transpose_layer = true; ///< the transpose layer of the distribution networks may be on
    /// Limit of the search, in simulated lanes of engines: about 10^9 per second.
    std::uint64_t most_work = 8'000'000'000;
};

/// A layout for every tensor and a choice for every contraction.
struct joint_layouts {
    std::vector<mode_layout> layout;     ///< by tensor
    std::vector<contract_choice> choice; ///< by contraction
    /// Estimated cycles of the engines in a step, including bank conflicts.
    double cycles = 0;
};

/// Chooses the order of modes and the pitch of every tensor jointly over all its uses.
///
/// For given layouts a contraction uses its best mapping, split and order of the modes in each flat index: closed form
/// plus conflicts, which are sampled for each stream (contract_choice.h). Tensors get their layouts one after the
/// other, the largest first; tensors without a layout count as free of conflicts. This is repeated until no tensor
/// finds a better layout, or `most_work` is reached. Orders are searched first, then gaps of the best orders. Throws
/// base::input_error if a contraction has no choice that fits its accumulator rows.
///
/// operand_paths::networks and unbuffered: also searches, for every mapping and split, the assignment of the bits of
/// the engine's number, and slower mappings. An operand or result without banked form (banked_form.h) is charged as if
/// the vector unit permuted it (passes_to_permute), so that few need that, or a buffer.
joint_layouts choose_layouts(const layout_request& request);

} // namespace tensorloom::workloads
