#include <tensorloom/models/activity/program_log.h>

#include <algorithm>
#include <stdexcept>

namespace tensorloom::activity {

program_log::program_log(std::string device, log_detail detail)
    : m_detail(detail), m_modules{{std::move(device), {nullptr, 0}}}, m_live{nullptr}, m_offset{0}
{}

void program_log::attach(const std::string& object, const base::event_table& table, const std::uint64_t* counts)
{
    if (m_started) { throw std::logic_error("program_log: '" + object + "' attaches after the start"); }
    if (object == device()) {
        if (m_attached) { throw std::logic_error("program_log: '" + object + "' attaches twice"); }
        m_attached = true;
        m_modules[0].events = table;
        m_live[0] = counts;
        return;
    }
    const auto same = [&](const module_events& m) { return m.object == object; };
    if (std::any_of(m_modules.begin(), m_modules.end(), same)) {
        throw std::logic_error("program_log: '" + object + "' attaches twice");
    }
    m_modules.push_back({object, table});
    m_live.push_back(counts);
}

void program_log::started(const std::string& device, std::uint64_t time_ps)
{
    if (device != this->device()) { return; }
    if (!m_attached) { throw std::logic_error("program_log: '" + device + "' starts without having attached"); }
    m_started = true;
    m_records.clear();
    m_counts.clear();
    m_first.clear();
    m_next.clear();
    m_start_ps = time_ps;
    m_clock_period_ps = 0;
    m_cycles = 0;
    m_freed = {};

    m_offset.clear();
    m_width = 0;
    for (const auto& module : m_modules) {
        m_offset.push_back(m_width);
        m_width += module.events.size;
    }
    m_records.reserve(m_expected);
    m_counts.reserve(m_expected * m_width);
    m_seen.assign(m_width, 0);
    see_others();
}

void program_log::clocked(const std::string& device, std::uint64_t period_ps)
{
    if (device == this->device()) { m_clock_period_ps = period_ps; }
}

void program_log::see_others()
{
    for (std::size_t m = 1; m < m_modules.size(); ++m) {
        std::copy_n(m_live[m], m_modules[m].events.size, m_seen.begin() + static_cast<std::ptrdiff_t>(m_offset[m]));
    }
}

void program_log::log(const std::string& device, const bus::log_record& record)
{
    if (device != this->device()) { return; }
    if (!m_started) { throw std::logic_error("program_log: '" + device + "' logs before it starts"); }
    if (m_wanted && !m_wanted(record)) {
        see_others();
        return;
    }
    phase_record kept;
    kept.cause = record.cause;
    kept.phase = record.phase;
    kept.command = record.command;
    kept.id = record.id;
    kept.detail = record.detail;
    kept.start_cycle = record.start_cycle;
    kept.cycles = record.cycles;
    kept.busy_start_cycle = record.busy_start_cycle;
    kept.busy_cycles = record.busy_cycles;
    add_record(kept, record.counts);
}

void program_log::freed(const std::string& device, const base::freed_cycles& cycles)
{
    if (device == this->device()) { m_freed = cycles; }
}

void program_log::finished(const std::string& device, std::uint64_t cycles)
{
    if (device != this->device()) { return; }
    if (!m_started) { throw std::logic_error("program_log: '" + device + "' ends before it starts"); }
    if (m_wanted) { return; }
    if (cycles > m_cycles || others_counted()) {
        phase_record rest;
        rest.cause = rest.phase = "other";
        rest.command = m_records.empty() ? 0 : m_records.back().command;
        rest.start_cycle = rest.busy_start_cycle = m_cycles;
        rest.cycles = rest.busy_cycles = cycles > m_cycles ? cycles - m_cycles : 0;
        add_record(rest, nullptr);
    }
    m_cycles = std::max(m_cycles, cycles);
}

// The record for these cycles: a new one with counts of 0, or an existing one that sums them.
std::size_t program_log::index_for(const phase_record& record)
{
    if (m_detail == log_detail::every_record) { return add_new(record); }
    const std::size_t command = m_detail == log_detail::per_command ? record.command : 0;
    if (command >= m_first.size()) { m_first.resize(command + 1, 0); }
    std::uint32_t* link = &m_first[command];
    while (*link != 0) { // a command has few phases
        phase_record& sum = m_records[*link - 1];
        if (sum.cause == record.cause && sum.phase == record.phase) {
            sum.cycles += record.cycles;
            sum.busy_cycles += record.busy_cycles;
            return *link - 1;
        }
        link = &m_next[*link - 1];
    }
    *link = static_cast<std::uint32_t>(m_records.size() + 1);
    m_next.push_back(0);
    return add_new(record);
}

std::size_t program_log::add_new(const phase_record& record)
{
    m_records.push_back(record);
    m_records.back().cause = keep(record.cause);
    m_records.back().phase = keep(record.phase);
    m_counts.resize(m_counts.size() + m_width);
    return m_records.size() - 1;
}

void program_log::add_record(const phase_record& record, const std::uint64_t* device_counts)
{
    m_cycles = std::max(m_cycles, record.end_cycle());
    const std::size_t index = index_for(record);
    std::uint64_t* sums = m_counts.data() + index * m_width;
    for (std::size_t e = 0; device_counts != nullptr && e < m_modules[0].events.size; ++e) {
        sums[e] += device_counts[e];
    }
    for (std::size_t m = 1; m < m_modules.size(); ++m) {
        for (std::size_t e = 0; e < m_modules[m].events.size; ++e) {
            const std::size_t at = m_offset[m] + e;
            const std::uint64_t now = m_live[m][e];
            sums[at] += now >= m_seen[at] ? now - m_seen[at] : now; // a device restarts its counters with each program
            m_seen[at] = now;
        }
    }
}

bool program_log::others_counted() const
{
    for (std::size_t m = 1; m < m_modules.size(); ++m) {
        if (!std::equal(m_live[m], m_live[m] + m_modules[m].events.size, m_seen.data() + m_offset[m])) { return true; }
    }
    return false;
}

std::string_view program_log::keep(std::string_view text)
{
    const auto found = std::find(m_names.begin(), m_names.end(), text); // only a few names
    if (found != m_names.end()) { return *found; }
    return m_names.emplace_back(text);
}

const std::uint64_t* program_log::counts(std::size_t record, std::size_t module) const
{
    return m_counts.data() + record * m_width + m_offset[module];
}

std::vector<std::uint64_t> program_log::total_counts(std::size_t module) const
{
    std::vector<std::uint64_t> totals(m_modules[module].events.size, 0);
    for (std::size_t r = 0; r < m_records.size(); ++r) {
        const std::uint64_t* of_record = counts(r, module);
        for (std::size_t e = 0; e < totals.size(); ++e) { totals[e] += of_record[e]; }
    }
    return totals;
}

std::vector<std::pair<std::string, std::uint64_t>> program_log::cycles_by_cause() const
{
    std::vector<std::pair<std::string, std::uint64_t>> causes;
    for (const auto& record : m_records) {
        auto found = std::find_if(causes.begin(), causes.end(), [&](const auto& c) { return c.first == record.cause; });
        if (found == causes.end()) { found = causes.insert(causes.end(), {std::string(record.cause), 0}); }
        found->second += record.cycles;
    }
    return causes;
}

} // namespace tensorloom::activity
