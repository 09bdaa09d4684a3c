#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/workloads/device_session.h>

namespace tensorloom::testbench {

/// Memory on the bus of a single device, driven from the host's thread: an area for a program, and the data after it.
///
/// Data is written to memory by debug transport (no time, no events) and read over the bus. A program is written over
/// the bus, started through the registers, and its end awaited by interrupt. This takes time of the host and not of the
/// device.
class session_memory {
public:
    /// The area before the data has room for the device's largest program.
    static constexpr std::uint64_t program_bytes = 16u << 20;
    static constexpr std::uint64_t a_week_ns = 604'800'000'000'000;

    /// `bytes` at `base`, both multiples of 4096.
    session_memory(bus::host_thread& cpu, std::uint64_t base, std::uint64_t bytes)
        : m_cpu(cpu), m_base(base), m_bytes(bytes)
    {}

    std::uint64_t data_base() const { return m_base + program_bytes; }
    std::uint64_t data_bytes() const { return m_bytes - program_bytes; }
    void write(std::uint64_t address, const void* from, std::size_t bytes);
    void read(std::uint64_t address, void* to, std::size_t bytes);

    /// Runs a program to its end and returns its cycles. Throws workloads::program_error when the device reports an
    /// error, with the names of its description; isa::device_failure when the program is not done after this time.
    std::uint64_t run(isa::device_driver& driver, const std::vector<std::uint8_t>& program, std::uint64_t timeout_ns,
                      const isa::device_description& device);

    /// Bytes needed by all runs so far: the largest program, and the data up to its end.
    std::uint64_t used_bytes() const { return m_program_used + m_data_used; }

private:
    void note_data(std::uint64_t address, std::size_t bytes);

    bus::host_thread& m_cpu;
    std::uint64_t m_base;
    std::uint64_t m_bytes;
    std::uint64_t m_program_used = 0;
    std::uint64_t m_data_used = 0;
};

/// Limits of programs for a device. Traits: of the device (models/<device>/device.h).
template <class Traits>
using limits_of_device = std::decay_t<decltype(Traits::limits_of(std::declval<const typename Traits::driver&>(),
                                                                 std::declval<const typename Traits::config&>()))>;

/// The device's interface for algorithms.
template <class Traits>
using session_of_device = workloads::device_session<limits_of_device<Traits>, typename Traits::counts>;

/// A device on a bus, driven from the host's thread: the session of workloads in a simulation. Counts of a program are
/// read from the counter window.
template <class Traits> class simulated_session : public session_of_device<Traits> {
public:
    using limits_type = limits_of_device<Traits>;
    using outcome_type = workloads::program_outcome<typename Traits::counts>;

    /// `device`: address of its registers. The memory, `memory_bytes` at `memory_address`, belongs only to this
    /// session; both are multiples of 4096. `timeout_ns`: for each program; run() throws isa::device_failure when it is
    /// exceeded. Throws the same if there is no such device, or if it differs from `expected`.
    simulated_session(bus::host_thread& cpu, std::uint64_t device, const typename Traits::config& expected,
                      std::uint64_t memory_address, std::uint64_t memory_bytes,
                      std::uint64_t timeout_ns = session_memory::a_week_ns)
        : m_driver(cpu, device), m_limits(Traits::limits_of(m_driver, expected)),
          m_memory(cpu, memory_address, memory_bytes), m_timeout_ns(timeout_ns)
    {}

    const limits_type& limits() const override { return m_limits; }
    std::uint64_t data_base() const override { return m_memory.data_base(); }
    std::uint64_t data_bytes() const override { return m_memory.data_bytes(); }
    void write(std::uint64_t address, const void* from, std::size_t bytes) override
    {
        m_memory.write(address, from, bytes);
    }
    void read(std::uint64_t address, void* to, std::size_t bytes) override { m_memory.read(address, to, bytes); }
    outcome_type run(const std::vector<std::uint8_t>& program) override
    {
        outcome_type ran;
        ran.cycles = m_memory.run(m_driver, program, m_timeout_ns, Traits::description);
        for (std::uint32_t e = 0; e < Traits::description.events.size; ++e) {
            ran.counts.data()[e] = m_driver.counter(e);
        }
        return ran;
    }

    std::uint64_t used_bytes() const { return m_memory.used_bytes(); }

private:
    typename Traits::driver m_driver;
    limits_type m_limits;
    session_memory m_memory;
    std::uint64_t m_timeout_ns;
};

} // namespace tensorloom::testbench
