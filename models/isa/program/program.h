#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/base/values/named_value.h>

namespace tensorloom::isa {

/// Opcodes 0x00 to 0x1f are common to all devices; 0x20 and up belong to a device.
enum class opcode : std::uint8_t {
    nop = 0x00,
    halt = 0x01, ///< end of the program
    loop = 0x02, ///< payloads of LOOP to SIGNAL and of GATHER: isa/program/shell_commands.h
    end = 0x03,
    load = 0x04,
    store = 0x05,
    wait = 0x06,
    signal = 0x07,
    irq = 0x08, ///< sets IRQ_STATUS.COMMAND
    gather = 0x09,
    first_of_device = 0x20
};

/// The opcodes that all devices have, with their names and descriptions.
inline constexpr base::named_value opcode_values[] = {
    {static_cast<std::uint32_t>(opcode::nop), "nop", "nothing"},
    {static_cast<std::uint32_t>(opcode::halt), "halt", "ends the program; optional at its end"},
    {static_cast<std::uint32_t>(opcode::loop), "loop", "runs the commands up to its END `count` times; up to 4 nest"},
    {static_cast<std::uint32_t>(opcode::end), "end", "ends an iteration of the innermost LOOP; takes a cycle"},
    {static_cast<std::uint32_t>(opcode::load), "load",
     "moves a tensor from memory on the bus into the device's local memory"},
    {static_cast<std::uint32_t>(opcode::store), "store",
     "moves a tensor from the device's local memory to memory on the bus"},
    {static_cast<std::uint32_t>(opcode::wait), "wait", "blocks the program until its signal is set, and clears it"},
    {static_cast<std::uint32_t>(opcode::signal), "signal", "sets a signal when all commands before it have ended"},
    {static_cast<std::uint32_t>(opcode::irq), "irq", "sets IRQ_STATUS.COMMAND when all commands before it have ended"},
    {static_cast<std::uint32_t>(opcode::gather), "gather",
     "moves the slices of a tensor that a list selects from memory on the bus into the device's local memory"},
};

/// The first 16 bytes of a program.
namespace program_fields {

inline constexpr base::layout_field magic("magic", 0, 4, 1, "0x4d504c54 (the bytes TLPM)");
inline constexpr base::layout_field
    version("version", 4, 4, 1, "as the VERSION register; a device accepts programs of its own major version");
inline constexpr base::layout_field commands("commands", 8, 4, 1, "number of commands");
inline constexpr base::layout_field bytes("bytes", 12, 4, 1,
                                          "bytes of the whole program, a multiple of 16, at most 16 MiB");
inline constexpr base::layout_field all[] = {magic, version, commands, bytes};

} // namespace program_fields

inline constexpr base::byte_layout program_layout{"program_header", program_fields::all};
static_assert(program_layout.is_whole(), "a byte of the program header has no field, or two");

struct program_header {
    static constexpr std::size_t encoded_bytes = program_layout.bytes();
    static constexpr std::uint32_t magic_value = 0x4d504c54; // "TLPM"
    static constexpr std::uint32_t max_bytes = 16u << 20;    ///< of a program
    static constexpr std::uint32_t alignment = 16;           ///< of a program's address, and of every length

    std::uint32_t magic = magic_value;
    std::uint32_t version = 0;
    std::uint32_t commands = 0;
    std::uint32_t bytes = 0;

    void encode(std::uint8_t* bytes) const;
    static program_header decode(const std::uint8_t* bytes);
};

/// The first 16 bytes of a command.
namespace command_fields {

inline constexpr base::layout_field opcode("opcode", 0, 1, 1, "operation");
inline constexpr base::layout_field reserved_0("reserved_0", 1, 1, 1, "0", base::field_kind::reserved);
inline constexpr base::layout_field flags("flags", 2, 2, 1, "defined by the command; unknown ones are refused");
inline constexpr base::layout_field length("length", 4, 4, 1, "bytes of the whole command, a multiple of 16");
inline constexpr base::layout_field token("token", 8, 4, 1,
                                          "shown by the TOKEN register when the command has finished");
inline constexpr base::layout_field reserved_1("reserved_1", 12, 4, 1, "0", base::field_kind::reserved);
inline constexpr base::layout_field all[] = {opcode, reserved_0, flags, length, token, reserved_1};

} // namespace command_fields

inline constexpr base::byte_layout command_layout{"command_header", command_fields::all};
static_assert(command_layout.is_whole(), "a byte of the command header has no field, or two");

struct command_header {
    static constexpr std::size_t encoded_bytes = command_layout.bytes();

