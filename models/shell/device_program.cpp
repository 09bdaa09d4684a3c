#include <tensorloom/models/shell/device_program.h>
#include <tensorloom/models/arch/program/register_map.h>

namespace tensorloom::shell {

using arch::error_code;
using arch::opcode;

// ---- fetch ----

std::optional<program_failure> fetch_program(std::uint64_t address, std::uint32_t max_bytes, bus::dma_engine& dma,
                                             const bus::stop_request& stop, std::vector<std::uint8_t>& program)
{
    const program_failure bad_program{arch::error_code::bad_program, 0};
    if (address % 16 != 0) { return bad_program; }
    const auto read = [&](std::size_t from, std::size_t bytes) -> std::optional<program_failure> {
        program.resize(from + bytes);
        const auto outcome = outcome_of(dma.read(address + from, program.data() + from, bytes, stop));
        if (outcome.ok()) { return std::nullopt; }
        return failure_of(outcome, 0);
    };
    constexpr std::size_t head = arch::program_header::encoded_bytes;
    if (auto failed = read(0, head)) { return failed; }
    const auto header = arch::program_header::decode(program.data());
    const bool known =
        header.magic == arch::program_header::magic_value && header.version >> 16 == arch::register_map_version >> 16;
    if (!known || header.bytes < head || header.bytes > max_bytes || header.bytes % 16 != 0 ||
        header.bytes - 1 > UINT64_MAX - address) {
        return bad_program;
    }
    return read(head, header.bytes - head);
}

// ---- check ----

namespace {

bool is_of_device(std::uint8_t code) { return code >= static_cast<std::uint8_t>(opcode::first_of_device); }
bool moves(opcode code) { return code == opcode::load || code == opcode::store; }

// Of a command that no unit executes: its opcode, flags, length and payload.
std::optional<error_code> refuse_control(const arch::program_command& command)
{
    const auto code = static_cast<opcode>(command.header.opcode);
    const auto payload_bytes = arch::shell_payload_bytes(code);
    if (is_of_device(command.header.opcode) || !payload_bytes) { return error_code::unknown_opcode; }
    if (moves(code)) { return error_code::unsupported_opcode; }
    if (command.payload_bytes() != *payload_bytes || command.header.flags != 0) { return error_code::bad_command; }
    const auto refused = arch::check_control(code, command.payload);
    return refused ? std::optional<error_code>(refused->code) : std::nullopt;
}

std::optional<error_code> refuse(const arch::program_command& command, const unit_table& units)
{
    const auto& [unit, number, payload_bytes] = units[command.header.opcode];
    if (unit == nullptr) { return refuse_control(command); }
    if (command.payload_bytes() != payload_bytes) { return error_code::bad_command; }
    const auto refused = unit->check(command.header, command.payload);
    return refused ? std::optional<error_code>(refused->code) : std::nullopt;
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

std::optional<program_failure> check_program(const std::vector<std::uint8_t>& program, const unit_table& units)
{
    const arch::program_commands commands(program);
    loop_balance loops;
    auto command = commands.begin();
    for (; command != commands.end(); ++command) {
        const auto bad = [&](error_code code) { return program_failure{code, command->index}; };
        if (!command->is_whole() || command->header.length % 16 != 0 || command->header.reserved != 0) {
            return bad(error_code::bad_command);
        }
        if (const auto refused = refuse(*command, units)) { return bad(*refused); }
        if (!loops.take(static_cast<opcode>(command->header.opcode), command->index)) {
            return bad(error_code::bad_command);
        }
    }
    // The first command that is missing, or bytes behind the last.
    if (command->index != commands.count() || command->bytes_left != 0) {
        return program_failure{error_code::bad_program, command->index};
    }
    if (const auto open = loops.first_open()) { return program_failure{error_code::bad_command, *open}; }
    return std::nullopt;
}

// ---- walk ----

program_walk::program_walk(const std::vector<std::uint8_t>& program) : m_next(arch::program_commands(program).begin())
{}

std::optional<issued_command> program_walk::next()
{
    if (m_next.ended()) { return std::nullopt; }
    issued_command c;
    c.index = m_next->index;
    c.header = m_next->header;
    c.payload = m_next->payload;
    for (unsigned l = 0; l < arch::stepped_loops && l < m_depth; ++l) {
        c.iteration[l] = m_loops[m_depth - 1 - l].iteration;
    }
    for (unsigned l = 0; l < m_depth; ++l) { c.execution = c.execution * m_loops[l].count + m_loops[l].iteration; }

    ++m_next;
    const auto code = static_cast<opcode>(c.header.opcode);
    if (code == opcode::loop) {
        m_loops[m_depth++] = {m_next, arch::loop_command::decode(c.payload).count, 0};
    } else if (code == opcode::end) {
        open_loop& loop = m_loops[m_depth - 1];
        if (++loop.iteration < loop.count) {
            m_next = loop.body;
        } else {
            --m_depth;
        }
    }
    return c;
}

} // namespace tensorloom::shell
