#include <tensorloom/models/torus/stage_runner.h>
#include <algorithm>

namespace tensorloom::torus {

void add_to(shell::device_log& log, const char* name, std::uint32_t command, const logged_step& step)
{
    const std::uint64_t roll_start = step.start_cycle + step.compute_cycles;
    auto freed = base::freed_cycles::of(base::resource::compute, step.compute_cycles);
    freed.set_without(base::resource::compute, std::min(step.compute_cycles, step.hidden_link_cycles));
    log.add(bus::log_record("compute", name)
                .of_command(command)
                .with_id(step.step)
                .during(step.start_cycle, step.compute_cycles)
                .with_counts(step.computed.data())
                .with_freed(&freed));
    if (!step.moves) { return; }
    log.add(bus::log_record("roll", name)
                .of_command(command)
                .with_id(step.step)
                .during(roll_start, step.roll_cycles)
                .with_counts(step.rolled.data()));
}

bool run_steps(stepped_if& nodes, const timed_steps& steps, const shell::program_clock& clock,
               const bus::stop_request& stop, const std::function<void(std::uint32_t)>& begun,
               const std::function<void(const logged_step&)>& log)
{
    const std::uint64_t start = clock.now();
    std::uint32_t number = steps.first;
    for (const std::uint64_t end : steps.ends) {
        begun(number);
        logged_step step;
        step.stage = steps.stage;
        step.step = number++;
        step.start_cycle = clock.now();
        step.compute_cycles = std::min(steps.compute_cycles, start + end - step.start_cycle);
        step.roll_cycles = start + end - step.start_cycle - step.compute_cycles;
        step.hidden_link_cycles = steps.link_cycles - std::min(steps.link_cycles, step.roll_cycles);
        step.moves = steps.move;
        nodes.compute(step.computed);
        clock.wait_until(step.start_cycle + step.compute_cycles); // also when stopped
        nodes.roll(step.rolled);
        clock.wait_until(start + end);
        clock.settle(); // what the DMA does now beside the step is the step's
        step.computed[event::compute_cycle] = step.compute_cycles;
        step.rolled[event::exposed_roll_cycle] = step.roll_cycles;
        log(step);
        if (stop.acts_at(sc_core::sc_time_stamp())) { return false; }
    }
    return true;
}

stage_runner::stage_runner(const config& config, stage_control_if& nodes, const shell::program_clock& clock,
                           const bus::stop_request& stop, step_log log)
    : m_config(config), m_nodes(nodes), m_clock(clock), m_stop(stop), m_log(std::move(log)),
      m_timing(timing_of(config)),
      m_sum_words(base::element_bytes(base::accumulator_type(config.format)) / base::element_bytes(config.format))
{}

void stage_runner::lay_out(const block_sizes& sizes, const scheduling_vector& vector)
{
    m_sizes = sizes;
    m_vector = vector;
}

std::array<torus::stage_descriptor, stages> stage_runner::stages(direction way) const
{
    return stages_of(way, m_vector, m_config.side);
}

shell::command_outcome stage_runner::run(unsigned stage, const stage_pass& pass, std::uint64_t passes_before)
{
    timed_steps steps;
    steps.ends = step_ends(pass.stage, m_sizes, m_timing, m_sum_words);
    steps.compute_cycles = step_compute_cycles(pass.stage, m_sizes, m_timing);
    steps.link_cycles = step_link_cycles(profile_of(pass.stage, m_sizes, m_sum_words), m_timing);
    steps.stage = stage;
    steps.first = static_cast<std::uint32_t>(passes_before * pass.stage.steps);
    steps.move = !pass.stage.rolls.empty();
    m_nodes.begin(pass);
    m_shown_stage = stage + 1;
    const auto show = [this](std::uint32_t step) { m_shown_step = step; };
    bool overflowed = false;
    const auto log_step = [&](const logged_step& step) {
        overflowed = overflowed || step.computed[event::mac_overflowed] != 0;
        m_log(step);
    };
    const bool done = run_steps(m_nodes, steps, m_clock, m_stop, show, log_step);
    m_shown_stage = 0;
    if (!done) {
        m_nodes.abandon();
        return {isa::error_code::aborted};
    }
    m_nodes.end();
    return {overflowed ? isa::error_code::accumulator_overflow : isa::error_code::none};
}

void stage_runner::trace(sc_core::sc_trace_file& file, const std::string& prefix) const
{
    sc_core::sc_trace(&file, m_shown_stage, prefix + "stage");
    sc_core::sc_trace(&file, m_shown_step, prefix + "step");
}

} // namespace tensorloom::torus
