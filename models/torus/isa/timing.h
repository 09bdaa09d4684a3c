#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/torus/isa/schedule.h>

namespace tensorloom::torus {

// Time of a stage in cycles. Source: docs/torus.md. All nodes and links do the same at the same
// time.

/// Which activities overlap.
enum class overlap_kind : std::uint8_t { none, operand, sliced, shared };
inline constexpr base::named_value overlap_values[] = {
    {0, "none", "nodes compute, then blocks roll"},
    {1, "operand", "blocks that a step does not change roll while it computes"},
    {2, "sliced", "slices of the accumulator roll as soon as they are complete"},
    {3, "shared", "sums are written into memory that neighbours share; other blocks roll meanwhile"},
};

/// Parameters of the time of a node and of its links.
struct timing_parameters {
    std::uint64_t macs_per_cycle = 1;
    std::uint64_t mac_latency = 4;     ///< cycles from one addition to a sum to the next
    std::uint64_t words_per_cycle = 1; ///< of each link and direction
    std::uint64_t hop_cycles = 1;      ///< of the longest link, to which all are retimed
    overlap_kind overlap = overlap_kind::none;
    std::uint64_t slices = 0;      ///< for `sliced`; 0: as many as keep the multipliers busy
    std::uint64_t line_cycles = 1; ///< of a word on a broadcast line of P nodes (matrix_classes.h)
    std::uint64_t sync_cycles = 0; ///< for `shared`: of neighbours that synchronise after a step
};

/// Node pitches of the longest link of a ring: 2 when folded, otherwise P - 1.
std::uint64_t longest_link(std::uint32_t side, bool folded);
/// Cycles of a hop at this number of cycles per pitch.
std::uint64_t hop_cycles(std::uint32_t side, bool folded, double cycles_per_pitch);
/// Cycles of a word on a straight line of P nodes, P - 1 pitches; all nodes are retimed to the last one.
std::uint64_t line_cycles(std::uint32_t side, double cycles_per_pitch);

/// Work of every node in a step and the movement meanwhile. Words are those of links.
struct step_profile {
    struct operand {
        std::uint64_t words = 0;
        bool is_sliced = false; ///< sliced like the sums; otherwise it moves as a whole
    };
    std::uint64_t sums = 1;            ///< sums per node
    std::uint64_t depth = 1;           ///< terms per sum
    std::uint64_t planes = 1;          ///< planes along which the sums can be sliced
    std::uint64_t accumulator = 0;     ///< words of sums that go to the next node; 0: sums stay
    std::vector<operand> operands;     ///< rolling operands, each on its own link
    std::vector<std::uint64_t> driven; ///< words that arrive before the step, each block over its own line
};
step_profile profile_of(const stage_descriptor& stage, const block_sizes& sizes, std::uint64_t accumulator_words = 1);

/// Slices of a step: the requested number, as far as its planes can be divided by it.
std::uint64_t slices_of(const step_profile& profile, const timing_parameters& timing);
std::uint64_t slices_of(const stage_descriptor& stage, const block_sizes& sizes, const timing_parameters& timing);

/// Compute cycles of a node in one step, without waiting.
std::uint64_t step_compute_cycles(const step_profile& profile, const timing_parameters& timing);
/// Cycles of its broadcasts and rolls alone, without any overlap.
std::uint64_t step_link_cycles(const step_profile& profile, const timing_parameters& timing);
std::uint64_t step_compute_cycles(const stage_descriptor& stage, const block_sizes& sizes,
                                  const timing_parameters& timing);

/// End of each of `steps` steps with its rolls, in cycles from the start of the first step. With overlap, the blocks
/// driven for a step arrive while the previous step computes, in a separate buffer.
std::vector<std::uint64_t> step_ends(const step_profile& profile, std::uint64_t steps, const timing_parameters& timing);
/// Step ends of a stage. A word of a rolling accumulator counts `accumulator_words` on a link: 2 where sums are twice
/// as wide as elements.
std::vector<std::uint64_t> step_ends(const stage_descriptor& stage, const block_sizes& sizes,
                                     const timing_parameters& timing, std::uint64_t accumulator_words = 1);
/// Cycles of the whole stage: the last of these ends.
std::uint64_t stage_cycles(const stage_descriptor& stage, const block_sizes& sizes, const timing_parameters& timing,
                           std::uint64_t accumulator_words = 1);

} // namespace tensorloom::torus
