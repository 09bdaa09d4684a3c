#pragma once
#include <cstdint>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/step_plan.h>
#include <tensorloom/workloads/step_planner/step_places.h>
#include <tensorloom/workloads/step_planner/transfer_schedule.h>

namespace tensorloom::workloads {

/// Elements per piece of masters and gradients in a piecewise update: 4,096, fewer in a memory below 128 KiB.
constexpr std::uint64_t update_piece(const fetta::device_limits& g)
{
    constexpr std::uint64_t most = 4096, share = 32;
    return g.memory_bytes() / share < most ? g.memory_bytes() / share : most;
}

/// Places all buffers of a pass in the unified memory, each for its lifetime: cores, products of cores and tensors kept
/// for other passes have the same place in all passes, gradients in all passes that compute some. Transferred tensors
/// have two places, or one, the largest first, if two do not fit (body.places: the number of places). Intermediates
/// live from their CONTRACT to their last use, masters after the loop. False if the buffers do not fit.
bool place_pass(const step_plan& plan, step_pass& pass, loop_body& body);

} // namespace tensorloom::workloads
