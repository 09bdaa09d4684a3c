#pragma once
#include <string>
#include <tensorloom/workloads/step_planner/step_run.h>
#include "workloads/step_planner/ordered_step.h"

namespace tensorloom::test {

/// A step that the planner has planned, beside its definition.
struct planned_step {
    step_definition definition;
    workloads::step_plan plan;
};

/// Values by name as the planner numbers tensors, and back: its tensors have the names of the definition, and modes in
/// an order of their own.
workloads::step_values in_numbers(const planned_step& step, const values_by_name<float>& values);
values_by_name<float> by_name(const planned_step& step, const workloads::step_values& values);

/// What is wrong with what a run has left in memory, of these operands: the program is read, the step emulated as it
/// says, and everything that is there compared bit by bit. "": nothing. Y, dX, masters, cores and gradients have to be
/// there when the step makes them.
std::string fault_of(const planned_step& step, const workloads::step_program& program,
                     const values_by_name<float>& given, const values_by_name<float>& found, float rate);

} // namespace tensorloom::test
