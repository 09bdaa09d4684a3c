#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace tensorloom::memory {

/// The command bus of a channel: places taken, the coming ones and as much of the past as may still be looked at.
class dram_command_bus {
public:
    /// Takes the first `cycles` free clock periods in a row at or after `tick`; returns the first of them.
    std::uint64_t take(std::uint64_t tick, unsigned cycles)
    {
        // Commands come nearly in order of time: the place is looked for from the end.
        std::size_t at = m_taken.size();
        while (at > 0 && m_taken[at - 1].end > tick) { --at; }
        for (; at < m_taken.size() && m_taken[at].begin < tick + cycles; ++at) {
            tick = std::max(tick, m_taken[at].end);
        }
        m_taken.insert(m_taken.begin() + static_cast<std::ptrdiff_t>(at), {tick, tick + cycles});
        return tick;
    }

    /// Nothing will be asked for before `tick`.
    void forget_before(std::uint64_t tick)
    {
        const auto old = std::find_if(m_taken.begin(), m_taken.end(), [&](const place& p) { return p.end > tick; });
        m_taken.erase(m_taken.begin(), old);
    }

private:
    struct place {
        std::uint64_t begin, end;
    };
    std::vector<place> m_taken; // by time, not overlapping
};

} // namespace tensorloom::memory
