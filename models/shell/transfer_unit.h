#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/dma_turn.h>
#include <tensorloom/models/shell/tensor_transfer.h>
#include <tensorloom/tlm/dma_ports.h>

namespace tensorloom::shell {

/// The local memory of a device, filled by LOAD and emptied by STORE. Addresses are bytes from 0.
///
/// A device may show the same bytes in several consecutive windows of equal size, each in a different order; a transfer
/// stays inside one window. An access takes no time itself: the transfer takes the time of the bus or of the memory's
/// port, whichever is longer.
class local_memory {
public:
    virtual ~local_memory() = default;

    virtual const char* name() const { return "local_memory"; } ///< for debuggers
    virtual std::uint64_t bytes() const = 0;                    ///< size, over all windows
    virtual std::uint64_t window_bytes() const { return bytes(); }
    /// The bytes that a range inside one window occupies, as units state their accesses; may be larger.
    virtual byte_range place(const byte_range& addresses) const { return addresses; }

    /// The range lies inside one window.
    virtual void read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const = 0;
    virtual void write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes) = 0;

    /// Cycles that its port needs for a range inside one window; 0: never slower than the bus.
    virtual std::uint64_t port_cycles(std::uint64_t address, std::uint64_t bytes) const
    {
        static_cast<void>(address);
        static_cast<void>(bytes);
        return 0;
    }

    /// Accesses that a LOAD or STORE of this range counts; the range lies inside one window.
    virtual std::uint64_t accesses(const byte_range& moved) const { return moved.bytes; }
    virtual void clear() = 0; ///< sets all bytes to 0, for a reset
};

/// The events of LOAD and STORE in the device's event table: accesses of the local memory (local_memory::accesses()).
struct transfer_events {
    std::size_t loaded;
    std::size_t stored;

    /// Event: the enumeration of the device's events.
    template <class Event>
    transfer_events(Event load, Event store)
        : loaded(static_cast<std::size_t>(load)), stored(static_cast<std::size_t>(store))
    {}
};

/// Executes LOAD, STORE and GATHER: moves a tensor between memory on the bus and the local memory, run by run in C
/// order. GATHER loads slices of a tensor as listed in the local memory; it reads the list before it moves data.
///
/// Timing     DMA time or that of the memory's port, whichever is longer (for GATHER including the list), up to the
///            next cycle boundary; preceded by the rest of the program piece that the DMA is fetching (program_fetch.h)
/// Errors     bad_field, bad_descriptor, too_large   the addresses of this iteration, or of a slice (bad_descriptor),
///                                                   lie outside of 64 bits or of a window; takes no time
///            bus_error, aborted                     runs that have been moved stay
/// A stop that acts when all data have moved and the port's time has passed is too late, as for every unit.
/// Log        a phase "load", "store" or "gather" (cause "load"), with the events of the moved data, up to the run that
///            failed; reading a list counts like a STORE
/// Not modelled: several transfers at a time.
///
/// Example
///
///     enum event { loaded, stored };
///     shell::transfer_unit transfers(dma, turn, local, {loaded, stored}, 2);
///     units.add(transfers, isa::shell_command_descriptions());
class transfer_unit : public command_unit {
public:
    /// `events`: indices in the device's event table, which has `event_count` events.
    transfer_unit(bus::dma_ports& dma, dma_turn& turn, local_memory& memory, const transfer_events& events,
                  std::size_t event_count)
        : m_tensors(dma), m_turn(turn), m_memory(memory), m_events(events), m_counts(event_count, 0)
    {}

    bool executes(std::uint8_t opcode) const override;
    std::optional<isa::check_error> check(const isa::command_header& header,
                                          const std::uint8_t* payload) const override;
    access_set accesses(const issued_command& command) const override { return accesses(command, m_memory); }
    command_outcome execute(running_command& running) override;

    /// What a transfer reads or writes in the local memory; nothing when execute() will refuse it.
    static access_set accesses(const issued_command& command, const local_memory& memory);

private:
    /// A command with the addresses of one iteration.
    struct movement {
        const char* cause;
        const char* phase;
        bool loads;
        isa::tensor_descriptor tensor;    ///< on the bus; for GATHER a slice
        std::vector<std::uint64_t> bases; ///< for GATHER: base addresses of all slices
        byte_range local, list;
    };

    /// Nothing for a GATHER whose list leads outside of 64 bits.
    std::optional<movement> movement_of(const issued_command& command) const;
    command_outcome move(const movement& m, const bus::stop_request& stop, std::uint64_t& moved_bytes);

    tensor_transfer m_tensors;
    dma_turn& m_turn;
    local_memory& m_memory;
    transfer_events m_events;
    std::vector<std::uint64_t> m_counts; // of one command
};

} // namespace tensorloom::shell
