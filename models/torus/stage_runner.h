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

/// A step of a pass, for the log: its cycles are those in which nodes compute, then those in which they wait for blocks
/// that still roll.
struct logged_step {
    unsigned stage = 0;     ///< 0, 1, 2; of a product of matrices 0
    std::uint32_t step = 0; ///< of the command's stage, from 0
    std::uint64_t start_cycle = 0;
    std::uint64_t compute_cycles = 0, roll_cycles = 0;
    bool moves = false; ///< blocks do
    counts computed, rolled;
};

/// As records: cause "compute", then "roll" for what of the movement compute does not hide.
void add_to(shell::device_log& log, const char* name, std::uint32_t command, const logged_step& step);

/// Steps that follow each other, and when.
struct timed_steps {
    std::vector<std::uint64_t> ends; ///< in cycles from the first one's begin
    std::uint64_t compute_cycles = 0;
    unsigned stage = 0;
    std::uint32_t first = 0; ///< number of the first one
    bool move = false;       ///< blocks do
};
/// Makes nodes work step by step, and time pass. Calls begun(number) and, at the end of each, log(logged_step). Returns
/// false when a stop acts at the end of one.
bool run_steps(stepped_if& nodes, const timed_steps& steps, const shell::program_clock& clock,
               const bus::stop_request& stop, const std::function<void(std::uint32_t)>& begun,
               const std::function<void(const logged_step&)>& log);

/// Makes the array work through a pass of a stage, and time pass: the array takes none.
///
/// Timing     step_ends() of torus/isa/timing.h
/// Stops      at the next end of a step; the array is left with +0 in every slot, and without matrices
/// Events     those of the array; compute_cycle, exposed_roll_cycle
class stage_runner {
public:
    using step_log = std::function<void(const logged_step&)>;

    stage_runner(const config& config, stage_control_if& nodes, const shell::program_clock& clock,
                 const bus::stop_request& stop, step_log log);

    /// How tensors lie on the torus from now on.
    void lay_out(const block_sizes& sizes, const scheduling_vector& vector);

    std::array<torus::stage_descriptor, torus::stages> stages(direction way) const;

    /// A pass of stage 0 to 2; it has as many before it in the command.
    shell::command_outcome run(unsigned stage, const stage_pass& pass, std::uint64_t passes_before);

    /// Elaboration: shows stage and step in a waveform.
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
