#include <tensorloom/models/isa/program/program.h>
#include <algorithm>
#include <tensorloom/models/isa/program/register_map.h>

namespace tensorloom::isa {

void program_header::encode(std::uint8_t* to) const
{
    base::store_le(to + program_fields::magic.offset, magic);
    base::store_le(to + program_fields::version.offset, version);
    base::store_le(to + program_fields::commands.offset, commands);
    base::store_le(to + program_fields::bytes.offset, bytes);
}

program_header program_header::decode(const std::uint8_t* from)
{
    program_header h;
    h.magic = base::load_le<std::uint32_t>(from + program_fields::magic.offset);
    h.version = base::load_le<std::uint32_t>(from + program_fields::version.offset);
    h.commands = base::load_le<std::uint32_t>(from + program_fields::commands.offset);
    h.bytes = base::load_le<std::uint32_t>(from + program_fields::bytes.offset);
    return h;
}

void command_header::encode(std::uint8_t* to) const
{
    to[command_fields::opcode.offset] = opcode;
    to[command_fields::reserved_0.offset] = static_cast<std::uint8_t>(reserved >> 32);
    base::store_le(to + command_fields::flags.offset, flags);
    base::store_le(to + command_fields::length.offset, length);
    base::store_le(to + command_fields::token.offset, token);
    base::store_le(to + command_fields::reserved_1.offset, static_cast<std::uint32_t>(reserved));
}

command_header command_header::decode(const std::uint8_t* from)
{
    command_header h;
    h.opcode = from[command_fields::opcode.offset];
    h.flags = base::load_le<std::uint16_t>(from + command_fields::flags.offset);
    h.length = base::load_le<std::uint32_t>(from + command_fields::length.offset);
    h.token = base::load_le<std::uint32_t>(from + command_fields::token.offset);
    h.reserved = static_cast<std::uint64_t>(from[command_fields::reserved_0.offset]) << 32 |
                 base::load_le<std::uint32_t>(from + command_fields::reserved_1.offset);
    return h;
}

program_commands::iterator::iterator(const std::uint8_t* at, std::size_t bytes, std::uint32_t count) : m_count(count)
{
    m_command.bytes_left = bytes;
    read(at);
}

program_commands::iterator& program_commands::iterator::operator++()
{
    const std::size_t passed = m_command.is_whole() ? m_command.header.length : m_command.bytes_left;
    ++m_command.index;
    m_command.bytes_left -= passed;
    read(m_command.payload - command_header::encoded_bytes + passed);
    return *this;
}

void program_commands::iterator::read(const std::uint8_t* at)
{
    m_command.payload = at + command_header::encoded_bytes;
    if (!ended()) { m_command.header = command_header::decode(at); }
}

program_builder::program_builder() = default;

program_builder& program_builder::add(command_code code, std::uint16_t flags, std::uint32_t token)
{
    return add(code, flags, token, {});
}

program_builder& program_builder::add(command_code code, std::uint16_t flags, std::uint32_t token,
                                      const std::vector<std::uint8_t>& payload)
{
    command_header header;
    header.opcode = code.value;
    header.flags = flags;
    header.token = token;
    header.length = static_cast<std::uint32_t>(command_header::encoded_bytes + (payload.size() + 15) / 16 * 16);
    const std::size_t at = m_commands.size();
    m_commands.resize(at + header.length, 0);
    header.encode(m_commands.data() + at);
    for (std::size_t i = 0; i < payload.size(); ++i) {
        m_commands[at + command_header::encoded_bytes + i] = payload[i];
    }
    ++m_count;
    return *this;
}

std::vector<std::uint8_t> program_builder::bytes() const
{
    program_header header;
    header.version = register_map_version;
    header.commands = m_count;
    header.bytes = static_cast<std::uint32_t>(size());
    std::vector<std::uint8_t> all(header.bytes);
    header.encode(all.data());
    std::copy(m_commands.begin(), m_commands.end(), all.begin() + program_header::encoded_bytes);
    return all;
}

} // namespace tensorloom::isa
