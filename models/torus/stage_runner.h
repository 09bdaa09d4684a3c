#pragma once
#include <cstdint>
#include <functional>
#include <vector>
#include <systemc>
#include <tensorloom/models/torus/isa/events.h>
#include <tensorloom/models/shell/command_log.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/models/torus/node_array.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::torus {

/// A step of a pass, for the log: first the cycles in which nodes compute, then those in which they wait for rolling
/// blocks.
struct logged_step {
    unsigned stage = 0;     ///< 0, 1, 2; 0 for a matrix product
    std::uint32_t step = 0; ///< of the command's stage, from 0
    std::uint64_t start_cycle = 0;
    std::uint64_t compute_cycles = 0, roll_cycles = 0;
    std::uint64_t hidden_link_cycles = 0; ///< of movement, while nodes compute
    bool moves = false;                   ///< blocks roll
    counts computed, rolled;
};

/// Adds the records of a step: cause "compute", then "roll" for movement that computing does not hide.
void add_to(shell::device_log& log, const char* name, std::uint32_t command, const logged_step& step);

/// Consecutive steps and their times.
struct timed_steps {
    std::vector<std::uint64_t> ends; ///< in cycles from the start of the first step
    std::uint64_t compute_cycles = 0;
    std::uint64_t link_cycles = 0; ///< of a step's movement alone
    unsigned stage = 0;
    std::uint32_t first = 0; ///< number of the first one
    bool move = false;       ///< blocks roll
};
/// Runs the nodes step by step and lets time pass. Calls begun(number) at the start and log(logged_step) at the end of
/// each step. Returns false when a stop acts at the end of a step.
bool run_steps(stepped_if& nodes, const timed_steps& steps, const shell::program_clock& clock,
               const bus::stop_request& stop, const std::function<void(std::uint32_t)>& begun,
               const std::function<void(const logged_step&)>& log);

/// Runs the array through a pass of a stage and lets time pass; the array itself takes none.
///
/// Timing     step_ends() of torus/isa/timing.h
/// Stops      at the next end of a step, with +0 in every slot and without matrices
/// Errors     accumulator_overflow at the end of a pass in which a multiply-add overflowed (int8)
/// Events     those of the array; compute_cycle, exposed_roll_cycle
class stage_runner {
public:
    using step_log = std::function<void(const logged_step&)>;

    stage_runner(const config& config, stage_control_if& nodes, const shell::program_clock& clock,
                 const bus::stop_request& stop, step_log log);

    /// Sets the layout of tensors on the torus.
    void lay_out(const block_sizes& sizes, const scheduling_vector& vector);

    std::array<torus::stage_descriptor, torus::stages> stages(direction way) const;

    /// Runs a pass of stage 0 to 2, after `passes_before` passes of the stage in the command.
    shell::command_outcome run(unsigned stage, const stage_pass& pass, std::uint64_t passes_before);

    /// Elaboration: traces stage and step.
    void trace(sc_core::sc_trace_file& file, const std::string& prefix) const;

private:
    const config& m_config;
    stage_control_if& m_nodes;
    const shell::program_clock& m_clock;
    const bus::stop_request& m_stop;
    const step_log m_log;
    const timing_parameters m_timing;
    const std::uint64_t m_sum_words; // that a sum counts on a link
    block_sizes m_sizes;
    scheduling_vector m_vector;
    unsigned m_shown_stage = 0; // from 1; 0 between stages
    std::uint32_t m_shown_step = 0;
};

} // namespace tensorloom::torus
