#pragma once
#include <memory>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/accelerators/accelerator.h>
#include <tensorloom/workloads/accelerators/evaluation.h>
#include <tensorloom/workloads/step_planner/processing_array.h>

namespace tensorloom::workloads {

/// The memories of every accelerator, as FETTA's are cut.
fetta::device_limits limits_of(const evaluation_settings& settings);

/// Cycles and events of an accelerator's PEs for the contractions of a block.
///
/// Contractions  its orders of loops, with either operand for X, as the array is split (tile_loops.h); which line of
///               each tensor that wants; what it costs where the tensor lies otherwise, by the rule of its reordering.
///               The fewest cycles win, those of reordering among them
/// Tensors       an order of modes each, the same for all uses, as `settings.layouts` says. Searched: from the natural
///               order on, tensor by tensor and in pairs, as long as a step gets faster (the arrays' cycles, and those
///               of reordering). X, dX, Y and dY keep the batch outermost, since samples are taken one by one
/// Cores         and what is made of cores alone are the same in all blocks: they are read across, or reordered, in one
///               of them, and lie in that order, too, from then on. That takes room that is not counted
std::unique_ptr<processing_array> array_of(const accelerator& machine, const evaluation_settings& settings);

} // namespace tensorloom::workloads
