#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/mmv/driver.h>
#include <tensorloom/models/arch/mmv/limits.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/workloads/mmv/machine.h>

namespace tensorloom::testbench {

/// An MMU/VCU pair on a bus, driven from the host's thread: the machine that algorithms run on in a simulation.
///
/// Data goes into memory by debug transport (no time, no events) and comes back over the bus. A program is written over the bus, started
/// through the registers and waited for by interrupt; its counts are read from the counter window. All that takes time of the host, none
/// of the device.
class device_mmv_machine : public workloads::mmv_machine {
public:
    /// The largest program that a device takes has room in front of the data.
    static constexpr std::uint64_t program_bytes = 16u << 20;

    /// `device`: where its registers are. The memory, `memory_bytes` at `memory_base`, is this machine's alone; both are multiples of 4096.
    /// Throws arch::device_failure when it is no MMU/VCU pair, or one of another side or format.
    device_mmv_machine(bus::host_thread& cpu, std::uint64_t device, const arch::mmv::mmv_limits& limits,
                       std::uint64_t memory_base, std::uint64_t memory_bytes);

    const arch::mmv::mmv_limits& limits() const override { return m_limits; }
    std::uint64_t data_base() const override { return m_memory_base + program_bytes; }
    std::uint64_t data_bytes() const override { return m_memory_bytes - program_bytes; }
    void write(std::uint64_t address, const void* from, std::size_t bytes) override;
    void read(std::uint64_t address, void* to, std::size_t bytes) override;
    workloads::mmv_run run(const std::vector<std::uint8_t>& program) override;

    /// Bytes of memory that all runs so far could have done with: the largest program, and the data up to its end.
    std::uint64_t used_bytes() const { return m_program_used + m_data_used; }

private:
    void note_data(std::uint64_t address, std::size_t bytes);

    bus::host_thread& m_cpu;
    arch::mmv::mmv_driver m_driver;
    arch::mmv::mmv_limits m_limits;
    std::uint64_t m_memory_base;
    std::uint64_t m_memory_bytes;
    std::uint64_t m_program_used = 0;
    std::uint64_t m_data_used = 0;
};

} // namespace tensorloom::testbench
