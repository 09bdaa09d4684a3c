#pragma once
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/workloads/fetta/session.h>
#include <tensorloom/workloads/step_planner/step_plan.h>
#include <tensorloom/workloads/step_planner/step_program.h>
#include <tensorloom/workloads/step_planner/step_values.h>

namespace tensorloom::workloads {

/// Results of a step on a device, and their costs.
struct step_run {
    step_values values; ///< content of the memory on the bus after the step
    program_outcome<fetta::counts> outcome;
};

/// Writes X and dY of all samples, cores, masters and the rate to their addresses, in the order of modes and with the
/// gaps of the plan. Returns the number of bytes written.
std::uint64_t place_data(fetta_session& session, const step_plan& plan, const step_program& program,
                         const step_values& data, float rate);

/// Runs a step with these samples, as many as the batch has: writes only the list, runs the program, and reads all
/// results, including cores and masters for a next step; X and dY are not changed. Throws program_error when the device
/// reports an error.
step_run run_batch(fetta_session& session, const step_plan& plan, const step_program& program,
                   const sample_list& batch);

/// Both, for data of one batch, in its order.
step_run run_step(fetta_session& session, const step_plan& plan, const step_program& program, const step_values& given,
                  float rate);

} // namespace tensorloom::workloads
