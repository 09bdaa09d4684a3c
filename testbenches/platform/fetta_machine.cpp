#include "platform/fetta_machine.h"

namespace tensorloom::testbench {

workloads::fetta_run device_fetta_machine::run(const std::vector<std::uint8_t>& program)
{
    const auto ended = m_memory.run(m_driver, program, m_timeout_ns);
    if (!ended.done) {
        throw workloads::fetta_error(ended.error, ended.error_command,
                                     failure_text(program, ended, arch::fetta::description));
    }
    workloads::fetta_run ran;
    ran.cycles = ended.cycles;
    for (std::uint32_t e = 0; e < arch::fetta::event_count; ++e) { ran.counts.data()[e] = m_driver.counter(e); }
    return ran;
}

} // namespace tensorloom::testbench
