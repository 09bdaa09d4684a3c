#include "platform/mmv_machine.h"
#include <string>

namespace tensorloom::testbench {

device_mmv_machine::device_mmv_machine(bus::host_thread& cpu, std::uint64_t device, const arch::mmv::limits& limits,
                                       std::uint64_t memory_base, std::uint64_t memory_bytes)
    : m_driver(cpu, device), m_limits(limits), m_memory(cpu, memory_base, memory_bytes)
{
    if (m_driver.side() != limits.side || m_driver.format() != limits.format) {
        throw arch::device_failure("the device has an array of side " + std::to_string(m_driver.side()) + " in " +
                                   std::string(arch::element_type_name(m_driver.format())) + ", expected side " +
                                   std::to_string(limits.side) + " in " +
                                   std::string(arch::element_type_name(limits.format)));
    }
}

workloads::mmv_run device_mmv_machine::run(const std::vector<std::uint8_t>& program)
{
    const auto ended = m_memory.run(m_driver, program);
    if (!ended.done) {
        throw workloads::mmv_error(ended.error, ended.error_command,
                                   failure_text(program, ended, arch::mmv::description));
    }
    workloads::mmv_run ran;
    ran.cycles = ended.cycles;
    for (std::uint32_t e = 0; e < arch::mmv::event_count; ++e) { ran.counts.data()[e] = m_driver.counter(e); }
    return ran;
}

} // namespace tensorloom::testbench
