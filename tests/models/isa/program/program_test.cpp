#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/isa/program/program.h>
#include <cstdint>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/program/register_map.h>

namespace tensorloom::test {
namespace {

using isa::command_header;
using isa::opcode;
using isa::program_builder;
using isa::program_header;
using bytes = std::vector<std::uint8_t>;

bytes piece(const bytes& all, std::size_t from, std::size_t length)
{
    return bytes(all.begin() + static_cast<std::ptrdiff_t>(from),
                 all.begin() + static_cast<std::ptrdiff_t>(from + length));
}

TEST(program_header_encoding, has_the_documented_bytes)
{
    const program_header h{program_header::magic_value, 0x00010002, 0x01020304, 0x0a0b0c0d};
    bytes to(16, 0xcc);
    h.encode(to.data());
    EXPECT_EQ(to, (bytes{'T', 'L', 'P', 'M', 2, 0, 1, 0, 4, 3, 2, 1, 0x0d, 0x0c, 0x0b, 0x0a}));
}

TEST(program_header_encoding, every_field_is_read_back)
{
    const bytes from{1, 2, 3, 0x84, 5, 6, 7, 0x88, 9, 10, 11, 0x8c, 13, 14, 15, 0x90};
    const auto h = program_header::decode(from.data());
    EXPECT_EQ(h.magic, 0x84030201u);
    EXPECT_EQ(h.version, 0x88070605u);
    EXPECT_EQ(h.commands, 0x8c0b0a09u);
    EXPECT_EQ(h.bytes, 0x900f0e0du);
}

TEST(command_header_encoding, has_the_documented_bytes)
{
    command_header h;
    h.opcode = 0x21;
    h.flags = 0x8142;
    h.length = 0x01020304;
    h.token = 0xf1f2f3f4;
    bytes to(16, 0xcc);
    h.encode(to.data());
    EXPECT_EQ(to, (bytes{0x21, 0, 0x42, 0x81, 4, 3, 2, 1, 0xf4, 0xf3, 0xf2, 0xf1, 0, 0, 0, 0}));
}

TEST(command_header_encoding, every_field_is_read_back)
{
    const bytes from{0xff, 0, 0xfe, 0xfd, 1, 2, 3, 0x84, 5, 6, 7, 0x88, 0, 0, 0, 0};
    const auto h = command_header::decode(from.data());
    EXPECT_EQ(h.opcode, 0xff);
    EXPECT_EQ(h.flags, 0xfdfe);
    EXPECT_EQ(h.length, 0x84030201u);
    EXPECT_EQ(h.token, 0x88070605u);
    EXPECT_EQ(h.reserved, 0u);
}

TEST(command_header_encoding, every_reserved_bit_is_seen)
{
    for (unsigned at : {1u, 12u, 13u, 14u, 15u}) {
        for (unsigned bit = 0; bit < 8; ++bit) {
            bytes from(16, 0);
            from[at] = static_cast<std::uint8_t>(1u << bit);
            EXPECT_NE(command_header::decode(from.data()).reserved, 0u) << "byte " << at << " bit " << bit;
        }
    }
}

TEST(command_header_encoding, reserved_bits_survive_a_round_trip)
{
    const bytes from{0, 0x5a, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x22, 0x33, 0xf4};
    bytes to(16, 0xcc);
    command_header::decode(from.data()).encode(to.data());
    EXPECT_EQ(to, from);
}

TEST(opcodes, have_the_documented_numbers)
{
    const opcode common[] = {opcode::nop,   opcode::halt, opcode::loop,   opcode::end, opcode::load,
                             opcode::store, opcode::wait, opcode::signal, opcode::irq, opcode::gather};
    for (unsigned i = 0; i < 10; ++i) { EXPECT_EQ(static_cast<unsigned>(common[i]), i); }
    EXPECT_EQ(static_cast<unsigned>(opcode::first_of_device), 0x20u);
}

TEST(program_builder_test, empty_program_is_a_header)
{
    const auto all = program_builder().bytes();
    ASSERT_EQ(all.size(), 16u);
    const auto h = program_header::decode(all.data());
    EXPECT_EQ(h.magic, program_header::magic_value);
    EXPECT_EQ(h.version, isa::register_map_version);
    EXPECT_EQ(h.commands, 0u);
    EXPECT_EQ(h.bytes, 16u);
}

TEST(program_builder_test, commands_follow_in_the_order_added)
{
    program_builder b;
    b.add(opcode::nop, 0, 5).add(opcode::irq, 0, 6).add(opcode::halt, 0, 7);
    const auto all = b.bytes();
    ASSERT_EQ(all.size(), 64u);
    EXPECT_EQ(program_header::decode(all.data()).commands, 3u);
    EXPECT_EQ(program_header::decode(all.data()).bytes, 64u);
    EXPECT_EQ(piece(all, 16, 16), (bytes{0, 0, 0, 0, 16, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(piece(all, 32, 16), (bytes{8, 0, 0, 0, 16, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(piece(all, 48, 16), (bytes{1, 0, 0, 0, 16, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(program_builder_test, payload_follows_the_header)
{
    bytes payload(16);
    for (unsigned i = 0; i < 16; ++i) { payload[i] = static_cast<std::uint8_t>(0xf0 + i); }
    const auto all = program_builder().add(triada::opcode::gemt, 3, 1, payload).bytes();
    ASSERT_EQ(all.size(), 48u);
    EXPECT_EQ(piece(all, 16, 16), (bytes{0x20, 0, 3, 0, 32, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(piece(all, 32, 16), payload);
}

TEST(program_builder_test, payload_is_padded_to_16_bytes)
{
    for (std::size_t size : {std::size_t{1}, std::size_t{15}, std::size_t{17}}) {
        const bytes payload(size, 0xee);
        const auto all = program_builder().add(triada::opcode::gemt, 0, 0, payload).add(opcode::halt).bytes();
        const std::size_t padded = size < 17 ? 16 : 32;
        ASSERT_EQ(all.size(), 16 + 16 + padded + 16);
        EXPECT_EQ(command_header::decode(all.data() + 16).length, 16 + padded);
        EXPECT_EQ(piece(all, 32 + size, padded - size), bytes(padded - size, 0));
        EXPECT_EQ(all[32 + padded], 0x01);
    }
}

} // namespace
} // namespace tensorloom::test
