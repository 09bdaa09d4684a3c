#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tensorloom::arch {

/// Opcodes 0x00 to 0x1f are common to all devices; 0x20 and up belong to a device.
enum class opcode : std::uint8_t {
    nop = 0x00,
    halt = 0x01, ///< end of the program
    loop = 0x02,
    end = 0x03,
    load = 0x04,
    store = 0x05,
    wait = 0x06,
    signal = 0x07,
    irq = 0x08, ///< sets IRQ_STATUS.COMMAND
    first_of_device = 0x20,
    gemt = 0x20 ///< TriADA: three-mode matrix-by-tensor product
};

/// The first 16 bytes of a program. Little-endian: magic, version (as the VERSION register), commands, bytes of the whole program.
struct program_header {
    static constexpr std::size_t encoded_bytes = 16;
    static constexpr std::uint32_t magic_value = 0x4d504c54; // "TLPM"

    std::uint32_t magic = magic_value;
    std::uint32_t version = 0;
    std::uint32_t commands = 0;
    std::uint32_t bytes = 0;

    void encode(std::uint8_t* bytes) const;
    static program_header decode(const std::uint8_t* bytes);
};

/// The first 16 bytes of a command: opcode (1 byte), 0 (1), flags (2), length (4: bytes of the whole command, a multiple of 16),
/// token (4: shown by the TOKEN register when the command has finished), 0 (4). Little-endian.
struct command_header {
    static constexpr std::size_t encoded_bytes = 16;

    std::uint8_t opcode = 0;
    std::uint16_t flags = 0;
    std::uint32_t length = encoded_bytes;
    std::uint32_t token = 0;
    std::uint64_t reserved = 0; ///< all reserved bytes; anything but 0 is malformed

    void encode(std::uint8_t* bytes) const;
    static command_header decode(const std::uint8_t* bytes);
};

/// Writes programs: header, commands in the order added. HALT at the end is optional.
class program_builder {
public:
    program_builder();

    /// A command without payload.
    program_builder& add(opcode code, std::uint16_t flags = 0, std::uint32_t token = 0);
    /// A command with payload, which is padded with 0 to a multiple of 16 bytes.
    program_builder& add(opcode code, std::uint16_t flags, std::uint32_t token,
                         const std::vector<std::uint8_t>& payload);

    /// The program as it must stand in memory, at an address that is a multiple of 16.
    std::vector<std::uint8_t> bytes() const;

private:
    std::vector<std::uint8_t> m_commands;
    std::uint32_t m_count = 0;
};

} // namespace tensorloom::arch
