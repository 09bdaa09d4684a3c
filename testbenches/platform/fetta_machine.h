#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/fetta/driver.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/workloads/fetta/machine.h>
#include "platform/machine_memory.h"

namespace tensorloom::testbench {

/// A FETTA on a bus, driven from the host's thread (machine_memory.h): the machine that contractions run on in a
/// simulation. Counts of a program are read from the counter window.
class device_fetta_machine : public workloads::fetta_machine {
public:
    /// `device`: where its registers are. The memory, `memory_bytes` at `memory_address`, is this machine's alone; both
    /// are multiples of 4096. `timeout_ns`: of each program; run() throws arch::device_failure for one that takes
    /// longer. Throws the same when it is no FETTA.
    device_fetta_machine(bus::host_thread& cpu, std::uint64_t device, std::uint64_t memory_address,
                         std::uint64_t memory_bytes, std::uint64_t timeout_ns = machine_memory::a_week_ns)
        : m_driver(cpu, device), m_memory(cpu, memory_address, memory_bytes), m_timeout_ns(timeout_ns)
    {}

    const arch::fetta::geometry& geometry() const override { return m_driver.geometry(); }
    std::uint64_t data_base() const override { return m_memory.data_base(); }
    std::uint64_t data_bytes() const override { return m_memory.data_bytes(); }
    void write(std::uint64_t address, const void* from, std::size_t bytes) override
    {
        m_memory.write(address, from, bytes);
    }
    void read(std::uint64_t address, void* to, std::size_t bytes) override { m_memory.read(address, to, bytes); }
    workloads::fetta_run run(const std::vector<std::uint8_t>& program) override;

    std::uint64_t used_bytes() const { return m_memory.used_bytes(); }

private:
    arch::fetta::driver m_driver;
    machine_memory m_memory;
    std::uint64_t m_timeout_ns;
};

} // namespace tensorloom::testbench
