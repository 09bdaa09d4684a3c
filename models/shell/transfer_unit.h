#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/local_memory.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_engine.h>

namespace tensorloom::shell {

/// What LOAD and STORE count: accesses of the device's memory (local_memory::accesses()), by its event table.
struct transfer_events {
    std::size_t loaded;
    std::size_t stored;
};

/// Executes LOAD and STORE: moves a tensor between memory on the bus and the memory of a device, run by run in C order.
///
/// Timing     DMA time, or that of the memory's port if it is longer, up to the next cycle boundary
/// Errors     bad_descriptor, too_large   the addresses of this iteration lead outside of 64 bits, or of a window of
///            the memory; takes no time
///            bus_error, aborted          what has been moved stays, in whole pieces (dma_chunks.h)
/// A stop that acts when all has been moved and the port's time has passed comes too late, as for every unit.
/// Log        a phase "load" or "store", with the events of what has been moved, up to the piece that failed
/// Not modelled: several transfers at a time.
class transfer_unit : public command_unit {
public:
    /// `events`: in the device's event table, which has `event_count`.
    transfer_unit(bus::dma_engine& dma, local_memory& memory, const transfer_events& events, std::size_t event_count)
        : m_dma(dma), m_memory(memory), m_events(events), m_counts(event_count, 0)
    {}

    bool executes(std::uint8_t opcode) const override;
    std::optional<arch::refusal> check(const arch::command_header& header, const std::uint8_t* payload) const override;
    access_set accesses(const issued_command& command) const override { return accesses(command, m_memory); }
    command_outcome execute(running_command& running) override;

    /// What a transfer reads or writes of a device's memory: nothing when execute() will refuse it.
    static access_set accesses(const issued_command& command, const local_memory& memory);

private:
    command_outcome move(bool load, const arch::transfer_command& transfer, const bus::stop_request& stop,
                         std::uint64_t& moved_bytes);

    bus::dma_engine& m_dma;
    local_memory& m_memory;
    transfer_events m_events;
    std::vector<std::uint64_t> m_counts; // of a command
    std::vector<unsigned char> m_buffer;
};

} // namespace tensorloom::shell
