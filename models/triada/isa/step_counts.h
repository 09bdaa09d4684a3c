#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <tensorloom/models/triada/isa/events.h>

namespace tensorloom::triada {

// Closed forms of events and cycles, of every fidelity and of a mesh that several processes simulate. Modes are 0,
// 1, 2.

/// The lines of a stage.
struct stage_lines {
    isa::mode_sizes box{};        ///< active cells
    isa::mode_sizes line_cells{}; ///< cells that a line along each mode passes
    unsigned mode = 0;            ///< summed; Y lines run along it
    unsigned x_mode = 0;          ///< X lines run along it
    bool esop = true;
};

/// The mode along which X lines run in a stage, 0, 1 or 2 of `order` (modes 1, 2, 3 as they are summed): stages 1 and 2
/// are sliced along the mode that is summed last, stage 3 along the one summed first; X lines run along the remaining
/// one.
template <class Order> constexpr unsigned x_mode_of(const Order& order, unsigned stage)
{
    return 3u - (order[stage] - 1u) - (order[stage < 2 ? 2 : 0] - 1u);
}

/// What is driven in a time-step.
struct driven_step {
    std::uint32_t sent = 0;     ///< coefficients onto the X lines of one slice; 0: nothing
    std::uint32_t nonzeros = 0; ///< coefficients that are not exactly zero
    std::uint64_t operands = 0; ///< by pivots onto Y lines, in the whole mesh
    std::uint64_t saturated = 0;
    std::uint64_t overflowed = 0;
};

/// Coefficients of a row that are driven onto the lines of one slice, if any of it are: under ESOP those that are not
/// zero, and the one with the tag; else one for each of the `length` cells along the summed mode.
constexpr std::uint32_t coefficients_sent(bool esop, std::uint32_t nonzeros, bool zero_at_tag, std::uint32_t length)
{
    return esop ? nonzeros + (zero_at_tag ? 1 : 0) : length;
}

counts counts_of_step(const stage_lines& lines, const driven_step& step);
/// Counts of a row of zeros that takes no time-step: `active_cells` of it.
counts counts_of_skipped_row(std::uint64_t active_cells);

/// Cycles in which the memory port moves these corners of registers, one after the other. `aligned`: across rows of the
/// mesh; else those of one row along mode 3 in a cycle.
std::uint64_t port_cycles(const std::vector<isa::mode_sizes>& corners, std::uint64_t load_elements, bool aligned);

} // namespace tensorloom::triada
