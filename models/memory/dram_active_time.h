#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace tensorloom::memory {

/// How long a channel had a row open in any of its banks. Commands are planned out of order; they are put into the
/// order of time here.
class dram_active_time {
public:
    void opened(std::uint64_t tick) { insert({tick, 1}); }
    void closed(std::uint64_t tick) { insert({tick, -1}); }

    /// Clock periods with a row open since the last call, up to `tick`. What is told later about the time before comes
    /// too late and counts from then.
    std::uint64_t count_until(std::uint64_t tick)
    {
        std::uint64_t cycles = 0;
        const auto pass = [&](std::uint64_t to) {
            if (to <= m_counted) { return; }
            if (m_open > 0) { cycles += to - m_counted; }
            m_counted = to;
        };
        auto next = m_changes.begin();
        for (; next != m_changes.end() && next->tick <= tick; ++next) {
            pass(next->tick);
            m_open += next->banks;
        }
        pass(tick);
        m_changes.erase(m_changes.begin(), next);
        return cycles;
    }

private:
    struct change {
        std::uint64_t tick;
        int banks;
    };
    void insert(const change& c)
    {
        const auto later = [](std::uint64_t tick, const change& other) { return tick < other.tick; };
        m_changes.insert(std::upper_bound(m_changes.begin(), m_changes.end(), c.tick, later), c);
    }

    std::vector<change> m_changes; // by time, after m_counted
    std::uint64_t m_counted = 0;
    int m_open = 0; // banks at m_counted
};

} // namespace tensorloom::memory
