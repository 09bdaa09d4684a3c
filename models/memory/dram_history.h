#pragma once
#include <cstdint>
#include <optional>
#include <vector>

namespace tensorloom::memory {

/// How busy a channel was and will be, in spans of time: where a burst that comes from the past finds room.
///
/// A span is 1,024 clock periods; 8,192 of them are remembered, 5.2 ms at 3200 MT/s. Before that the channel counts as
/// idle.
class dram_history {
public:
    using tick = std::uint64_t;
    static constexpr tick span_cycles = 1024;
    static constexpr tick spans = 8192;

    void occupy(tick from, tick cycles); ///< the channel can move no other data

    /// Takes `cycles` in the first span from that of `from` on that has them left: the tick, not before `from` nor the
    /// span's begin. Nothing when `from` is not before `limit`, or when only spans from that of `limit` on have them
    /// left.
    std::optional<tick> place(tick from, unsigned cycles, tick limit);

private:
    unsigned* used(tick span); ///< null when it is forgotten

    tick m_end = 0; // span after the latest that was used
    std::vector<unsigned> m_used = std::vector<unsigned>(spans, 0);
};

} // namespace tensorloom::memory
