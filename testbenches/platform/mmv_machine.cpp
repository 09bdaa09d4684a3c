#include "platform/mmv_machine.h"
#include <algorithm>
#include <string>
#include <tensorloom/models/arch/program.h>

namespace tensorloom::testbench {
namespace {

constexpr std::uint64_t a_week_ns = 604'800'000'000'000;

// The mnemonic of a command of a program that a device has refused or run.
std::string instruction_name(const std::vector<std::uint8_t>& program, std::uint32_t command)
{
    std::size_t at = arch::program_header::encoded_bytes;
    for (std::uint32_t i = 0; at + arch::command_header::encoded_bytes <= program.size(); ++i) {
        const auto header = arch::command_header::decode(program.data() + at);
        if (i == command) {
            if (const auto* found = arch::mmv::find_instruction(header.opcode)) { return found->name; }
            for (const auto& v : arch::opcode_values) {
                if (v.value == header.opcode) { return v.name; }
            }
            break;
        }
        at += header.length;
    }
    return "unknown";
}

} // namespace

device_mmv_machine::device_mmv_machine(bus::host_thread& cpu, std::uint64_t device, const arch::mmv::mmv_limits& limits,
                                       std::uint64_t memory_base, std::uint64_t memory_bytes)
    : m_cpu(cpu), m_driver(cpu, device), m_limits(limits), m_memory_base(memory_base), m_memory_bytes(memory_bytes)
{
    if (m_driver.side() != limits.side || m_driver.format() != limits.format) {
        throw arch::device_failure("the device has an array of side " + std::to_string(m_driver.side()) + " in " +
                                   std::string(arch::element_type_name(m_driver.format())) + ", expected side " +
                                   std::to_string(limits.side) + " in " +
                                   std::string(arch::element_type_name(limits.format)));
    }
}

void device_mmv_machine::write(std::uint64_t address, const void* from, std::size_t bytes)
{
    note_data(address, bytes);
    m_cpu.preload(address, from, bytes);
}

void device_mmv_machine::read(std::uint64_t address, void* to, std::size_t bytes)
{
    note_data(address, bytes);
    m_cpu.read_block(address, to, bytes);
}

void device_mmv_machine::note_data(std::uint64_t address, std::size_t bytes)
{
    m_data_used = std::max(m_data_used, address + bytes - data_base());
}

workloads::mmv_run device_mmv_machine::run(const std::vector<std::uint8_t>& program)
{
    m_program_used = std::max<std::uint64_t>(m_program_used, program.size());
    const auto ended = m_driver.run(program, m_memory_base, a_week_ns);
    if (!ended.done) {
        throw workloads::mmv_error(ended.error, ended.error_command,
                                   "command " + std::to_string(ended.error_command) + " (" +
                                       instruction_name(program, ended.error_command) +
                                       "): the device reports: " + arch::error_text(ended.error));
    }
    workloads::mmv_run ran;
    ran.cycles = ended.cycles;
    for (std::uint32_t e = 0; e < arch::mmv::event_count; ++e) { ran.counts.data()[e] = m_driver.counter(e); }
    return ran;
}

} // namespace tensorloom::testbench
