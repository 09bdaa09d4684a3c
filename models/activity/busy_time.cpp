#include <tensorloom/models/activity/busy_time.h>

#include <algorithm>
#include <iterator>

namespace tensorloom::activity {

void busy_time::add(std::uint64_t begin, std::uint64_t end, std::uint64_t settled)
{
    if (begin < end) {
        auto at = m_pending.upper_bound(begin);
        if (at != m_pending.begin() && std::prev(at)->second >= begin) { --at; }
        while (at != m_pending.end() && at->first <= end) {
            begin = std::min(begin, at->first);
            end = std::max(end, at->second);
            at = m_pending.erase(at);
        }
        m_pending.emplace_hint(at, begin, end);
    }
    if (settled <= m_settled) { return; }
    m_settled = settled;
    while (!m_pending.empty() && m_pending.begin()->second < settled) {
        m_closed += m_pending.begin()->second - m_pending.begin()->first;
        m_pending.erase(m_pending.begin());
    }
}

std::uint64_t busy_time::total() const
{
    std::uint64_t total = m_closed;
    for (const auto& [begin, end] : m_pending) { total += end - begin; }
    return total;
}

} // namespace tensorloom::activity
