#pragma once
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/workloads/fetta/session.h>
#include <tensorloom/workloads/step_planner/step_plan.h>
#include <tensorloom/workloads/step_planner/step_program.h>
#include <tensorloom/workloads/step_planner/step_values.h>

namespace tensorloom::workloads {

/// What a step made on a device, and what that took.
struct step_run {
    step_values values; ///< what is in memory on the bus behind the step
    program_outcome<fetta::counts> outcome;
};

/// Puts X and dY of all samples, cores, masters and the rate to their addresses, in the order of modes and with the
/// gaps of the plan. Bytes that this has written.
std::uint64_t place_data(fetta_session& session, const step_plan& plan, const step_program& program,
                         const step_values& data, float rate);

/// A step with these samples, as many as the batch has: writes the list, and nothing else; runs the program; reads what
/// it left, cores and masters for a next step among it, and X and dY as they are. Throws program_error when the device
/// reports an error.
step_run run_batch(fetta_session& session, const step_plan& plan, const step_program& program,
                   const sample_list& batch);

/// Both, of data that are one batch, in its order.
step_run run_step(fetta_session& session, const step_plan& plan, const step_program& program, const step_values& given,
                  float rate);

} // namespace tensorloom::workloads
