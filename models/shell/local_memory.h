#pragma once
#include <cstdint>
#include <tensorloom/models/shell/command_unit.h>

namespace tensorloom::shell {

/// The memory inside a device that LOAD fills and STORE empties. Addresses are bytes, from 0.
///
/// A device may show the same bytes in several windows of equal size, one behind the other, each in an order of its
/// own; a transfer stays inside one of them. Access takes no time of its own: the transfer takes that of the bus, or
/// that of the memory's port if that is longer.
class local_memory {
public:
    virtual ~local_memory() = default;

    virtual std::uint64_t bytes() const = 0; ///< its size: of all windows
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

} // namespace tensorloom::shell
