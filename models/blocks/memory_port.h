#pragma once
#include <cstdint>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/models/shell/transfer_watch.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::blocks {

/// One use of the memory port of a device's cells or nodes, with counts by the device's event table.
template <class Counts> struct port_transfer {
    shell::command_outcome outcome;
    std::uint64_t start_cycle = 0;
    std::uint64_t cycles = 0;
    Counts counts;
    base::freed_cycles freed;

    std::uint64_t end_cycle() const { return start_cycle + cycles; }
};

/// Moves elements through a port that needs `port_cycles` for them: move(counts) does it by DMA and returns its
/// outcome. It takes max(DMA time, port_cycles), in whole cycles, or until a stop acts at a burst or cycle boundary.
template <class Counts, class Move>
port_transfer<Counts> transfer_through_port(const bus::dma_ports& dma, const shell::program_clock& clock,
                                            const bus::stop_request& stop, std::uint64_t port_cycles, const Move& move)
{
    port_transfer<Counts> transfer;
    shell::transfer_watch watch(dma, clock);
    transfer.start_cycle = watch.start();
    transfer.outcome = move(transfer.counts);
    const std::uint64_t dma_end = clock.now();
    if (transfer.outcome.ok()) {
        if (!clock.wait_until(transfer.start_cycle + port_cycles, stop)) {
            transfer.outcome = {isa::error_code::aborted};
        }
    }
    clock.align();
    transfer.cycles = clock.now() - transfer.start_cycle;
    transfer.freed =
        watch.freed(transfer.cycles, dma_end - transfer.start_cycle, transfer.outcome.ok() ? port_cycles : 0);
    return transfer;
}

} // namespace tensorloom::blocks
