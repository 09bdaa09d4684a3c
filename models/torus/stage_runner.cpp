#include <tensorloom/models/torus/stage_runner.h>
#include <algorithm>

namespace tensorloom::torus {

using arch::torus::event;

stage_runner::stage_runner(const config& config, stage_control_if& nodes, const shell::program_clock& clock,
                           const bus::stop_request& stop, step_log log)
    : m_config(config), m_nodes(nodes), m_clock(clock), m_stop(stop), m_log(std::move(log)),
      m_timing(timing_of(config)),
      m_sum_words(arch::element_bytes(arch::accumulator_type(config.format)) / arch::element_bytes(config.format))
{}

void stage_runner::lay_out(const arch::torus::block_sizes& sizes, const arch::torus::scheduling_vector& vector)
{
    m_sizes = sizes;
    m_vector = vector;
}

std::array<arch::torus::stage_descriptor, arch::torus::stages> stage_runner::stages(arch::torus::direction way) const
{
    return arch::torus::stages_of(way, m_vector, m_config.side);
}

shell::command_outcome stage_runner::run(unsigned stage, const stage_pass& pass, std::uint64_t passes_before)
{
    const auto first_step = static_cast<std::uint32_t>(passes_before * pass.stage.steps);
    const auto ends = step_ends(pass.stage, m_sizes, m_timing, m_sum_words);
    const std::uint64_t compute = step_compute_cycles(pass.stage, m_sizes, m_timing);
    const std::uint64_t start = m_clock.now();
    m_nodes.begin(pass);
    m_shown_stage = stage + 1;
    bool stopped = false;
    for (std::uint32_t t = 0; t < pass.stage.steps && !stopped; ++t) {
        m_shown_step = first_step + t;
        logged_step step;
        step.stage = stage;
        step.step = first_step + t;
        step.start_cycle = m_clock.now();
        step.compute_cycles = std::min(compute, start + ends[t] - step.start_cycle);
        step.roll_cycles = start + ends[t] - step.start_cycle - step.compute_cycles;
        step.rolls = !pass.stage.rolls.empty();
        m_nodes.compute(step.computed);
        m_clock.wait_until(step.start_cycle + step.compute_cycles); // whatever stops
        m_nodes.roll(step.rolled);
        m_clock.wait_until(start + ends[t]);
        step.computed[event::compute_cycle] = step.compute_cycles;
        step.rolled[event::exposed_roll_cycle] = step.roll_cycles;
        m_log(step);
        stopped = m_stop.acts_at(sc_core::sc_time_stamp());
    }
    m_shown_stage = 0;
    if (stopped) {
        m_nodes.abandon();
        return {arch::error_code::aborted};
    }
    m_nodes.end();
    return {};
}

void stage_runner::trace(sc_core::sc_trace_file& file, const std::string& prefix) const
{
    sc_core::sc_trace(&file, m_shown_stage, prefix + "stage");
    sc_core::sc_trace(&file, m_shown_step, prefix + "step");
}

} // namespace tensorloom::torus
