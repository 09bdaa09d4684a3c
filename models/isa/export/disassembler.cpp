#include <tensorloom/models/isa/export/assembler.h>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/register_map.h>
#include <tensorloom/models/isa/program/shell_commands.h>

namespace tensorloom::isa {
namespace {

std::uint64_t number_at(const std::uint8_t* from, std::uint32_t bytes)
{
    std::uint64_t value = 0;
    for (std::uint32_t b = bytes; b-- > 0;) { value = value << 8 | from[b]; }
    return value;
}

std::string real_text(std::uint64_t bits)
{
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) { return base::hexadecimal(bits); }
    char digits[64];
    const auto result = std::to_chars(digits, digits + sizeof digits, value);
    return {digits, result.ptr};
}

// Nothing when there is no text for it.
std::optional<std::string> value_text(const base::layout_field& field, const std::uint8_t* from)
{
    if (field.kind == base::field_kind::tensor) { return tensor_text(tensor_descriptor::decode(from)); }
    const std::uint64_t value = number_at(from, field.bytes);
    switch (field.kind) {
    case base::field_kind::reserved: return value == 0 ? std::optional<std::string>("") : std::nullopt;
    case base::field_kind::real: return real_text(value);
    case base::field_kind::address:
    case base::field_kind::bits: return base::hexadecimal(value);
    case base::field_kind::signed_number: {
        const unsigned unused = 64 - 8 * field.bytes;
        return std::to_string(static_cast<std::int64_t>(value << unused) >> unused);
    }
    default: return std::to_string(value);
    }
}

/// Reads one program.
class program_reader {
public:
    program_reader(const std::vector<std::uint8_t>& program, const std::string& origin,
                   const device_description& device)
        : m_program(program), m_origin(origin), m_device(device)
    {}

    std::string text()
    {
        const auto header = read_header();
        std::string text = std::string("; ") + m_device.title + ", program of version " +
                           std::to_string(header.version >> 16) + "." + std::to_string(header.version & 0xffff) +
                           "\n.device " + m_device.name + "\n";
        std::size_t depth = 0;
        auto command = program_commands(m_program).begin();
        for (; !command.ended(); ++command) {
            check_command(*command);
            const auto code = static_cast<opcode>(command->header.opcode);
            if (code == opcode::end && depth > 0) { --depth; }
            // No device accepts deeper loops; without a limit, their indentation would exceed any memory for a program
            // of a few MiB.
            const std::size_t indented = std::min<std::size_t>(depth, max_loop_depth);
            text += std::string(4 * indented, ' ') + command_text(*command) + "\n";
            if (code == opcode::loop) { ++depth; }
        }
        m_index = command->index;
        if (m_index < header.commands) { fail_command("found the end of the program"); }
        if (command->bytes_left != 0) {
            fail("found " + std::to_string(command->bytes_left) + " bytes after the last command, expected none");
        }
        return text;
    }

private:
    [[noreturn]] void fail(const std::string& error) const { throw base::input_error(m_origin + ": " + error); }
    [[noreturn]] void fail_command(const std::string& error) const
    {
        fail("command " + std::to_string(m_index) + ": " + error);
    }

    program_header read_header() const
    {
        if (m_program.size() < program_header::encoded_bytes) {
            fail("found " + std::to_string(m_program.size()) + " bytes, expected a program");
        }
        const auto header = program_header::decode(m_program.data());
        if (header.magic != program_header::magic_value) {
            fail("found magic " + base::hexadecimal(header.magic) + ", expected " +
                 base::hexadecimal(program_header::magic_value));
        }
        if (header.version >> 16 != register_map_major) {
            fail("found major version " + std::to_string(header.version >> 16) + ", expected " +
                 std::to_string(register_map_major));
        }
        if (header.bytes != m_program.size()) {
            fail("found " + std::to_string(m_program.size()) + " bytes, expected " + std::to_string(header.bytes) +
                 " as its header says");
        }
        return header;
    }

    // The command is one of the device's, and complete.
    void check_command(const program_command& command)
    {
        const command_header& header = command.header;
        m_index = command.index;
        m_command = find_command(m_device, header.opcode);
        if (m_command == nullptr) {
            fail_command("found opcode " + base::hexadecimal(header.opcode) + ", expected one of device " +
                         m_device.name);
        }
        const std::size_t payload = m_command->payload == nullptr ? 0 : m_command->payload->bytes();
        const std::size_t length = command_header::encoded_bytes + (payload + 15) / 16 * 16;
        if (header.length != length || command.bytes_left < length) {
            fail_command("found " + std::to_string(std::min<std::size_t>(header.length, command.bytes_left)) +
                         " bytes, expected " + std::to_string(length));
        }
        if (header.reserved != 0) { fail_command("found reserved bytes that are not 0"); }
    }

    std::string command_text(const program_command& command) const
    {
        const command_header& header = command.header;
        std::string text = m_command->opcode.name;
        unsigned flags = header.flags;
        for (const auto& f : m_command->flags) {
            if ((flags & f.value) == 0) { continue; }
            text += " " + std::string(f.name);
            flags &= ~f.value;
        }
        if (flags != 0) { fail_command("found unknown flags " + base::hexadecimal(flags)); }
        if (m_command->payload != nullptr) {
            const std::uint8_t* payload = command.payload;
            for (const auto& f : *m_command->payload) { text += field_text(f, payload + f.offset); }
            const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
            if (!std::all_of(payload + m_command->payload->bytes(), payload + command.payload_bytes(), is_zero)) {
                fail_command("found padding that is not 0");
            }
        }
        if (header.token != 0) { text += " token=" + std::to_string(header.token); }
        return text;
    }

    std::string field_text(const base::layout_field& field, const std::uint8_t* from) const
    {
        std::string values;
        bool zero = true;
        for (std::uint32_t i = 0; i < field.count; ++i, from += field.bytes) {
            const auto value = value_text(field, from);
            if (!value) {
                fail_command("field " + std::string(field.name) + ": found bytes without a text form, expected " +
                             (field.kind == base::field_kind::tensor ? tensor_text_form : "0"));
            }
            values += (i == 0 ? "" : ",") + *value;
            zero = zero && std::all_of(from, from + field.bytes, [](std::uint8_t byte) { return byte == 0; });
        }
        return zero ? "" : " " + std::string(field.name) + "=" + values;
    }

    const std::vector<std::uint8_t>& m_program;
    const std::string& m_origin;
    const device_description& m_device;
    const command_description* m_command = nullptr; // the current command
    std::uint32_t m_index = 0;
};

} // namespace

std::string disassemble(const std::vector<std::uint8_t>& program, const std::string& origin,
                        const device_description& device)
{
    return program_reader(program, origin, device).text();
}

} // namespace tensorloom::isa
