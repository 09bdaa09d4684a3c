#pragma once
#include <cstddef>
#include <cstdint>

namespace tensorloom::arch {

/// What a driver needs of the host that it runs on: a testbench thread, bare-metal firmware, or a processor of a user's
/// platform.
///
/// A transfer that fails throws bus_failure (see device_driver.h).
class host_port {
public:
    virtual ~host_port() = default;

    virtual std::uint32_t read_word(std::uint64_t address) = 0;
    virtual void write_word(std::uint64_t address, std::uint32_t value) = 0;
    virtual void read_block(std::uint64_t address, void* to, std::size_t bytes) = 0;
    virtual void write_block(std::uint64_t address, const void* from, std::size_t bytes) = 0;

    /// Waits until the device's interrupt is high; false when it was not within `timeout_ns`.
    virtual bool wait_interrupt(std::uint64_t timeout_ns) = 0;

    /// All earlier writes are visible to the device when this returns, in data and in time.
    virtual void fence() = 0;
};

} // namespace tensorloom::arch
