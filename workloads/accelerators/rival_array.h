#pragma once
#include <memory>
#include <vector>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/workloads/accelerators/accelerator.h>
#include <tensorloom/workloads/accelerators/evaluation.h>
#include <tensorloom/workloads/step_planner/processing_array.h>

namespace tensorloom::workloads {

/// The memories of every accelerator, as FETTA's are cut.
arch::fetta::geometry geometry_of(const evaluation_settings& settings);

/// What an accelerator's PEs take for the contractions of a block.
///
/// For each contraction: its orders of loops, with either operand for X, as the array is split (tile_loops.h); which
/// line of each tensor that wants; what it costs where the tensor lies otherwise, by the rule of its reordering. For
/// each tensor: the order of its modes, one for all its uses, as `settings.layouts` says; searched ones start with the
/// natural order and change one tensor after the other as long as the block gets faster. X, dX, Y and dY keep the batch
/// outermost, as samples are taken one by one.
std::unique_ptr<processing_array> array_of(const accelerator& machine, const evaluation_settings& settings);

} // namespace tensorloom::workloads