    std::uint8_t opcode = 0;
    std::uint16_t flags = 0;
    std::uint32_t length = encoded_bytes;
    std::uint32_t token = 0;
    std::uint64_t reserved = 0; ///< all reserved bytes; any value but 0 is malformed

    void encode(std::uint8_t* bytes) const;
    static command_header decode(const std::uint8_t* bytes);
};

/// A command in a program.
struct program_command {
    std::uint32_t index = 0; ///< in the program, from 0
    command_header header;
    const std::uint8_t* payload = nullptr; ///< the bytes after the header
    std::size_t bytes_left = 0;            ///< from the header to the end of the program

    /// Whether all bytes given by its header are present.
    bool is_whole() const { return header.length >= command_header::encoded_bytes && header.length <= bytes_left; }
    std::size_t payload_bytes() const
    {
        return header.length - command_header::encoded_bytes;
    } ///< of a complete command
};

/// Iterates the commands of a program: for (const auto& c : program_commands(bytes)).
///
/// The iteration ends after the number of commands in the program's header, or earlier at the end of the bytes or after
/// an incomplete command. Nothing else is checked.
class program_commands {
public:
    struct end_mark {};

    class iterator {
    public:
        iterator() = default;
        iterator(const std::uint8_t* at, std::size_t bytes, std::uint32_t count);

        /// When ended(): index and bytes_left are those of the place where the next command would be.
        const program_command& operator*() const { return m_command; }
        const program_command* operator->() const { return &m_command; }
        iterator& operator++();

        bool ended() const
        {
            return m_command.index == m_count || m_command.bytes_left < command_header::encoded_bytes;
        }
        friend bool operator!=(const iterator& i, end_mark) { return !i.ended(); }

    private:
        void read(const std::uint8_t* at);

        std::uint32_t m_count = 0;
        program_command m_command;
    };

    /// A program with at least its header, which must stay in place.
    explicit program_commands(const std::vector<std::uint8_t>& program) : m_program(program) {}

    std::uint32_t count() const { return program_header::decode(m_program.data()).commands; }
    iterator begin() const
    {
        constexpr std::size_t head = program_header::encoded_bytes;
        return {m_program.data() + head, m_program.size() - head, count()};
    }
    end_mark end() const { return {}; }

private:
    const std::vector<std::uint8_t>& m_program;
};

/// A shell or device opcode, as encoded in programs.
struct command_code {
    std::uint8_t value;

    constexpr explicit command_code(std::uint8_t opcode) : value(opcode) {}
    template <class Opcode, std::enable_if_t<std::is_enum_v<Opcode>, int> = 0>
    constexpr command_code(Opcode opcode) : value(static_cast<std::uint8_t>(opcode))
    {}
};

/// Writes programs: a header and commands in the order added. HALT at the end is optional.
class program_builder {
public:
    program_builder();

    /// A command without payload.
    program_builder& add(command_code code, std::uint16_t flags = 0, std::uint32_t token = 0);
    /// A command with payload, which is padded with 0 to a multiple of 16 bytes.
    program_builder& add(command_code code, std::uint16_t flags, std::uint32_t token,
                         const std::vector<std::uint8_t>& payload);

    /// Bytes of the program with the commands added so far.
    std::size_t size() const { return program_header::encoded_bytes + m_commands.size(); }

    /// The program as it must be in memory, at an address that is a multiple of 16.
    std::vector<std::uint8_t> bytes() const;

private:
    std::vector<std::uint8_t> m_commands;
    std::uint32_t m_count = 0;
};

/// A program that runs these commands of one kind one after the other. Command i has token i + 1.
template <class Command> std::vector<std::uint8_t> program_of(command_code code, const std::vector<Command>& commands)
{
    program_builder builder;
    std::uint32_t token = 0;
    for (const auto& command : commands) { builder.add(code, command.flags, ++token, command.encode()); }
    builder.add(opcode::halt);
    return builder.bytes();
}

/// Bytes of a program of this number of commands.
template <class Command> constexpr std::size_t program_bytes_of(std::size_t commands)
{
    return program_header::encoded_bytes + commands * (command_header::encoded_bytes + Command::payload_bytes) +
           command_header::encoded_bytes;
}

} // namespace tensorloom::isa
