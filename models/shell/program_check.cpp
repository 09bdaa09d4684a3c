#include <tensorloom/models/shell/program_check.h>
#include <tensorloom/models/arch/program/shell_commands.h>

namespace tensorloom::shell {

using arch::error_code;
using arch::opcode;

namespace {

bool moves(opcode code) { return code == opcode::load || code == opcode::store; }

// Of a command of the shell: its opcode, flags, length and payload.
std::optional<error_code> refuse_shell_command(const arch::command_header& header, const std::uint8_t* payload,
                                               const local_memory* memory)
{
    const auto code = static_cast<opcode>(header.opcode);
    const auto payload_bytes = arch::shell_payload_bytes(code);
    if (!payload_bytes) { return error_code::unknown_opcode; }
    if (moves(code) && memory == nullptr) { return error_code::unsupported_opcode; }
    if (header.length != arch::command_header::encoded_bytes + *payload_bytes || header.flags != 0) {
        return error_code::bad_command;
    }
    const auto refused = moves(code) ? arch::check_transfer(arch::transfer_command::decode(payload), {},
                                                            memory->bytes(), memory->window_bytes())
                                     : arch::check_control(code, payload);
    if (refused) { return refused->code; }
    return std::nullopt;
}

// Which LOOPs are open.
class loop_balance {
public:
    bool take(opcode code, std::uint32_t index)
    {
        if (code == opcode::loop) {
            if (m_open.size() == arch::max_loop_depth) { return false; }
            m_open.push_back(index);
        } else if (code == opcode::end) {
            if (m_open.empty()) { return false; }
            m_open.pop_back();
        }
        return true;
    }
    std::optional<std::uint32_t> first_open() const
    {
        return m_open.empty() ? std::nullopt : std::optional<std::uint32_t>(m_open.front());
    }

private:
    std::vector<std::uint32_t> m_open; // indices, outermost first
};

} // namespace

std::optional<program_failure> check_program(const std::vector<std::uint8_t>& program, const local_memory* memory,
                                             const device_check& device)
{
    const auto header = arch::program_header::decode(program.data());
    std::size_t at = arch::program_header::encoded_bytes;
    loop_balance loops;
    for (std::uint32_t i = 0; i < header.commands; ++i) {
        const auto bad = [i](error_code code) { return program_failure{code, i}; };
        if (program.size() - at < arch::command_header::encoded_bytes) { return bad(error_code::bad_program); }
        const auto command = arch::command_header::decode(program.data() + at);
        if (command.length < arch::command_header::encoded_bytes || command.length % 16 != 0 ||
            command.length > program.size() - at || command.reserved != 0) {
            return bad(error_code::bad_command);
        }
        const std::uint8_t* payload = program.data() + at + arch::command_header::encoded_bytes;
        if (command.opcode >= static_cast<std::uint8_t>(opcode::first_of_device)) {
            const auto refused = device(command, payload, command.length - arch::command_header::encoded_bytes);
            if (refused) { return bad(refused->code); }
        } else {
            if (const auto refused = refuse_shell_command(command, payload, memory)) { return bad(*refused); }
            if (!loops.take(static_cast<opcode>(command.opcode), i)) { return bad(error_code::bad_command); }
        }
        at += command.length;
    }
    if (at != program.size()) { return program_failure{error_code::bad_program, header.commands}; }
    if (const auto open = loops.first_open()) { return program_failure{error_code::bad_command, *open}; }
    return std::nullopt;
}

} // namespace tensorloom::shell
