#include <tensorloom/models/shell/command_log.h>
#include <algorithm>
#include <utility>

namespace tensorloom::shell {

void command_report::begin(std::uint64_t cycle)
{
    m_begin = cycle;
    m_end = cycle;
    m_phases.clear();
    m_counts.clear();
}

void command_report::add(const char* cause, const char* name, std::uint64_t cycles, const std::uint64_t* counts,
                         const base::freed_cycles* freed)
{
    m_phases.push_back({cause, name, cycles, freed != nullptr ? *freed : base::freed_cycles::of(cause, cycles)});
    m_counts.resize(m_counts.size() + m_events, 0);
    if (counts != nullptr) { std::copy_n(counts, m_events, m_counts.end() - static_cast<std::ptrdiff_t>(m_events)); }
}

void command_report::end(std::uint64_t cycle)
{
    m_end = cycle;
    std::uint64_t left = cycles();
    for (auto& p : m_phases) {
        if (p.cycles > left) {
            p.cycles = left;
            p.freed = base::freed_cycles::of(p.cause, left);
        }
        left -= p.cycles;
    }
    if (left > 0) { add("wait", "wait", left, nullptr); }
}

base::freed_cycles command_report::freed() const
{
    base::freed_cycles sum;
    for (const auto& p : m_phases) { sum += p.freed; }
    return sum;
}

bus::log_record command_report::record_of(std::size_t number, std::uint64_t at, const issued_command& command,
                                          std::uint64_t waited_from) const
{
    const phase& p = m_phases[number];
    const std::uint64_t end = at + p.cycles;
    const std::uint64_t start = std::max(at, waited_from);
    return bus::log_record(p.cause, p.name)
        .of_command(command.index)
        .with_id(static_cast<std::uint32_t>(command.execution))
        .during(start, end > start ? end - start : 0)
        .busy_during(at, p.cycles)
        .with_counts(m_counts.data() + number * m_events)
        .with_freed(&p.freed);
}

void log_reorder_buffer::add(std::uint64_t number, const bus::log_record& record)
{
    if (m_free.empty()) {
        m_free.push_back(m_counts.size());
        m_counts.resize(m_counts.size() + m_events);
    }
    const std::size_t place = m_free.back();
    m_free.pop_back();
    std::copy_n(record.counts, m_events, m_counts.begin() + static_cast<std::ptrdiff_t>(place));
    // After earlier records with the same start and number.
    const auto key = [](const kept_record& r) { return std::make_pair(r.record.start_cycle, r.number); };
    kept_record kept{number, place, record};
    kept.record.freed = nullptr; // the caller's
    const auto behind = std::upper_bound(m_kept.begin(), m_kept.end(), kept,
                                         [&](const auto& a, const auto& b) { return key(a) < key(b); });
    m_kept.insert(behind, kept);
}

void log_reorder_buffer::release(std::uint64_t before, const receiver& to)
{
    auto next = m_kept.begin();
    for (; next != m_kept.end() && next->record.start_cycle < before; ++next) {
        next->record.counts = m_counts.data() + next->place;
        to(next->record);
        m_free.push_back(next->place);
    }
    m_kept.erase(m_kept.begin(), next);
}

device_log::device_log(std::string device, const base::event_table& events, bus::activity_sink* sink)
    : m_device(std::move(device)), m_events(events), m_counts(events.size, 0), m_sink(sink)
{
    if (m_sink != nullptr) { m_sink->attach(m_device, m_events, m_counts.data()); }
}

void device_log::start(std::uint64_t time_ps, std::uint64_t period_ps)
{
    clear();
    m_freed = {};
    if (m_sink == nullptr) { return; }
    m_sink->started(m_device, time_ps);
    m_sink->clocked(m_device, period_ps);
}

void device_log::add(const bus::log_record& record)
{
    for (std::size_t e = 0; e < m_events.size; ++e) { m_counts[e] += record.counts[e]; }
    m_freed += record.freed != nullptr ? *record.freed : base::freed_cycles::of(record.cause, record.cycles);
    if (m_sink != nullptr) { m_sink->log(m_device, record); }
    if (m_listener) { m_listener(record); }
}

void device_log::finish(std::uint64_t cycles)
{
    if (m_sink == nullptr) { return; }
    m_sink->freed(m_device, m_freed);
    m_sink->finished(m_device, cycles);
}

void device_log::set_counts(const std::vector<std::uint64_t>& counts)
{
    std::copy(counts.begin(), counts.end(), m_counts.begin()); // in place: sinks hold a pointer to the counters
}

void device_log::clear() { std::fill(m_counts.begin(), m_counts.end(), 0); }

} // namespace tensorloom::shell
