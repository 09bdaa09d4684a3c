#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>
#include <tensorloom/models/base/files/saved_state.h>

namespace tensorloom::shell {

/// A memory inside a device as a debugger sees it: bytes from 0.
///
/// An access takes no time and counts no event. While a program runs it shows what is there between two events of the
/// simulation: results of a step that is under way may be there or not, and which differs between the fidelities;
/// between programs both show the same bytes.
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
    reader read_inside;  ///< of a range that lies inside
    writer write_inside; ///< likewise
    /// The same bytes may be there in several windows of this size, one behind the other, each in an order of its own.
    std::uint64_t window_bytes = bytes;
    const bool* closed = nullptr; ///< while true, nothing can be written
    std::uint64_t offset = 0;     ///< of its first byte at the register socket, for debug transport

    bool holds(std::uint64_t at) const { return at >= offset && at - offset < bytes; }

    /// Moves the bytes that exist from the address on; how many. A write while it is closed moves none.
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

    // Between programs: what it holds, without the windows that show the same once more.
    void write_state(base::state_writer& state) const;
    /// As command_unit::read_state(); the memory is all 0 when what this returns is called.
    std::function<void()> read_state(base::state_reader& state) const;

private:
    std::uint64_t existing(std::uint64_t address, std::uint64_t count) const
    {
        return address < bytes ? std::min(count, bytes - address) : 0;
    }
};

/// Debug transport to the register socket reaches the memories of a device from this offset on: one behind the other,
/// in the order of device_shell::debug_memories(), each from a multiple of debug_alignment. Behind the register map, so
/// that a platform may map it or not; every other transport is answered ADDRESS_ERROR there.
inline constexpr std::uint64_t debug_window = 0x1'0000;
inline constexpr std::uint64_t debug_alignment = 0x1000;

} // namespace tensorloom::shell
