#include "platform/run/simulated_session.h"
#include <algorithm>
#include <tensorloom/models/isa/program/program.h>
#include "platform/run/program_run.h"

namespace tensorloom::testbench {
namespace {

// The mnemonic of a command of a program that a device has refused or run. The device may also refuse what goes on
// behind as many commands as the header says.
std::string instruction_name(const std::vector<std::uint8_t>& program, std::uint32_t command,
                             const isa::device_description& device)
{
    constexpr std::size_t head = isa::command_header::encoded_bytes;
    auto place = isa::program_commands(program).begin();
    while (!place.ended() && place->index != command) { ++place; }
    if (place->index != command || place->bytes_left < head) { return "unknown"; }
    const auto* found = isa::find_command(device, isa::command_header::decode(place->payload - head).opcode);
    return found != nullptr ? found->opcode.name : "unknown";
}

} // namespace

void session_memory::write(std::uint64_t address, const void* from, std::size_t bytes)
{
    note_data(address, bytes);
    m_cpu.preload(address, from, bytes);
}

void session_memory::read(std::uint64_t address, void* to, std::size_t bytes)
{
    note_data(address, bytes);
    m_cpu.read_block(address, to, bytes);
}

void session_memory::note_data(std::uint64_t address, std::size_t bytes)
{
    m_data_used = std::max(m_data_used, address + bytes - data_base());
}

std::uint64_t session_memory::run(isa::device_driver& driver, const std::vector<std::uint8_t>& program,
                                  std::uint64_t timeout_ns, const isa::device_description& device)
{
    m_program_used = std::max<std::uint64_t>(m_program_used, program.size());
    const auto ended = run_to_its_end(driver, program, m_base, timeout_ns);
    if (!ended.done) {
        throw workloads::program_error(ended.error, ended.error_command,
                                       "command " + std::to_string(ended.error_command) + " (" +
                                           instruction_name(program, ended.error_command, device) +
                                           "): the device reports: " + isa::error_text(ended.error));
    }
    return ended.cycles;
}

} // namespace tensorloom::testbench
