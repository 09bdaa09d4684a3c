#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/dma_turn.h>
#include <tensorloom/models/shell/tensor_transfer.h>
#include <tensorloom/tlm/dma_engine.h>

namespace tensorloom::shell {

/// The memory inside a device that LOAD fills and STORE empties. Addresses are bytes, from 0.
///
/// A device may show the same bytes in several windows of equal size, one behind the other, each in an order of its
/// own; a transfer stays inside one of them. Access takes no time of its own: the transfer takes that of the bus, or
/// that of the memory's port if that is longer.
class local_memory {
public:
    virtual ~local_memory() = default;

    virtual const char* name() const { return "local_memory"; } ///< to a debugger
    virtual std::uint64_t bytes() const = 0;                    ///< its size: of all windows
    virtual std::uint64_t window_bytes() const { return bytes(); }
    /// Where the bytes of a range that lies inside one window are, in the terms of its units' accesses; more
    /// around is allowed.
    virtual byte_range place(const byte_range& addresses) const { return addresses; }

    /// The range lies inside one window.
    virtual void read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const = 0;
    virtual void write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes) = 0;

    /// Cycles that its port takes to move a range that lies inside one window; 0: never slower than the bus.
    virtual std::uint64_t port_cycles(std::uint64_t address, std::uint64_t bytes) const
    {
        static_cast<void>(address);
        static_cast<void>(bytes);
        return 0;
    }

    /// Accesses that a LOAD or STORE counts which moved a range inside one window.
    virtual std::uint64_t accesses(const byte_range& moved) const { return moved.bytes; }
    virtual void clear() = 0; ///< all 0, for a reset
};

/// What LOAD and STORE count: accesses of the device's memory (local_memory::accesses()), by its event table.
struct transfer_events {
    std::size_t loaded;
    std::size_t stored;

    /// Event: the enumeration of the device's events.
    template <class Event>
    transfer_events(Event load, Event store)
        : loaded(static_cast<std::size_t>(load)), stored(static_cast<std::size_t>(store))
    {}
};

/// Executes LOAD, STORE and GATHER: moves a tensor between memory on the bus and the memory of a device, its runs in C
/// order; of a GATHER slices of one, as a list in that memory says, which is read before anything is moved.
///
/// Timing     DMA time, or that of the memory's port if it is longer (of a GATHER its list's, too), up to the next
/// cycle
///            boundary; before that, the rest of the program's piece that the DMA is fetching (program_fetch.h)
/// Errors     bad_field, bad_descriptor, too_large   the addresses of this iteration lead outside of 64 bits, or of a
///            window of the memory; takes no time. bad_descriptor of a slice that does, likewise
///            bus_error, aborted          what has been moved stays, in whole runs
/// A stop that acts when all has been moved and the port's time has passed comes too late, as for every unit.
/// Log        a phase "load", "store" or "gather" (cause "load"), with the events of what has been moved, up to the run
///            that failed; a list is read as a STORE reads
/// Not modelled: several transfers at a time.
///
/// Example
///
///     enum event { loaded, stored };
///     shell::transfer_unit transfers(dma, turn, local, {loaded, stored}, 2);
///     units.add(transfers, isa::shell_command_descriptions());
class transfer_unit : public command_unit {
public:
    /// `events`: in the device's event table, which has `event_count`.
    transfer_unit(bus::dma_engine& dma, dma_turn& turn, local_memory& memory, const transfer_events& events,
                  std::size_t event_count)
        : m_tensors(dma), m_turn(turn), m_memory(memory), m_events(events), m_counts(event_count, 0)
    {}

    bool executes(std::uint8_t opcode) const override;
    std::optional<isa::check_error> check(const isa::command_header& header,
                                          const std::uint8_t* payload) const override;
    access_set accesses(const issued_command& command) const override { return accesses(command, m_memory); }
    command_outcome execute(running_command& running) override;

    /// What a transfer reads or writes of a device's memory: nothing when execute() will refuse it.
    static access_set accesses(const issued_command& command, const local_memory& memory);

private:
    /// A command as an iteration has it.
    struct movement {
        const char* cause;
        const char* phase;
        bool loads;
        isa::tensor_descriptor tensor;    ///< on the bus; of a GATHER a slice
        std::vector<std::uint64_t> bases; ///< of a GATHER: of all slices
        byte_range local, list;
    };

    /// Nothing for a GATHER whose list leads outside of 64 bits.
    std::optional<movement> movement_of(const issued_command& command) const;
    command_outcome move(const movement& m, const bus::stop_request& stop, std::uint64_t& moved_bytes);

    tensor_transfer m_tensors;
    dma_turn& m_turn;
    local_memory& m_memory;
    transfer_events m_events;
    std::vector<std::uint64_t> m_counts; // of a command
};

} // namespace tensorloom::shell
