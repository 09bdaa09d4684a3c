#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/costs/dram/dram_config.h>
#include <tensorloom/models/costs/dram/dram_mapping.h>
#include <tensorloom/models/memory/dram_channel.h>

namespace tensorloom::memory {

/// All channels of a DRAM: computes when an access of any length is done. Plain C++; a tick is a clock period.
///
/// An access is split into bursts; a partly used burst costs a whole one. Channels work independently; each serves
/// bursts in the order of the accesses, and within an access in the order of addresses.
///
/// Example
///
///     memory::dram_controller controller(costs::load_dram("lpddr4-3200"));
///     const std::uint64_t done = controller.access(0x1000, 256, false, 0);
///     controller.settle(done);
///     const std::uint64_t activates = controller.counts()[costs::dram_event::activate];
class dram_controller {
public:
    using tick = dram_channel::tick;

    /// `config` must be valid (costs/dram/dram_config.h).
    explicit dram_controller(const costs::dram_config& config);
    dram_controller(const dram_controller&) = delete;
    dram_controller& operator=(const dram_controller&) = delete;

    const costs::dram_config& config() const { return m_config; }

    /// An access of at least 1 byte inside the DRAM that arrives at `arrival`; returns the tick at which its last data
    /// have been transferred.
    tick access(std::uint64_t address, std::uint64_t bytes, bool write, tick arrival);

    /// Counts refreshes and open rows up to `now`; without this call, counts are up to the latest access.
    void settle(tick now);

    const dram_counts& counts() const { return m_counts; }

    /// The state after construction, without open rows and with all refreshes ahead: later ticks count from here.
    /// Counts go on.
    void restart();

    /// Passes each command to `log` from now on; an empty log ends it.
    void log_to(dram_command_log log);

private:
    void make_channels();

    costs::dram_config m_config;
    costs::dram_mapping m_mapping;
    dram_counts m_counts;
    dram_command_log m_log;
    std::vector<dram_channel> m_channels;

    // Closed page: a burst waits here for the next one of its channel, which decides whether its row is needed again.
    struct waiting {
        bool present = false;
        dram_burst burst;
    };
    std::vector<waiting> m_waiting;
};

} // namespace tensorloom::memory
