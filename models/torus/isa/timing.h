#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/torus/isa/schedule.h>

namespace tensorloom::torus {

// How long a stage takes, in cycles. specs/torus.md, sections 4 and 6. All nodes and links do the same at the same
// time.

/// What runs at the same time.
enum class overlap_kind : std::uint8_t { none, operand, sliced };
inline constexpr base::named_value overlap_values[] = {
    {0, "none", "nodes compute, then blocks roll"},
    {1, "operand", "what a step does not change rolls while it computes"},
    {2, "sliced", "slices of the accumulator roll as soon as they are done"},
};

/// What decides the time of a node and of its links.
struct timing_parameters {
    std::uint64_t macs_per_cycle = 1;
    std::uint64_t fma_latency = 4;     ///< cycles from one addition to a sum to the next
    std::uint64_t words_per_cycle = 1; ///< of each link, each way
    std::uint64_t hop_cycles = 1;      ///< of the longest link, to which all are retimed
    overlap_kind overlap = overlap_kind::none;
    std::uint64_t slices = 0;      ///< of sliced; 0: as many as keep the multipliers busy
    std::uint64_t line_cycles = 1; ///< of a word on a broadcast line of P nodes (matrix_classes.h)
};

/// Pitches of nodes that the longest link of a ring passes: P - 1, or folded 2.
std::uint64_t longest_link(std::uint32_t side, bool folded);
/// Cycles of a hop when a pitch takes so many.
std::uint64_t hop_cycles(std::uint32_t side, bool folded, double cycles_per_pitch);
/// Cycles of a word on a straight line of P nodes, P - 1 pitches: its last node's, for all are retimed to that.
std::uint64_t line_cycles(std::uint32_t side, double cycles_per_pitch);

/// What every node does in a step and what moves meanwhile, whatever asks for it. Words are those of links.
struct step_profile {
    struct operand {
        std::uint64_t words = 0;
        bool is_sliced = false; ///< as the sums are; otherwise it moves whole
    };
    std::uint64_t sums = 1;            ///< that a node makes
    std::uint64_t depth = 1;           ///< terms that each gets
    std::uint64_t planes = 1;          ///< that the sums can be sliced along
    std::uint64_t accumulator = 0;     ///< words of the sums, which roll; 0: they stay
    std::vector<operand> operands;     ///< that roll, each on a link of its own
    std::vector<std::uint64_t> driven; ///< words that come ahead of the step, each block over a line of its own
};
step_profile profile_of(const stage_descriptor& stage, const block_sizes& sizes, std::uint64_t accumulator_words = 1);

/// Slices that a step has: those asked for, as far as its planes can be divided by them.
std::uint64_t slices_of(const step_profile& profile, const timing_parameters& timing);
std::uint64_t slices_of(const stage_descriptor& stage, const block_sizes& sizes, const timing_parameters& timing);

/// Cycles in which a node computes in one step, without waiting.
std::uint64_t step_compute_cycles(const step_profile& profile, const timing_parameters& timing);
std::uint64_t step_compute_cycles(const stage_descriptor& stage, const block_sizes& sizes,
                                  const timing_parameters& timing);

/// When each of so many steps and its rolls are over, in cycles from the first one's begin. Overlapping, what is driven
/// for a step comes while the one before computes, into a block of its own.
std::vector<std::uint64_t> step_ends(const step_profile& profile, std::uint64_t steps, const timing_parameters& timing);
/// Of a stage. A word of a rolling accumulator counts `accumulator_words` on a link: 2 where sums are twice as wide as
/// elements.
std::vector<std::uint64_t> step_ends(const stage_descriptor& stage, const block_sizes& sizes,
                                     const timing_parameters& timing, std::uint64_t accumulator_words = 1);
/// The last of these: cycles of the whole stage.
std::uint64_t stage_cycles(const stage_descriptor& stage, const block_sizes& sizes, const timing_parameters& timing,
                           std::uint64_t accumulator_words = 1);

} // namespace tensorloom::torus
