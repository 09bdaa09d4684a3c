#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/arch/program/device_description.h>
#include <tensorloom/models/arch/program/device_driver.h>
#include <tensorloom/tlm/host_thread.h>

namespace tensorloom::testbench {

/// Memory on the bus that is one device's alone, driven from the host's thread: a place for a program, and the data
/// behind it.
///
/// Data goes into memory by debug transport (no time, no events) and comes back over the bus. A program is written over
/// the bus, started through the registers and waited for by interrupt. All that takes time of the host, none of the
/// device.
class machine_memory {
public:
    /// The largest program that a device takes has room in front of the data.
    static constexpr std::uint64_t program_bytes = 16u << 20;
    static constexpr std::uint64_t a_week_ns = 604'800'000'000'000;

    /// `bytes` at `base`, both multiples of 4096.
    machine_memory(bus::host_thread& cpu, std::uint64_t base, std::uint64_t bytes)
        : m_cpu(cpu), m_base(base), m_bytes(bytes)
    {}

    std::uint64_t data_base() const { return m_base + program_bytes; }
    std::uint64_t data_bytes() const { return m_bytes - program_bytes; }
    void write(std::uint64_t address, const void* from, std::size_t bytes);
    void read(std::uint64_t address, void* to, std::size_t bytes);
    /// Throws arch::device_failure when the program is not done after this time.
    arch::program_result run(arch::device_driver& driver, const std::vector<std::uint8_t>& program,
                             std::uint64_t timeout_ns = a_week_ns);

    /// Bytes that all runs so far could have done with: the largest program, and the data up to its end.
    std::uint64_t used_bytes() const { return m_program_used + m_data_used; }

private:
    void note_data(std::uint64_t address, std::size_t bytes);

    bus::host_thread& m_cpu;
    std::uint64_t m_base;
    std::uint64_t m_bytes;
    std::uint64_t m_program_used = 0;
    std::uint64_t m_data_used = 0;
};

/// What a device says of a program that it has not ended well: "command 3 (add): the device reports: ...".
std::string failure_text(const std::vector<std::uint8_t>& program, const arch::program_result& ended,
                         const arch::device_description& device);

} // namespace tensorloom::testbench
