#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/mmv/driver.h>
#include <tensorloom/models/arch/mmv/limits.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/workloads/mmv/machine.h>
#include "platform/machine_memory.h"

namespace tensorloom::testbench {

/// An MMU/VCU pair on a bus, driven from the host's thread (machine_memory.h): the machine that algorithms run on in a
/// simulation. Counts of a program are read from the counter window.
class device_mmv_machine : public workloads::mmv_machine {
public:
    /// `device`: where its registers are. The memory, `memory_bytes` at `memory_base`, is this machine's alone; both
    /// are multiples of 4096. Throws arch::device_failure when it is no MMU/VCU pair, or one of another side or format.
    device_mmv_machine(bus::host_thread& cpu, std::uint64_t device, const arch::mmv::limits& limits,
                       std::uint64_t memory_base, std::uint64_t memory_bytes);

    const arch::mmv::limits& limits() const override { return m_limits; }
    std::uint64_t data_base() const override { return m_memory.data_base(); }
    std::uint64_t data_bytes() const override { return m_memory.data_bytes(); }
    void write(std::uint64_t address, const void* from, std::size_t bytes) override
    {
        m_memory.write(address, from, bytes);
    }
    void read(std::uint64_t address, void* to, std::size_t bytes) override { m_memory.read(address, to, bytes); }
    workloads::mmv_run run(const std::vector<std::uint8_t>& program) override;

    std::uint64_t used_bytes() const { return m_memory.used_bytes(); }

private:
    arch::mmv::driver m_driver;
    arch::mmv::limits m_limits;
    machine_memory m_memory;
};

} // namespace tensorloom::testbench
