#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace tensorloom::memory {

// The time bookkeeping of a DRAM channel: occupied slots of the command bus, time with open rows, and utilisation in
// the past. Plain C++; a tick is a clock period.

/// The command bus of a channel: occupied slots, in the future and in the part of the past that may still be used.
class dram_command_bus {
public:
    /// Takes the first `cycles` free consecutive clock periods at or after `tick`; returns the first of them.
    std::uint64_t take(std::uint64_t tick, unsigned cycles)
    {
        // Commands come nearly in order of time: search from the end.
        if (m_first == m_taken.size() || m_taken.back().end <= tick) {
            m_taken.push_back({tick, tick + cycles});
            return tick;
        }
        std::size_t at = m_taken.size();
        while (at > m_first && m_taken[at - 1].end > tick) { --at; }
        for (; at < m_taken.size() && m_taken[at].begin < tick + cycles; ++at) {
            tick = std::max(tick, m_taken[at].end);
        }
        m_taken.insert(m_taken.begin() + static_cast<std::ptrdiff_t>(at), {tick, tick + cycles});
        return tick;
    }

    /// No later call asks for a time before `tick`.
    void forget_before(std::uint64_t tick)
    {
        while (m_first < m_taken.size() && m_taken[m_first].end <= tick) { ++m_first; }
        if (m_first < most_forgotten && m_first < m_taken.size()) { return; }
        m_taken.erase(m_taken.begin(), m_taken.begin() + static_cast<std::ptrdiff_t>(m_first));
        m_first = 0;
    }

private:
    struct place {
        std::uint64_t begin, end;
    };
    static constexpr std::size_t most_forgotten = 64; // that are kept: erasing costs a move of the others

    std::vector<place> m_taken; // by time, not overlapping
    std::size_t m_first = 0;    // those before it are forgotten
};

/// Time with a row open in any bank of a channel. Commands are planned out of order and are sorted by time here.
class dram_active_time {
public:
    void opened(std::uint64_t tick) { insert({tick, 1}); }
    void closed(std::uint64_t tick) { insert({tick, -1}); }

    /// Clock periods with a row open since the last call, up to `tick`. Changes reported later for that time count from
    /// `tick` on.
    std::uint64_t count_until(std::uint64_t tick)
    {
        if (tick <= m_counted && (m_changes.empty() || m_changes.front().tick > tick)) { return 0; }
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

/// Utilisation of a channel, past and future, in spans of time: used to find room for a late burst.
///
/// A span is 1,024 clock periods; 8,192 spans are kept, 5.2 ms at 3200 MT/s. The channel counts as idle before that.
class dram_history {
public:
    using tick = std::uint64_t;
    static constexpr tick span_cycles = 1024;
    static constexpr tick spans = 8192;

    /// The channel can transfer no other data.
    void occupy(tick from, tick cycles)
    {
        const tick span = from / span_cycles;
        if (span + 1 == m_end && from % span_cycles + cycles <= span_cycles) {
            m_used[span % spans] += static_cast<unsigned>(cycles);
        } else {
            occupy_spans(from, cycles);
        }
    }

    /// Takes `cycles` in the first span with enough left, beginning with that of `from`: returns the tick, not before
    /// `from` nor the span's begin. Returns nothing when `from` is not before `limit`, or when no span before that of
    /// `limit` has enough left.
    std::optional<tick> place(tick from, unsigned cycles, tick limit);

private:
    void occupy_spans(tick from, tick cycles);
    unsigned* used(tick span); ///< null when the span is no longer kept

    tick m_end = 0; // span after the latest that was used
    std::vector<unsigned> m_used = std::vector<unsigned>(spans, 0);
};

} // namespace tensorloom::memory
