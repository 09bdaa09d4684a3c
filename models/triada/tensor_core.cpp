#include <tensorloom/models/triada/tensor_core.h>
#include <complex>
#include <tensorloom/models/triada/detailed_tensor_core.h>
#include <tensorloom/models/triada/fast_tensor_core.h>

namespace tensorloom::triada {

tensor_core::tensor_core(sc_core::sc_module_name name, const config& config, const bus::stop_request& stop,
                         step_observer& observer)
    : sc_core::sc_module(name), streams("streams"), cells("cells"), m_config(config), m_stop(stop),
      m_observer(observer), m_step_time(static_cast<double>(config.step_cycles) * config.clock_period)
{
    streams.register_b_transport(this, &tensor_core::b_transport);
    cells.bind(*this);
}

void tensor_core::b_transport(int, vector_burst& burst, sc_core::sc_time&)
{
    const sc_core::sc_time start = sc_core::sc_time_stamp();
    burst.executed = 0;
    if (m_stop.acts_at(start)) { return; }

    m_counts.assign(burst.vectors.size(), {});
    execute(burst, m_counts);
    for (std::size_t i = 0; i < burst.vectors.size(); ++i) {
        const auto& vector = burst.vectors[i];
        using arch::triada_event;
        m_counts[i][triada_event::step] = 1;
        m_counts[i][triada_event::coefficient_read] = vector.sent;
        m_counts[i][triada_event::mac_skipped] = volume() - m_counts[i][triada_event::mac];
        m_unreported.push_back(
            {burst.stage, vector.step, vector.tag, start + static_cast<double>(i) * m_step_time, m_counts[i]});
    }
    const auto& last = burst.vectors.back();
    m_waveform = {burst.stage + 1, last.step, last.tag};
    for (auto& cell : m_watched) { show(*cell, burst, last); }

    // The steps take their time; a stop acts at the first step boundary after it was requested.
    const std::size_t steps = burst.vectors.size();
    const auto boundary = [&](std::size_t i) { return start + static_cast<double>(i) * m_step_time; };
    while (sc_core::sc_time_stamp() < boundary(steps) && !m_stop.pending()) {
        wait(boundary(steps) - sc_core::sc_time_stamp(), m_stop.event());
    }
    burst.executed = steps;
    if (m_stop.pending()) {
        std::size_t i = 1;
        while (i < steps && !m_stop.acts_at(boundary(i))) { ++i; }
        burst.executed = i;
        if (boundary(i) > sc_core::sc_time_stamp()) { wait(boundary(i) - sc_core::sc_time_stamp()); }
        m_unreported.resize(m_unreported.size() - (steps - i));
    }
    sync();
}

void tensor_core::sync()
{
    while (!m_unreported.empty() && m_unreported.front().start + m_step_time <= sc_core::sc_time_stamp()) {
        const auto& step = m_unreported.front();
        m_observer.step_done(step.stage, step.step, step.tag, step.start, step.counts);
        m_unreported.pop_front();
    }
}

const cell_waveform& tensor_core::watch(const shape3& at)
{
    m_watched.push_back(std::make_unique<cell_waveform>());
    m_watched.back()->at = at;
    return *m_watched.back();
}

namespace {

template <class T>
std::unique_ptr<tensor_core> make_core(sc_core::sc_module_name name, const config& config,
                                       const bus::stop_request& stop, step_observer& observer)
{
    if (config.fidelity == fidelity::detailed) {
        return std::make_unique<detailed_tensor_core<T>>(name, config, stop, observer);
    }
    return std::make_unique<fast_tensor_core<T>>(name, config, stop, observer);
}

} // namespace

std::unique_ptr<tensor_core> make_tensor_core(sc_core::sc_module_name name, const config& config,
                                              const bus::stop_request& stop, step_observer& observer)
{
    switch (config.format) {
    case arch::element_type::f64: return make_core<double>(name, config, stop, observer);
    case arch::element_type::f32: return make_core<float>(name, config, stop, observer);
    case arch::element_type::c128: return make_core<std::complex<double>>(name, config, stop, observer);
    case arch::element_type::c64: return make_core<std::complex<float>>(name, config, stop, observer);
    }
    return nullptr;
}

} // namespace tensorloom::triada
