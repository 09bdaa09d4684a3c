#pragma once
#include <tensorloom/workloads/step_planner/step_plan.h>

namespace tensorloom::workloads {

/// Of a plan whose blocks, residency and layouts are chosen: its passes, what is made again in them, the positions of
/// their transfers, and places for their tensors. Tensors that are moved have two places each or, the largest first,
/// one if two do not fit. False if they do not fit even then.
bool plan_passes(step_plan& plan);

} // namespace tensorloom::workloads
