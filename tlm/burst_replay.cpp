#include <tensorloom/tlm/burst_replay.h>
#include <algorithm>

namespace tensorloom::bus {

burst_replay::burst_replay(unsigned outstanding) : m_window(outstanding) {}

void burst_replay::begin(const sc_core::sc_time& now, bool follows)
{
    if (follows) { return; }
    for (auto& b : m_window) {
        b.in_flight = false;
        b.done.fill(now);
    }
    m_done = m_latest = now;
    m_repeated.fill({now, now, now, sc_core::SC_ZERO_TIME});
}

void burst_replay::issued(std::size_t place, const burst& issued)
{
    m_window[place].issued = issued;
    m_window[place].in_flight = true;
}

void burst_replay::ended(std::size_t place, const sc_core::sc_time& done)
{
    auto& b = m_window[place];
    if (!b.in_flight) { return; }
    b.in_flight = false;
    const auto& [at, delay, beats, reads] = b.issued;
    const sc_core::sc_time sent = at + beats, latency = std::max(done, sent) - sent; // a burst that failed may be short
    auto& least = m_least[reads ? 1 : 0];
    least = least ? std::min(*least, latency) : latency;
    const sc_core::sc_time pace = done - std::min(done, m_done);
    const bool memory_paces = latency > *least && pace > beats;
    for (unsigned way = 0; way < ways; ++way) {
        auto& r = m_repeated[way];
        const sc_core::sc_time begin = std::max(r.bus_free, b.done[way]) + delay;
        r.bus_free = way == no_bus ? begin : begin + beats;
        sc_core::sc_time end = r.bus_free;
        if (way != no_memory) { end = memory_paces ? std::max(end, r.done + pace) : end + latency; }
        b.done[way] = r.done = end;
        r.latest = std::max(r.latest, end);
    }
    m_done = done;
    m_latest = std::max(m_latest, done);
}

void burst_replay::finish()
{
    const auto newly_saved = [this](repeated& r) {
        const sc_core::sc_time before = r.saved;
        r.saved = std::max(before, m_latest - std::min(m_latest, r.latest));
        return r.saved - before;
    };
    m_saved += {newly_saved(m_repeated[no_bus]), newly_saved(m_repeated[no_memory])};
}

} // namespace tensorloom::bus
