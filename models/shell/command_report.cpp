#include <tensorloom/models/shell/command_report.h>
#include <algorithm>

namespace tensorloom::shell {

void command_report::begin(std::uint64_t cycle)
{
    m_begin = cycle;
    m_end = cycle;
    m_phases.clear();
    m_counts.clear();
}

void command_report::add(const char* cause, const char* name, std::uint64_t cycles, const std::uint64_t* counts)
{
    m_phases.push_back({cause, name, cycles});
    m_counts.resize(m_counts.size() + m_events, 0);
    if (counts != nullptr) { std::copy_n(counts, m_events, m_counts.end() - static_cast<std::ptrdiff_t>(m_events)); }
}

void command_report::end(std::uint64_t cycle)
{
    m_end = cycle;
    std::uint64_t left = cycles();
    for (auto& p : m_phases) {
        p.cycles = std::min(p.cycles, left);
        left -= p.cycles;
    }
    if (left > 0) { add("wait", "wait", left, nullptr); }
}

std::vector<report_row> command_report::rows(std::uint64_t waited_from) const
{
    std::vector<report_row> all;
    all.reserve(m_phases.size());
    std::uint64_t at = m_begin;
    for (std::size_t p = 0; p < m_phases.size(); ++p) {
        const std::uint64_t end = at + m_phases[p].cycles;
        const std::uint64_t start = std::max(at, waited_from);
        all.push_back({m_phases[p].cause, m_phases[p].name, start, end > start ? end - start : 0,
                       m_counts.data() + p * m_events, at, m_phases[p].cycles});
        at = end;
    }
    return all;
}

} // namespace tensorloom::shell
