#include <tensorloom/models/shell/device_program.h>
#include <tensorloom/models/isa/program/register_map.h>

namespace tensorloom::shell {

using isa::error_code;
using isa::opcode;

// ---- fetch ----

namespace {

std::optional<program_failure> read_program(std::uint64_t address, std::size_t from, bus::dma_ports& dma,
                                            const bus::stop_request& stop, std::vector<std::uint8_t>& program)
{
    const auto outcome = outcome_of(dma.read(address + from, program.data() + from, program.size() - from, stop));
    if (outcome.ok()) { return std::nullopt; }
    return failure_of(outcome, 0);
}

} // namespace

std::optional<program_failure> fetch_header(std::uint64_t address, std::uint32_t max_bytes, bus::dma_ports& dma,
                                            const bus::stop_request& stop, std::vector<std::uint8_t>& program)
{
    const program_failure bad_program{isa::error_code::bad_program, 0};
    if (address % 16 != 0) { return bad_program; }
    constexpr std::size_t head = isa::program_header::encoded_bytes;
    dma.renew(program);
    program.resize(head);
    if (auto failed = read_program(address, 0, dma, stop, program)) { return failed; }
    const auto header = isa::program_header::decode(program.data());
    const bool known =
        header.magic == isa::program_header::magic_value && header.version >> 16 == isa::register_map_version >> 16;
    if (!known || header.bytes < head || header.bytes > max_bytes || header.bytes % 16 != 0 ||
        header.bytes - 1 > UINT64_MAX - address) {
        return bad_program;
    }
    program.resize(header.bytes);
    return std::nullopt;
}

std::optional<program_failure> fetch_program(std::uint64_t address, std::uint32_t max_bytes, bus::dma_ports& dma,
                                             const bus::stop_request& stop, std::vector<std::uint8_t>& program)
{
    if (auto failed = fetch_header(address, max_bytes, dma, stop, program)) { return failed; }
    return read_program(address, isa::program_header::encoded_bytes, dma, stop, program);
}

// ---- check ----

namespace {

bool is_of_device(std::uint8_t code) { return code >= static_cast<std::uint8_t>(opcode::first_of_device); }
bool moves(opcode code) { return code == opcode::load || code == opcode::store || code == opcode::gather; }

// Checks a control command, which no unit executes: its opcode, flags, length and payload.
std::optional<error_code> check_control(const isa::program_command& command)
{
    const auto code = static_cast<opcode>(command.header.opcode);
    const auto payload_bytes = isa::shell_payload_bytes(code);
    if (is_of_device(command.header.opcode) || !payload_bytes) { return error_code::unknown_opcode; }
    if (moves(code)) { return error_code::unsupported_opcode; }
    if (command.payload_bytes() != *payload_bytes || command.header.flags != 0) { return error_code::bad_command; }
    const auto refused = isa::check_control(code, command.payload);
    return refused ? std::optional<error_code>(refused->code) : std::nullopt;
}

std::optional<error_code> check(const isa::program_command& command, const unit_table& units)
{
    const auto& [unit, number, payload_bytes] = units[command.header.opcode];
    if (unit == nullptr) { return check_control(command); }
    if (command.payload_bytes() != payload_bytes) { return error_code::bad_command; }
    const auto refused = unit->check(command.header, command.payload);
    return refused ? std::optional<error_code>(refused->code) : std::nullopt;
}

} // namespace

std::optional<error_code> command_checks::check_header(const isa::program_command& command)
{
    const bool well_formed = command.is_whole() && command.header.length % 16 == 0 && command.header.reserved == 0;
    return well_formed ? std::nullopt : std::optional<error_code>(error_code::bad_command);
}

std::optional<error_code> command_checks::check_next(const isa::program_command& command)
{
    if (const auto refused = check(command, m_units)) { return refused; }
    switch (static_cast<opcode>(command.header.opcode)) {
    case opcode::loop:
        if (m_open_loops.size() == isa::max_loop_depth) { return error_code::bad_command; }
        m_open_loops.push_back(command.index);
        break;
    case opcode::end:
        if (m_open_loops.empty()) { return error_code::bad_command; }
        m_open_loops.pop_back();
        break;
    default: break;
    }
    return std::nullopt;
}

// The first missing command, bytes after the last one, or a LOOP without END.
std::optional<program_failure> command_checks::end(std::uint32_t count, const isa::program_command& place) const
{
    if (place.index != count || place.bytes_left != 0) { return program_failure{error_code::bad_program, place.index}; }
    if (!m_open_loops.empty()) { return program_failure{error_code::bad_command, m_open_loops.front()}; }
    return std::nullopt;
}

std::optional<program_failure> check_program(const std::vector<std::uint8_t>& program, const unit_table& units)
{
    const isa::program_commands commands(program);
    command_checks checks(units);
    auto command = commands.begin();
    for (; command != commands.end(); ++command) {
        auto refused = command_checks::check_header(*command);
        if (!refused) { refused = checks.check_next(*command); }
        if (refused) { return program_failure{*refused, command->index}; }
    }
    return checks.end(commands.count(), *command);
}

// ---- iteration ----

program_walk::program_walk(const std::vector<std::uint8_t>& program) : m_next(isa::program_commands(program).begin()) {}

std::optional<issued_command> program_walk::next()
{
    if (m_next.ended()) { return std::nullopt; }
    issued_command c;
    c.index = m_next->index;
    c.header = m_next->header;
    c.payload = m_next->payload;
    for (unsigned l = 0; l < isa::stepped_loops && l < m_depth; ++l) {
        c.iteration[l] = m_loops[m_depth - 1 - l].iteration;
    }
    for (unsigned l = 0; l < m_depth; ++l) { c.execution = c.execution * m_loops[l].count + m_loops[l].iteration; }

    ++m_next;
    const auto code = static_cast<opcode>(c.header.opcode);
    if (code == opcode::loop) {
        m_loops[m_depth++] = {m_next, isa::loop_command::decode(c.payload).count, 0};
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
