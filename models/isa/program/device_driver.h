#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>
#include <tensorloom/models/isa/program/error_code.h>

namespace tensorloom::isa {

/// The host interface of a driver: implemented by a testbench thread, bare-metal firmware, or a processor of a user's
/// platform.
///
/// A transfer that fails throws bus_failure.
class host_port {
public:
    virtual ~host_port() = default;

    virtual std::uint32_t read_word(std::uint64_t address) = 0;
    virtual void write_word(std::uint64_t address, std::uint32_t value) = 0;
    virtual void read_block(std::uint64_t address, void* to, std::size_t bytes) = 0;
    virtual void write_block(std::uint64_t address, const void* from, std::size_t bytes) = 0;

    /// Waits until the device's interrupt is high; false when it is not within `timeout_ns`.
    virtual bool wait_interrupt(std::uint64_t timeout_ns) = 0;

    /// When this returns, all earlier writes are visible to the device, in data and in time.
    virtual void fence() = 0;
};

/// A failed transfer between host and bus.
class bus_failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The device violates the register map: no device, wrong ID or version, busy, no interrupt in time, or stuck in a
/// reset; or a program was started at an invalid address. what() has the device's address, the contents of its
/// registers and the time waited.
class device_failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// How a program ended.
struct program_result {
    bool done = false; ///< all commands have finished
    bool aborted = false;
    error_code error = error_code::none;
    std::uint32_t error_command = 0;                  ///< index of the command that failed
    std::uint64_t error_address = 0;                  ///< with error_code::bus_error
    bus_response error_response = bus_response::none; ///< with error_code::bus_error
    std::uint64_t cycles = 0;                         ///< from START to the end
};

/// Drives any device of the library through its registers.
class device_driver {
public:
    /// `base`: bus address of the device's registers.
    device_driver(host_port& host, std::uint64_t base);

    /// Reads ID and VERSION; throws device_failure unless they are of this device and a compatible register map.
    void probe(const char (&id)[5]);

    /// Writes `program` to memory at `address` (a multiple of 16), starts it and waits for its end. Throws
    /// device_failure when the device is busy with another program, when there is no interrupt within `timeout_ns`, or
    /// when `address` is not a multiple of 16; nothing has been written in the last case.
    program_result run(const std::vector<std::uint8_t>& program, std::uint64_t address, std::uint64_t timeout_ns);

    /// The parts of run(): start does not wait; finish waits, reads the result and clears the interrupt.
    void start(std::uint64_t program_address);
    program_result finish(std::uint64_t timeout_ns);

    /// Requests the end of the running program; finish() waits for it.
    void abort();

    /// Resets the device and waits until it is not busy; throws device_failure when this takes longer than
    /// `timeout_ns`.
    void reset(std::uint64_t timeout_ns = 1'000'000);

    std::uint64_t counter(std::uint32_t index);
    std::uint32_t read(std::uint32_t offset) { return m_host.read_word(m_base + offset); }
    void write(std::uint32_t offset, std::uint32_t value) { m_host.write_word(m_base + offset, value); }

private:
    std::uint64_t read_pair(std::uint32_t lo_offset);
    void check_start(std::uint64_t program_address);
    void start_idle(std::uint64_t program_address);
    [[noreturn]] void fail(const std::string& what);
    std::string state_text();

    host_port& m_host;
    std::uint64_t m_base;
};

/// The value of the ID register for a device name of four characters.
constexpr std::uint32_t device_id(const char (&name)[5])
{
    std::uint32_t id = 0;
    for (unsigned i = 0; i < 4; ++i) {
        id |= static_cast<std::uint32_t>(static_cast<unsigned char>(name[i])) << (8 * i);
    }
    return id;
}

} // namespace tensorloom::isa
