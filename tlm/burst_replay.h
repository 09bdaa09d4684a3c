#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

/// Time that transfers would take less.
struct freed_time {
    sc_core::sc_time by_bus;    ///< if beats took no time
    sc_core::sc_time by_memory; ///< if every burst ended with its beats

    freed_time& operator+=(const freed_time& more)
    {
        by_bus += more.by_bus;
        by_memory += more.by_memory;
        return *this;
    }
    freed_time since(const freed_time& before) const { return {by_bus - before.by_bus, by_memory - before.by_memory}; }
};

/// Repeats the bursts of a DMA engine with the bus free, and with the memory free.
///
/// A burst begins when the beats of the one before have passed and burst k - outstanding has ended, as in the engine
/// (dma_engine.h). It ends a latency after its beats. But where that is longer than the least latency so far, and the
/// bursts end further apart than the bus could send them, the memory was busy with the one before, and sets the pace:
/// this one ends as much later than that as it did. With nothing free, every burst begins and ends as it did.
///
/// Example
///
///     bus::burst_replay replay(1);                       // one burst at a time
///     replay.issued(0, {sc_core::SC_ZERO_TIME, sc_core::SC_ZERO_TIME, delay, true});
///     replay.ended(0, 3 * delay);
///     replay.finish();
///     out << replay.saved().by_memory; // all but the beats: 2 delay
class burst_replay {
public:
    /// A burst as it was issued.
    struct burst {
        sc_core::sc_time at;
        sc_core::sc_time delay; ///< from when it might have been issued, by the bus and the bursts in flight
        sc_core::sc_time beats;
        bool reads;
    };

    explicit burst_replay(unsigned outstanding);

    /// Forgets the latencies so far: what follows is measured as in a simulation of its own. saved() stays.
    void restart() { m_least = {}; }
    /// A transfer begins. `follows`: bursts of the one before are still in flight.
    void begin(const sc_core::sc_time& now, bool follows);
    /// The burst at this place of the window, in the order of issue; the one before at this place has ended.
    void issued(std::size_t place, const burst& issued);
    /// In the order of issue; nothing if the burst at this place is known to have ended.
    void ended(std::size_t place, const sc_core::sc_time& done);
    /// The transfer's last burst has ended.
    void finish();

    const freed_time& saved() const { return m_saved; } ///< by all transfers

private:
    enum freed { no_bus, no_memory, ways };

    struct window_burst {
        burst issued;
        bool in_flight = false;
        std::array<sc_core::sc_time, ways> done;
    };

    std::vector<window_burst> m_window;
    std::array<std::optional<sc_core::sc_time>, 2> m_least; // latency, of writes and of reads
    sc_core::sc_time m_done;                                // end of the last burst
    sc_core::sc_time m_latest;                              // of all bursts
    struct repeated {
        sc_core::sc_time bus_free, done, latest;
        sc_core::sc_time saved; // by all transfers: grows only, which overstates it by a round of bursts at most
    };
    std::array<repeated, ways> m_repeated;
    freed_time m_saved;
};

} // namespace tensorloom::bus
