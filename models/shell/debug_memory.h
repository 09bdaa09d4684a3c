#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#include <tensorloom/models/base/files/saved_state.h>

namespace tensorloom::shell {

/// A memory inside a device as a debugger accesses it: bytes from 0.
///
/// An access takes no time and counts no event. While a program runs it shows the state between two simulation events:
/// results of a step in progress may or may not be visible, depending on the fidelity. Between programs both fidelities
/// show the same bytes.
///
/// Example
///
///     for (const shell::debug_memory& memory : device.debug_memories()) {
///         memory.read(0, buffer.data(), buffer.size());
///     }
struct debug_memory {
    using reader = std::function<void(std::uint64_t address, unsigned char* to, std::uint64_t bytes)>;
    using writer = std::function<void(std::uint64_t address, const unsigned char* from, std::uint64_t bytes)>;

    std::string name; ///< "scratchpad"
    std::uint64_t bytes = 0;
    reader read_inside;  ///< of a range inside the memory
    writer write_inside; ///< likewise
    /// The same bytes may appear in several consecutive windows of this size, each in a different order.
    std::uint64_t window_bytes = bytes;
    const bool* closed = nullptr; ///< while true, the memory cannot be written
    std::uint64_t offset = 0;     ///< of its first byte at the register socket, for debug transport

    bool holds(std::uint64_t at) const { return at >= offset && at - offset < bytes; }

    /// Moves the bytes that exist from the address on; returns their number. A write while the memory is closed moves
    /// none.
    std::uint64_t read(std::uint64_t address, unsigned char* to, std::uint64_t count) const
    {
        const std::uint64_t there = existing(address, count);
        if (there != 0) { read_inside(address, to, there); }
        return there;
    }
    std::uint64_t write(std::uint64_t address, const unsigned char* from, std::uint64_t count) const
    {
        const std::uint64_t there = closed != nullptr && *closed ? 0 : existing(address, count);
        if (there != 0) { write_inside(address, from, there); }
        return there;
    }

    // Between programs: the contents of one window.
    void write_state(base::state_writer& state) const;
    /// As command_unit::read_state(); the memory must be all 0 when the returned function is called.
    std::function<void()> read_state(base::state_reader& state) const;

private:
    std::uint64_t existing(std::uint64_t address, std::uint64_t count) const
    {
        return address < bytes ? std::min(count, bytes - address) : 0;
    }
};

/// Debug transport to the register socket reaches the memories of a device from this offset on, in the order of
/// device_shell::debug_memories(), each at a multiple of debug_alignment. The window follows the register map, so a
/// platform may leave it unmapped; all other transports get ADDRESS_ERROR there.
inline constexpr std::uint64_t debug_window = 0x1'0000;
inline constexpr std::uint64_t debug_alignment = 0x1000;

} // namespace tensorloom::shell
