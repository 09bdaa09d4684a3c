#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/costs/dram/dram_config.h>
#include <tensorloom/models/costs/dram/dram_mapping.h>

namespace tensorloom::costs {

/// Planners' model of one stream of reads or writes to an idle DRAM: banks, rows, activates and data buses by the
/// timing of its configuration. Not modelled: refreshes, the command bus, turnarounds, other streams.
class dram_stream {
public:
    /// Times in cycles of the device's clock: `request_cycles` from a request of the device to the memory and back. The
    /// configuration must be valid.
    dram_stream(const dram_config& config, double clock_ns, double request_cycles);

    /// An access, contiguous in memory.
    struct access {
        std::uint64_t address = 0;
        std::uint64_t bytes = 0;
    };
    /// Cycles from the end of the first access to the end of the last, at most one request per cycle and `outstanding`
    /// accesses in flight.
    double cycles(const std::vector<access>& accesses, bool write, unsigned outstanding) const;

private:
    dram_config m_config;
    dram_mapping m_mapping;
    double m_ticks_per_cycle;
    double m_request_cycles;
};

} // namespace tensorloom::costs
