#include <tensorloom/models/triada/tensor_core.h>
#include <utility>

namespace tensorloom::triada {

tensor_core::tensor_core(sc_core::sc_module_name name, const config& config, const bus::clock_source& clock,
                         const bus::stop_request& stop, step_observer& observer)
    : sc_core::sc_module(name), streams("streams"), cells("cells"), m_config(config), m_clock(clock), m_stop(stop),
      m_observer(observer)
{
    streams.register_b_transport(this, &tensor_core::b_transport);
    cells.bind(*this);
}

void tensor_core::b_transport(int, vector_burst& burst, sc_core::sc_time&)
{
    burst.executed = 0;
    if (burst.vectors.empty() || m_stop.acts_at(sc_core::sc_time_stamp())) { return; }
    const std::size_t steps = burst.vectors.size();
    m_counts.assign(steps, {});
    if (!burst.pointwise) { give_up_last_source(burst.source); }
    const sc_core::sc_time start = sc_core::sc_time_stamp();
    execute(burst, m_counts.data());
    count_steps(burst);
    m_running = {&burst, start, steps, 0};
    m_step_time = sc_core::sc_time::from_value(m_config.step_cycles * m_clock.period().value());

    std::size_t done = 0;
    bool stopped = false;
    while (done < steps && !stopped) {
        if (m_is_watched) { show_step(burst, done); }
        stopped = !pass_time(done, m_is_watched ? done + 1 : steps);
    }
    burst.executed = done;
    m_running.steps = done;
    sync();
    m_running = {};
}

void tensor_core::give_up_last_source(cell_register source)
{
    const auto last = std::exchange(m_last_source, source);
    if (!last || *last == source || m_keeps_sources) { return; }
    m_given_up[static_cast<unsigned>(*last)] = true;
    give_up(*last);
}

void tensor_core::renew(cell_register reg)
{
    m_given_up[static_cast<unsigned>(reg)] = false;
    if (m_last_source == reg) { m_last_source.reset(); }
}

void tensor_core::count_steps(const vector_burst& burst)
{
    const std::uint64_t dense_macs = volume();
    for (std::size_t i = 0; i < burst.vectors.size(); ++i) {
        auto& counted = m_counts[i];
        counted[event::step] = 1;
        if (burst.pointwise) {
            counted[event::mac_skipped] = counted[event::compare] != 0 ? 0 : dense_macs - counted[event::mac];
            continue;
        }
        counted[event::coefficient_read] = burst.vectors[i].sent;
        counted[event::mac_skipped] = dense_macs - counted[event::mac];
    }
}

stage_lines tensor_core::lines_of(const vector_burst& burst) const
{
    return {m_box, {line_cells(0), line_cells(1), line_cells(2)}, burst.mode, burst.x_mode, burst.esop};
}

void tensor_core::count_pointwise(const vector_burst& burst, counts& counted) const
{
    using operation = arithmetic::pointwise_operation;
    const std::uint64_t elements = volume();
    const bool has_value = burst.vectors.front().sent != 0;
    const std::uint64_t read = 1 + (burst.operand ? 1 : 0) + (has_value ? 1 : 0);
    counted[event::register_read] = read * elements;
    counted[event::register_write] = (has_value ? 2 : 1) * elements;
    if (*burst.pointwise == operation::threshold || *burst.pointwise == operation::relu) {
        counted[event::compare] = elements;
    }
    if (!has_value) { return; }
    const unsigned slice_mode = 3 - burst.mode - burst.x_mode;
    const std::uint64_t sends = box()[slice_mode] * burst.vectors.front().sent;
    counted[event::coefficient_send] = sends;
    counted[coefficient_hop(burst.x_mode)] = sends * line_cells(burst.x_mode);
}

void tensor_core::show_step(const vector_burst& burst, std::size_t step)
{
    pass_deltas();
    const auto& vector = burst.vectors[step];
    m_waveform = {burst.stage + 1, vector.step, vector.tag};
    for (std::size_t i = 0; i < m_watched.size(); ++i) { show(i, *m_watched[i], burst, vector); }
}

/// When a step of the running burst begins.
sc_core::sc_time tensor_core::boundary(std::size_t step) const
{
    return m_running.start + sc_core::sc_time::from_value(step * m_step_time.value());
}

/// Lets the time of steps `done` to `next` pass; a stop acts at the first boundary after its request. False when one
/// acted.
bool tensor_core::pass_time(std::size_t& done, std::size_t next)
{
    const sc_core::sc_time end = boundary(next);
    while (sc_core::sc_time_stamp() < end && !m_stop.pending()) {
        wait(end - sc_core::sc_time_stamp(), m_stop.event());
    }
    if (!m_stop.pending()) {
        done = next;
        return true;
    }
    for (++done; done < next && !m_stop.acts_at(boundary(done));) { ++done; }
    if (boundary(done) > sc_core::sc_time_stamp()) { wait(boundary(done) - sc_core::sc_time_stamp()); }
    return !m_stop.acts_at(boundary(done));
}

void tensor_core::sync()
{
    const auto now = sc_core::sc_time_stamp();
    for (auto& r = m_running; r.reported < r.steps && boundary(r.reported + 1) <= now; ++r.reported) {
        const auto& vector = r.burst->vectors[r.reported];
        m_observer.step_done(r.burst->stage, vector.step, vector.tag, boundary(r.reported), m_counts[r.reported]);
    }
}

const core_waveform& tensor_core::watch()
{
    m_is_watched = true;
    return m_waveform;
}

const cell_waveform& tensor_core::watch(const shape3& at)
{
    m_is_watched = true;
    m_watched.push_back(std::make_unique<cell_waveform>());
    m_watched.back()->at = at;
    return *m_watched.back();
}

void tensor_core::wait_for_lines()
{
    for (unsigned delta = 0; delta < 3; ++delta) { sc_core::wait(sc_core::SC_ZERO_TIME); }
}

std::unique_ptr<tensor_core> make_tensor_core(sc_core::sc_module_name name, const config& config,
                                              const bus::clock_source& clock, const bus::stop_request& stop,
                                              step_observer& observer)
{
    switch (config.fidelity) {
    case fidelity::detailed: return make_detailed_tensor_core(name, config, clock, stop, observer);
    case fidelity::rtl: return make_rtl_tensor_core(name, config, clock, stop, observer);
    case fidelity::fast: break;
    }
    return make_fast_tensor_core(name, config, clock, stop, observer);
}

} // namespace tensorloom::triada
