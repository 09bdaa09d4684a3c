#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>
#include <tensorloom/models/costs/dram/dram_config.h>
#include <tensorloom/models/costs/dram/dram_energy.h>
#include <tensorloom/models/memory/dram_occupancy.h>

namespace tensorloom::memory {

enum class dram_command_kind { activate, precharge, precharge_all, read, write, refresh, bank_refresh };

/// One command of a channel's controller, at the clock period in which it begins.
struct dram_command {
    unsigned channel = 0;
    dram_command_kind kind = dram_command_kind::activate;
    unsigned bank = 0;      ///< for activate, precharge, read, write, bank_refresh
    unsigned row = 0;       ///< for activate, read, write
    unsigned column = 0;    ///< for read, write: the first column of the burst
    std::uint64_t tick = 0; ///< clock periods since time 0
    bool automatic = false; ///< an auto-precharge of a read or write, which takes no slot on the command bus
};

/// Receives every command when it is planned: in the order of planning, not of time.
using dram_command_log = std::function<void(const dram_command&)>;

/// Counts of a DRAM, by dram_event.
struct dram_counts : std::array<std::uint64_t, costs::dram_event_count> {
    dram_counts() { fill(0); }
    std::uint64_t& operator[](costs::dram_event e) { return data()[static_cast<std::size_t>(e)]; }
    std::uint64_t operator[](costs::dram_event e) const { return data()[static_cast<std::size_t>(e)]; }
};

/// One burst on a channel.
struct dram_burst {
    unsigned bank = 0;
    unsigned row = 0;
    unsigned column = 0;
    bool write = false;
    bool last_of_row = false; ///< the access needs nothing further from this row
};

/// One channel of a DRAM: computes when the commands of a burst are issued and when its data have been transferred.
///
/// Plain integers: a tick is a clock period. Bursts are served in the order of the calls. A burst's commands
/// (precharge, activate, read or write) are planned when it arrives, each at the first tick that all distances of
/// costs::dram_timing, the command bus and earlier bursts allow. So rows open while other banks transfer data, for at
/// most `queue_bursts` bursts ahead. A refresh is inserted before the first command that would otherwise be issued at
/// or after the refresh time. Single banks are refreshed in rounds, each bank once per round: next is the highest
/// remaining bank below the bank in use, so that an ascending stream meets the fewest refreshes.
///
///     read data    from the command's tick + RL + tDQSCK, burst_cycles long
///     write data   from the command's tick + WL + tDQSS, burst_cycles long
///     read to write      RL + tDQSCK + burst + tWPRE - WL
///     write to read      WL + tDQSS + burst + tWTR
///     read to precharge  burst + max(tRTP, 8) - 8
///     write to precharge WL + tDQSS + burst + tWR
///     bank refresh       keeps tRRD and tFAW like an activate
///
/// A burst may be late: it arrives before an earlier burst did (temporal decoupling). Up to tRCpb late, it is queued
/// after the earlier ones. A later one cannot be planned any more and gets an estimated time: free data slots in the
/// channel's past, a bus without turn-arounds, and rows as if only late bursts used them. It is counted like all others
/// and as late_burst, but not logged.
///
/// Not modelled: reordering of bursts, masked-write spacing, power-down, temperature-dependent refresh, postponed
/// refreshes.
///
/// Example
///
///     const costs::dram_config config = costs::load_dram("lpddr4-3200");
///     memory::dram_counts counts;
///     memory::dram_channel channel(config, 0, counts);
///     const std::uint64_t done = channel.serve({3, 17, 0}, 0); // bank 3, row 17, column 0
class dram_channel {
public:
    using tick = std::uint64_t;

    /// `config` must be valid; it and `counts` must outlive the channel.
    dram_channel(const costs::dram_config& config, unsigned index, dram_counts& counts);

    /// Plans a burst that arrives at `arrival`; returns the tick at which its last data have been transferred.
    tick serve(const dram_burst& burst, tick arrival);

    /// Counts refreshes and active cycles up to `now`, without a burst.
    void settle(tick now);

    void log_to(const dram_command_log* log) { m_log = log; }

private:
    struct bank_state {
        bool open = false;
        unsigned row = 0;
        tick may_activate = 0, may_column = 0, may_precharge = 0;
        bool after_refresh = false; // closed by a refresh and not opened since
        unsigned past_row = 0;      // of late bursts
        bool past_open = false;
    };

    tick serve_late(const dram_burst& burst, tick arrival);
    tick first_command(const dram_burst& burst, tick ready) const;
    void refresh();
    void refresh_in_idle_time(tick until);
    void refresh_all();
    void refresh_one();
    unsigned bank_to_refresh() const;
    void open_row(const dram_burst& burst, tick ready);
    tick column(const dram_burst& burst, tick ready, tick arrival);
    void activate_pushed(tick t);
    tick activate_allowed() const;
    tick turned(bool write) const;
    void close(bank_state& bank, tick t);
    void count(costs::dram_event event, std::uint64_t n = 1) { m_counts[event] += n; }
    void log(dram_command_kind kind, unsigned bank, unsigned row, unsigned column, tick t,
             bool automatic = false) const;
    bool closed_page() const { return m_config.controller.page == costs::dram_page::closed; }

    const costs::dram_config& m_config;
    const costs::dram_timing& m_t;
    dram_counts& m_counts;
    unsigned m_index;
    const dram_command_log* m_log = nullptr;

    // Distances derived from the timing.
    tick m_burst, m_read_data, m_write_data, m_read_to_write, m_write_to_read, m_read_to_precharge,
        m_write_to_precharge;

    std::vector<bank_state> m_banks;
    dram_command_bus m_bus;
    std::array<tick, 4> m_activates{}; // the last four activates, and the number of all
    std::uint64_t m_activate_count = 0;
    std::vector<tick> m_columns;     // of the last queue_bursts bursts; 0 before there are that many
    std::size_t m_oldest_column = 0; // its place, which the next burst takes
    bool m_any_column = false;
    tick m_last_column = 0;
    bool m_last_write = false;
    tick m_latest_arrival = 0;

    tick m_refresh_due = std::numeric_limits<tick>::max();
    tick m_refresh_done = 0;             // end of the latest refresh
    std::uint64_t m_refreshed_banks = 0; // in this round, one bit each
    unsigned m_needed_bank = 0;          // of the latest burst

    unsigned m_open_banks = 0;
    tick m_closed_from = 0; // the latest precharge
    dram_active_time m_active;

    dram_history m_past;
    tick m_late_arrival = std::numeric_limits<tick>::max(), m_late_column = 0; // the latest late burst
};

} // namespace tensorloom::memory
