#pragma once
#include <cstdint>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/step_plan.h>
#include <tensorloom/workloads/step_planner/transfer_schedule.h>

namespace tensorloom::workloads {

/// Blocks in which both windows of the unified memory have the same bytes: places are whole ones.
constexpr std::uint64_t place_granule(const fetta::device_limits& g)
{
    return std::uint64_t{g.engines} * g.row_bytes(base::element_type::f32);
}

/// Elements of a piece of masters and gradients that are updated piece by piece.
constexpr std::uint64_t update_piece = 4096;

/// Finds places in the unified memory for all that a pass needs, each for as long as it is needed: cores, what is made
/// of them and what is kept for other passes, at the same places in all; gradients at the same in all that make some;
/// what is moved, in two places, or in one, the largest first, where they do not fit (body.places says how many there
/// are in the end); intermediates from the CONTRACT that makes them to the last that uses them; masters behind the
/// loop. False when it does not fit.
bool place_pass(const step_plan& plan, step_pass& pass, loop_body& body);

} // namespace tensorloom::workloads
