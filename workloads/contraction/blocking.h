#pragma once
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/contraction/plan_energy.h>

namespace tensorloom::workloads {

/// Cuts a plan's indices into the blocks that are estimated to take the fewest cycles end to end (the least energy,
/// energy x cycles: by the objective), and gives them places in the unified memory. The plan has its problem, geometry,
/// layout, choice and whole indices; see contraction_plan for what is searched. Returns what its transfers move.
plan_traffic choose_blocks(contraction_plan& plan, const contraction_settings& settings);

} // namespace tensorloom::workloads
