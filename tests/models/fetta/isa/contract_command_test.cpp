// The bytes of CONTRACT: every field at its place in the layout, negative numbers, iterations of loops.
#include <cstring>
#include <random>
#include <vector>
#include <gmock/gmock.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/export/assembler.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/isa/program/program.h>

namespace tensorloom::test {
namespace {

using namespace base;
using namespace isa;
using fetta::contract_command;
using fetta::contract_operand;
namespace fields = fetta::contract_fields;

/// Number i of a field, read by the layout.
std::uint64_t at(const std::vector<std::uint8_t>& bytes, const layout_field& f, unsigned i = 0)
{
    std::uint64_t value = 0;
    for (unsigned b = f.bytes; b-- > 0;) { value = value << 8 | bytes.at(f.offset + i * f.bytes + b); }
    return value;
}
std::uint32_t bits(std::int32_t value) { return static_cast<std::uint32_t>(value); }

contract_operand some_operand(std::uint32_t seed)
{
    contract_operand o;
    o.base = seed + 1;
    o.bank = seed + 2;
    o.stride = {-1 - int(seed), 20, -30, 40};
    o.step = {-5 - int(seed), 6};
    o.modes = {1, 2, 3 + seed};
    for (unsigned m = 0; m < 8; ++m) { o.mode[m] = {seed + 100 + m, -int(seed) - 200 - int(m)}; }
    o.reserved = seed + 9;
    return o;
}

contract_command some_command()
{
    contract_command c;
    c.flags = 0x155;
    c.mapping = 3;
    c.batch = 11;
    c.contracted = 12;
    c.ia_free = 13;
    c.ib_free = 14;
    c.mask_batch = 1;
    c.mask_contracted = 2;
    c.mask_ia = 4;
    c.mask_ib = 8;
    c.accumulator_row = 99;
    c.reserved = 0x0123456789abcdef;
    c.ia = some_operand(0);
    c.ib = some_operand(1000);
    c.result = some_operand(2000);
    return c;
}

TEST(contract_bytes, every_number_is_in_its_field)
{
    const contract_command c = some_command();
    const auto bytes = c.encode();
    ASSERT_EQ(bytes.size(), 384u);
    EXPECT_EQ(at(bytes, fields::mapping), 3u);
    EXPECT_EQ(at(bytes, fields::batch), 11u);
    EXPECT_EQ(at(bytes, fields::contracted), 12u);
    EXPECT_EQ(at(bytes, fields::ia_free), 13u);
    EXPECT_EQ(at(bytes, fields::ib_free), 14u);
    for (unsigned i = 0; i < 4; ++i) { EXPECT_EQ(at(bytes, fields::masks, i), 1u << i); }
    EXPECT_EQ(at(bytes, fields::accumulator_row), 99u);
    EXPECT_EQ(at(bytes, fields::reserved), 0x0123456789abcdefu);
    const struct {
        const contract_operand& o;
        const layout_field &place, &stride, &step, &modes, &mode;
    } operands[] = {{c.ia, fields::ia_place, fields::ia_stride, fields::ia_step, fields::ia_modes, fields::ia_mode},
                    {c.ib, fields::ib_place, fields::ib_stride, fields::ib_step, fields::ib_modes, fields::ib_mode},
                    {c.result, fields::result_place, fields::result_stride, fields::result_step, fields::result_modes,
                     fields::result_mode}};
    for (const auto& [o, place, stride, step, modes, mode] : operands) {
        EXPECT_EQ(at(bytes, place, 0), o.base);
        EXPECT_EQ(at(bytes, place, 1), o.bank);
        for (unsigned i = 0; i < 4; ++i) { EXPECT_EQ(at(bytes, stride, i), bits(o.stride[i])); }
        for (unsigned i = 0; i < 2; ++i) { EXPECT_EQ(at(bytes, step, i), bits(o.step[i])); }
        for (unsigned i = 0; i < 3; ++i) { EXPECT_EQ(at(bytes, modes, i), o.modes[i]); }
        EXPECT_EQ(at(bytes, modes, 3), o.reserved);
        for (unsigned m = 0; m < 8; ++m) {
            EXPECT_EQ(at(bytes, mode, 2 * m), o.mode[m].size);
            EXPECT_EQ(at(bytes, mode, 2 * m + 1), bits(o.mode[m].stride));
        }
    }
}

TEST(contract_bytes, decode_gives_back_any_bytes)
{
    std::mt19937 random(5);
    for (int i = 0; i < 200; ++i) {
        std::vector<std::uint8_t> bytes(contract_command::payload_bytes);
        for (auto& b : bytes) { b = static_cast<std::uint8_t>(random()); }
        const auto c = contract_command::decode(0x1ff, bytes.data());
        EXPECT_EQ(c.flags, 0x1ff);
        ASSERT_EQ(c.encode(), bytes);
    }
}

TEST(contract_iterations, move_the_bases_and_nothing_else)
{
    const contract_command c = some_command();
    contract_command expected = c;
    expected.ia.base = bits(1 - 5 * 7 + 6 * 3);
    expected.ib.base = bits(1001 - 1005 * 7 + 6 * 3); // below 0: modulo 2^32
    expected.result.base = bits(2001 - 2005 * 7 + 6 * 3);
    for (auto* o : {&expected.ia, &expected.ib, &expected.result}) { o->step = {0, 0}; }
    EXPECT_EQ(c.at({7, 3}).encode(), expected.encode());
    EXPECT_EQ(c.at({7, 3}).flags, c.flags);
}

TEST(contract_text, negative_steps_and_modes_go_to_bytes_and_back)
{
    contract_command c = some_command();
    c.reserved = 0;
    program_builder program;
    program.add(static_cast<isa::opcode>(fetta::opcode::contract), c.flags, 4, c.encode());
    const auto& device = described_device("fetta");
    const auto text = disassemble(program.bytes(), "p", device);
    EXPECT_EQ(assemble(text, "t", device), program.bytes()) << text;
    EXPECT_THAT(text, testing::HasSubstr("contract accumulate store_bf16 linear_ib transpose_ia transpose_result "));
    EXPECT_THAT(text, testing::HasSubstr(" ia_step=-5,6 "));
    EXPECT_THAT(text, testing::HasSubstr(" ia_stride=-1,20,-30,40 "));
    EXPECT_THAT(text, testing::HasSubstr(" ia_mode=100,-200,101,-201,"));
}

TEST(contract_text, vector_instructions_are_those_of_the_vector_unit)
{
    const auto& device = described_device("fetta");
    const auto& pair = described_device("mmv");
    EXPECT_EQ(device.commands.first->opcode.value, 0x20u);
    for (const char* name : {"add", "mul", "gather_idx", "repl", "mul_add", "sum_block", "pack_bf16", "tanh", "log"}) {
        const auto* found = find_command(device, std::string_view(name));
        ASSERT_NE(found, nullptr) << name;
        EXPECT_EQ(found->payload, find_command(pair, std::string_view(name))->payload);
        EXPECT_EQ(found->opcode.value, find_command(pair, std::string_view(name))->opcode.value);
    }
    // Those of other units, of blocks that no FETTA has, of integers alone.
    for (const char* name : {"matmul", "s_add", "charge", "gemt", "revspec", "compact", "revert", "bit", "expand"}) {
        EXPECT_EQ(find_command(device, std::string_view(name)), nullptr) << name;
    }
}

} // namespace
} // namespace tensorloom::test
