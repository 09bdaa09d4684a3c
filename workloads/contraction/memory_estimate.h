#pragma once
#include <cstdint>

namespace tensorloom::workloads {

/// What planners take the memory on the bus for: a pipe that data and commands take one after the other. Of estimates
/// alone; a run takes what the memory on the bus takes. The defaults are FETTA's: LPDDR4 (section VI-B) at 1 GHz,
/// energy not counted.
struct memory_estimate {
    double bytes_per_cycle = 25.6;
    double transfer_cycles = 64; ///< of each LOAD or STORE, before its first byte
    /// Before each contiguous piece that a LOAD or STORE of several moves one after the other: measured with the DMA of
    /// the device.
    double run_cycles = 30;

    double read_pj_per_byte = 0;
    double write_pj_per_byte = 0;
    double pj_per_cycle = 0;       ///< as long as the plan runs: background, refresh
    std::uint64_t burst_bytes = 1; ///< that a contiguous piece costs at least, in energy

    /// Of so many bytes in so many transfers, which have so many contiguous pieces in all.
    double cycles(std::uint64_t bytes, std::uint64_t transfers, std::uint64_t runs) const
    {
        return static_cast<double>(bytes) / bytes_per_cycle + static_cast<double>(transfers) * transfer_cycles +
               static_cast<double>(runs - transfers) * run_cycles;
    }

    /// Less work, transfers included, is not worth cutting into blocks: their ends take as much as they hide.
    double small_work_cycles() const { return 32 * transfer_cycles; }

    /// That are charged for so many bytes in so many contiguous pieces.
    std::uint64_t charged_bytes(std::uint64_t bytes, std::uint64_t runs) const
    {
        return bytes > runs * burst_bytes ? bytes : runs * burst_bytes;
    }
};

} // namespace tensorloom::workloads
