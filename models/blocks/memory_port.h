#pragma once
#include <cstdint>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::blocks {

/// One use of the memory port of a device's cells or nodes, with counts by the device's event table.
template <class Counts> struct port_transfer {
    shell::command_outcome outcome;
    std::uint64_t start_cycle = 0;
    std::uint64_t cycles = 0;
    Counts counts;

    std::uint64_t end_cycle() const { return start_cycle + cycles; }
};

/// Moves elements through a port that needs `port_cycles` for them: move(counts) does it by DMA and returns its
/// outcome. It takes max(DMA time, port_cycles), in whole cycles, or until a stop acts at a burst or cycle boundary.
template <class Counts, class Move>
port_transfer<Counts> transfer_through_port(const shell::program_clock& clock, const bus::stop_request& stop,
                                            std::uint64_t port_cycles, const Move& move)
{
    port_transfer<Counts> transfer;
    transfer.start_cycle = clock.now();
    transfer.outcome = move(transfer.counts);
    if (transfer.outcome.ok()) {
        if (!clock.wait_until(transfer.start_cycle + port_cycles, stop)) {
            transfer.outcome = {isa::error_code::aborted};
        }
    }
    clock.align();
    transfer.cycles = clock.now() - transfer.start_cycle;
    return transfer;
}

} // namespace tensorloom::blocks
