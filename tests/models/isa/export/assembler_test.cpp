// Programs as text: round trips of random programs of all commands of all devices, forms of values, every error.
#include <cmath>
#include <cstring>
#include <fstream>
#include <regex>
#include <string>
#include <sys/resource.h>
#include <gmock/gmock.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/export/assembler.h>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/mmv/isa/limits.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include "support/message_of.h"
#include "models/isa/export/random_commands.h"

namespace tensorloom::test {
namespace {

using namespace base;
using namespace isa;
using testing::HasSubstr;

const device_description& mmv_device() { return described_device("mmv"); }
const device_description& triada() { return described_device("triada"); }

TEST(assembler, round_trips_of_random_programs_change_nothing)
{
    for (const auto* described : described_devices()) {
        const auto& device = *described;
        random_programs programs(device);
        for (int i = 0; i < 300; ++i) {
            const auto bytes = programs.next(40);
            const auto text = disassemble(bytes, "a", device);
            ASSERT_EQ(assemble(text, "b", device), bytes) << text;
            ASSERT_EQ(disassemble(assemble(text, "b", device), "a", device), text);
        }
    }
}

TEST(assembler, knows_every_command_of_every_device_by_a_name_of_its_own)
{
    for (const auto* described : described_devices()) {
        const auto& device = *described;
        std::string text;
        std::size_t commands = 0;
        for (const auto& list : {shell_command_descriptions(), device.commands}) {
            for (const auto& c : list) {
                EXPECT_EQ(find_command(device, std::string_view(c.opcode.name)), &c) << c.opcode.name;
                EXPECT_EQ(find_command(device, static_cast<std::uint8_t>(c.opcode.value)), &c) << c.opcode.name;
                if (c.payload != nullptr) {
                    for (const auto& f : *c.payload) { EXPECT_STRNE(f.name, "token"); }
                }
                text += std::string(c.opcode.name) + "\n";
                ++commands;
            }
        }
        const auto bytes = assemble(text, "a", device);
        EXPECT_EQ(program_header::decode(bytes.data()).commands, commands);
        EXPECT_EQ(assemble(disassemble(bytes, "a", device), "a", device), bytes);
    }
    EXPECT_EQ(find_command(triada(), "matmul"), nullptr);
    EXPECT_EQ(find_command(mmv_device(), "gemt"), nullptr);
}

TEST(assembler, encodes_as_the_commands_do)
{
    vector::vector_command v;
    v.flags = vector::vector_command::flag_broadcast_b;
    v.result = {0x100, 0, {8, -16}};
    v.a = {0x200, 3, {}};
    v.b = {0x300, 0, {0, 1}};
    v.length = 10;
    const auto bytes =
        assemble("; a comment\n\n  mask broadcast_b result=0x100 result_step=8,-16 a=512 a_shift=3\tb=0x300 "
                 "b_step=0,1 length=10 token=7 ; and another\r\n",
                 "f", mmv_device());
    program_builder expected;
    expected.add(static_cast<opcode>(vector::opcode::mask), v.flags, 7, v.encode());
    EXPECT_EQ(bytes, expected.bytes());
}

TEST(assembler, reads_transfers_and_reals)
{
    transfer_command t;
    t.tensor = dense_descriptor(0x80000000, element_type::f64, {4, 8});
    t.tensor.stride = {-1, 4};
    t.tensor_step = {-64, 0};
    t.local = 0x40;
    triada::gemt_command g;
    g.order = {1, 2, 3};
    g.zero_threshold = 1e-9;
    g.x = dense_descriptor(0, element_type::c64, {2, 3, 4});
    g.matrix[1] = dense_descriptor(64, element_type::c64, {3, 3});
    program_builder expected;
    expected.add(opcode::load, 0, 0, t.encode()).add(triada::opcode::gemt, 0, 0, g.encode());
    EXPECT_EQ(assemble("load tensor=0x80000000:f64:4x8:-1x4 tensor_step=-64,0 local=0x40\n"
                       "gemt order=1,2,3 stage_mask=7 zero_threshold=1e-9 x=0:c64:2x3x4 matrix=none,64:c64:3x3,none",
                       "f", triada()),
              expected.bytes());
    EXPECT_THAT(disassemble(expected.bytes(), "f", triada()),
                HasSubstr("gemt order=1,2,3 stage_mask=7 zero_threshold=1e-09 x=0x0:c64:2x3x4 "
                          "matrix=none,0x40:c64:3x3,none\n"));
}

TEST(assembler, reals_that_are_no_numbers_are_their_bits)
{
    for (const double value : {-0.0, 5e-324, std::nan("1"), double{INFINITY}}) {
        triada::gemt_command g;
        g.zero_threshold = value;
        program_builder program;
        program.add(triada::opcode::gemt, 0, 0, g.encode());
        EXPECT_EQ(assemble(disassemble(program.bytes(), "f", triada()), "f", triada()), program.bytes()) << value;
    }
}

TEST(disassembler, indents_no_further_than_loops_of_a_device_go)
{
    std::string source;
    for (int i = 0; i < 3000; ++i) { source += "loop count=1\n"; }
    for (int i = 0; i < 3000; ++i) { source += "end\n"; }
    const std::string text = disassemble(assemble(source, "f", mmv_device()), "f", mmv_device());
    EXPECT_LT(text.size(), 6000u * (16 + 14));
    EXPECT_THAT(text,
                HasSubstr("\n            loop count=1\n                loop count=1\n                loop count=1\n"));
    EXPECT_THAT(text, HasSubstr("\n                end\n            end\n        end\n    end\nend\n"));
}

TEST(disassembler, indents_what_loops_enclose)
{
    const std::string text = disassemble(
        assemble("loop count=2\nloop count=3\nnop\nend\nset\nend\nend\nhalt", "f", mmv_device()), "f", mmv_device());
    EXPECT_THAT(text, HasSubstr("\nloop count=2\n    loop count=3\n        nop\n    end\n    set\nend\nend\nhalt\n"));
}

TEST(assembler, an_empty_text_is_an_empty_program)
{
    EXPECT_EQ(assemble("", "f", mmv_device()), program_builder().bytes());
    EXPECT_EQ(assemble("; nothing\n", "f", mmv_device()), program_builder().bytes());
}

std::string validate(const std::string& text, const device_description& device = mmv_device())
{
    return message_of([&] { assemble(text, "in.asm", device); });
}

TEST(validate_assembler, names_line_found_and_expected)
{
    EXPECT_EQ(validate("nop\nnop\n  jump 3\n"), "in.asm:3: found 'jump', expected a command of device mmv");
    EXPECT_EQ(validate("gemt"), "in.asm:1: found 'gemt', expected a command of device mmv");
    EXPECT_EQ(validate("loop count=x"), "in.asm:1: found 'x', expected count as an unsigned number of 32 bits");
    EXPECT_EQ(validate("loop count="), "in.asm:1: found '', expected count as an unsigned number of 32 bits");
    EXPECT_EQ(validate("loop cuont=1"), "in.asm:1: found 'cuont=1', expected count=, or token=");
    EXPECT_EQ(validate("loop reserved=0,0,0"), "in.asm:1: found 'reserved=0,0,0', expected count=, or token=");
    EXPECT_EQ(validate("nop 3"), "in.asm:1: found '3', expected token= alone");
    EXPECT_EQ(validate("nop fast"), "in.asm:1: found 'fast', expected token= alone");
    EXPECT_EQ(validate("set size=1,2"), "in.asm:1: found 'size=1,2', expected 3 values");
    EXPECT_EQ(validate("set size=1,2,3,4"), "in.asm:1: found 'size=1,2,3,4', expected 3 values");
    EXPECT_EQ(validate("loop count=1 count=1"), "in.asm:1: found 'count=1', expected count once");
    EXPECT_EQ(validate("add zero_a zero_a"), "in.asm:1: found 'zero_a', expected zero_a once");
    EXPECT_EQ(validate("nop token=4294967296"),
              "in.asm:1: found 'token=4294967296', expected an unsigned number of 32 bits");
    EXPECT_EQ(validate("nop token=1 token=1"), "in.asm:1: found 'token=1', expected token once");
    EXPECT_THAT(validate("load tensor=0:f64:4x"),
                HasSubstr("in.asm:1: found '0:f64:4x', expected tensor as ADDRESS:TYPE"));
    EXPECT_THAT(validate("gemt zero_threshold=inf", triada()), HasSubstr("expected zero_threshold as a real number"));
    EXPECT_THAT(validate("add token"), HasSubstr("found 'token', expected zero_a, broadcast_b, result="));
}

TEST(validate_assembler, of_a_tensor_that_may_stand_at_a_symbol)
{
    EXPECT_THAT(message_of([] { assemble_relocatable("load tensor=0:f64:4x", "in.asm", mmv_device()); }),
                HasSubstr("; ADDRESS may be a symbol with +NUMBER or -NUMBER"));
    EXPECT_THAT(validate("load tensor=0:f64:4x"), testing::Not(HasSubstr("symbol")));
}

// A text of newlines took 17 bytes for each.
TEST(assembler_lines, are_read_one_by_one)
{
    const auto peak_bytes = [] {
        rusage used{};
        getrusage(RUSAGE_SELF, &used);
        return static_cast<std::size_t>(used.ru_maxrss) * 1024;
    };
    const std::string text(32u << 20, '\n');
    const auto before = peak_bytes();
    EXPECT_EQ(assemble(text, "in.asm", mmv_device()), isa::program_builder().bytes());
    EXPECT_EQ(named_device(text, "in.asm"), nullptr);
    EXPECT_LT(peak_bytes() - before, text.size());
}

TEST(validate_assembler, of_programs_longer_than_devices_take)
{
    std::string text;
    for (int i = 0; i < (1 << 20); ++i) { text += "nop\n"; }
    EXPECT_EQ(validate(text), "in.asm: found a program of 16777232 bytes, expected at most 16777216");
    text.resize(text.size() - 4);
    EXPECT_EQ(validate(text), "");
}

// ---- the device that a text is for ----

TEST(assembler, text_may_name_its_device)
{
    EXPECT_EQ(assemble("; first\n\n  .device triada ; second\ngemt\n", "f", triada()), assemble("gemt", "f", triada()));
    for (const auto* device : described_devices()) {
        const std::string text = std::string(".device ") + device->name + "\nnop\n";
        EXPECT_EQ(named_device(text, "f"), device);
        EXPECT_EQ(assemble(text, "f", *device), assemble("nop", "f", *device));
        EXPECT_EQ(named_device(disassemble(assemble(text, "f", *device), "f", *device), "f"), device);
    }
    EXPECT_EQ(named_device("; nothing\n", "f"), nullptr);
    EXPECT_EQ(named_device("nop\n.device mmv\n", "f"), nullptr); // and assemble() refuses it
}

TEST(validate_assembler, of_directives)
{
    EXPECT_EQ(validate("; c\n.device triada\n"), "in.asm:2: found '.device triada', expected device mmv");
    EXPECT_EQ(validate(".device toroid"), "in.asm:1: device: found 'toroid', expected " + described_device_names());
    EXPECT_EQ(validate(".device"), "in.asm:1: found '.device', expected .device with one name");
    EXPECT_EQ(validate(".device mmv fetta"), "in.asm:1: found 'fetta', expected .device with one name");
    EXPECT_EQ(validate(".org 0"), "in.asm:1: found '.org', expected .device");
    EXPECT_EQ(validate("nop\n.device mmv"), "in.asm:2: found '.device mmv', expected .device before everything else");
    EXPECT_EQ(validate(".device mmv\n.device mmv"),
              "in.asm:2: found '.device mmv', expected .device before everything else");
    EXPECT_THROW(named_device(".device toroid", "f"), input_error);
}

// ---- addresses that are not known yet ----

// What is assembled with symbols and then bound, and the same text with numbers.
TEST(assembler, symbols_that_are_bound_are_the_addresses_that_they_stand_for)
{
    const std::string text = "load tensor=x:f64:4x8:-1x4 tensor_step=-64,0 local=buffer-0x40\n"
                             "nop token=3\n"
                             "gemt x=x+0x100:c64:2x3x4 y=_y1:c64:2x3x4 matrix=none,c:c64:3x3,c+72:c64:4x4 "
                             "completion_address=x-8 row_order_address=0,rows,0x30\n";
    auto program = assemble_relocatable(text, "f", triada());
    EXPECT_THROW(assemble(text, "f", triada()), input_error);
    std::string numbers = text;
    for (const auto& [from, to] : std::vector<std::pair<const char*, const char*>>{{"=x:", "=0x180000000:"},
                                                                                   {"buffer-0x40", "0x1fc0"},
                                                                                   {"x+0x100:", "0x180000100:"},
                                                                                   {"_y1:", "0xfffffffffffffff0:"},
                                                                                   {"c:c64:3x3", "64:c64:3x3"},
                                                                                   {"c+72:", "136:"},
                                                                                   {"x-8", "0x17ffffff8"},
                                                                                   {"rows", "0x200"}}) {
        ASSERT_NE(numbers.find(from), std::string::npos) << from;
        numbers.replace(numbers.find(from), std::strlen(from), to);
    }
    const std::vector<std::pair<const char*, std::uint64_t>> addresses{
        {"x", 0x180000000}, {"buffer", 0x2000}, {"_y1", 0xfffffffffffffff0}, {"c", 64}, {"rows", 0x200}};
    for (const std::uint64_t other : {0x5000u, 0u}) { // the second memory map has the last word
        for (const auto& [symbol, address] : addresses) {
            bind_symbol(program.bytes, program.relocations, symbol, other == 0 ? address : other);
        }
    }
    EXPECT_EQ(program.bytes, assemble(numbers, "f", triada()));
    EXPECT_EQ(program.relocations.size(), 8u);
}

TEST(assembler, places_of_symbols_hold_their_addends)
{
    const auto program = assemble_relocatable("nop\nstore tensor=x-5:int8:3 local=7", "f", mmv_device());
    EXPECT_EQ(program.bytes, assemble("nop\nstore tensor=0xfffffffffffffffb:int8:3 local=7", "f", mmv_device()));
    EXPECT_EQ(program.relocations, (relocation_table{{"x", 16 + 16 + 16, -5}}));
}

TEST(validate_assembler, of_symbols)
{
    const auto of = [](const std::string& text) {
        try {
            assemble_relocatable(text, "in.asm", mmv_device());
            return std::string("none");
        } catch (const input_error& e) {
            return std::string(e.what());
        }
    };
    for (const char* tensor :
         {"x+:f64:1", "x-:f64:1", "x+-1:f64:1", "x+y:f64:1", "x+9223372036854775808:f64:1", "x y:f64:1", "2x:f64:1",
          "x.y:f64:1", "x:f64:0", "x:f64", "x", "none:f64:1", "none+1:f64:1", "x:f63:1", ":f64:1"}) {
        EXPECT_THAT(of(std::string("load tensor=") + tensor), HasSubstr("in.asm:1: found ")) << tensor;
    }
    EXPECT_EQ(of("load tensor=x+9223372036854775807:f64:1"), "none");
    EXPECT_EQ(of("load tensor=x-0x7fffffffffffffff:f64:1"), "none");
    EXPECT_EQ(of("load local=none"), "in.asm:1: found 'none', expected local as an unsigned number of 64 bits, or a "
                                     "symbol with +NUMBER or -NUMBER");
    // Addresses of the scratchpad have 32 bits, and numbers are no addresses.
    EXPECT_EQ(of("add a=x"), "in.asm:1: found 'x', expected a as an unsigned number of 32 bits");
    EXPECT_EQ(of("loop count=x"), "in.asm:1: found 'x', expected count as an unsigned number of 32 bits");
    EXPECT_EQ(of("load tensor_step=x,0"), "in.asm:1: found 'x', expected tensor_step as a number of 64 bits");
    EXPECT_EQ(validate("load local=x"), "in.asm:1: found 'x', expected local as an unsigned number of 64 bits");
}

TEST(number_text, integers_fit_their_bits)
{
    EXPECT_EQ(parse_integer("255", 8), 255u);
    EXPECT_EQ(parse_integer("-128", 8), 128u);
    EXPECT_EQ(parse_integer("-1", 64), UINT64_MAX);
    EXPECT_EQ(parse_integer("-0x10", 16), 0xfff0u);
    EXPECT_EQ(parse_integer("0xffffffffffffffff", 64), UINT64_MAX);
    EXPECT_EQ(parse_integer("-9223372036854775808", 64), std::uint64_t{1} << 63);
    for (const char* bad : {"256", "-129", "", "-", "0x", "0xg", "1 ", " 1", "+1", "1.0", "0x100", "--1", "1e3"}) {
        EXPECT_FALSE(parse_integer(bad, 8)) << bad;
    }
    EXPECT_FALSE(parse_integer("18446744073709551616", 64));
    EXPECT_FALSE(parse_integer("-9223372036854775809", 64));
    EXPECT_EQ(parse_unsigned("0xff", 8), 255u);
    EXPECT_FALSE(parse_unsigned("-1", 8));
}

TEST(tensor_text, refuses_what_is_no_tensor)
{
    for (const char* bad :
         {"", "0", "0:f64", "0:f64:", "0:f63:1", "x:f64:1", "0:f64:1x", "0:f64:4294967296", "0:f64:2:1x1", "0:f64:0",
          "0:f64:0x4", "0:f64:-1", "-1:f64:1", "0:f64:2x2:1", "0:f64:1x1x1x1x1x1x1x1x1", "0:f64:1:1:1", "none:f64:1"}) {
        EXPECT_FALSE(parse_tensor(bad)) << bad;
    }
    EXPECT_TRUE(parse_tensor("0:f64:1x1x1x1x1x1x1x1"));
}

TEST(tensor_text, leaves_out_what_text_cannot_say)
{
    const auto fine = dense_descriptor(16, element_type::int64, {2, 3});
    EXPECT_EQ(tensor_text(fine), "0x10:int64:2x3");
    EXPECT_EQ(tensor_text(dense_descriptor(16, element_type::f16, {2, 3})), "0x10:f16:2x3");
    EXPECT_EQ(parse_tensor("0x10:f16:2x3")->type, 9);
    EXPECT_EQ(tensor_text({}), "none");
    auto d = fine;
    d.size[1] = 0;
    EXPECT_FALSE(tensor_text(d));
    d = fine;
    d.type = 10;
    EXPECT_FALSE(tensor_text(d));
    d = fine;
    d.order = 9;
    EXPECT_FALSE(tensor_text(d));
    d = fine;
    d.order = 0;
    EXPECT_FALSE(tensor_text(d));
    d = fine;
    d.size[2] = 1;
    EXPECT_FALSE(tensor_text(d));
    d = fine;
    d.stride[7] = 1;
    EXPECT_FALSE(tensor_text(d));
    d = fine;
    d.reserved = 1;
    EXPECT_FALSE(tensor_text(d));
}

// ---- what is no program ----

class validate_disassembler : public testing::Test {
protected:
    validate_disassembler() { bytes = assemble("nop\nload tensor=0:f64:2 token=1\nadd zero_a", "f", mmv_device()); }

    std::string of(const program_bytes& program) const
    {
        return message_of([&] { disassemble(program, "in.bin", mmv_device()); });
    }
    std::string with(std::size_t at, std::uint8_t value) const
    {
        auto changed = bytes;
        changed[at] = value;
        return of(changed);
    }

    program_bytes bytes;
    const std::size_t load = 32, add = 32 + 176; // where the commands begin
};

TEST_F(validate_disassembler, of_headers)
{
    EXPECT_EQ(of(bytes), "");
    EXPECT_EQ(of({}), "in.bin: found 0 bytes, expected a program");
    EXPECT_EQ(with(0, 'X'), "in.bin: found magic 0x4d504c58, expected 0x4d504c54");
    EXPECT_EQ(with(6, 2), "in.bin: found major version 2, expected 1");
    EXPECT_EQ(with(4, 250), ""); // a newer minor version
    EXPECT_EQ(with(12, 0), "in.bin: found 304 bytes, expected 256 as its header says");
    EXPECT_EQ(with(8, 2), "in.bin: found 96 bytes after the last command, expected none");
    EXPECT_EQ(with(8, 4), "in.bin: command 3: found the end of the program");
}

TEST_F(validate_disassembler, of_commands)
{
    EXPECT_EQ(with(load, 0x1f), "in.bin: command 1: found opcode 0x1f, expected one of device mmv");
    EXPECT_EQ(with(load + 1, 1), "in.bin: command 1: found reserved bytes that are not 0");
    EXPECT_EQ(with(load + 12, 1), "in.bin: command 1: found reserved bytes that are not 0");
    EXPECT_EQ(with(load + 2, 1), "in.bin: command 1: found unknown flags 0x1");
    EXPECT_EQ(with(add + 2, 7), "in.bin: command 2: found unknown flags 0x4");
    EXPECT_EQ(with(load + 4, 160), "in.bin: command 1: found 160 bytes, expected 176");
    EXPECT_EQ(with(add + 4, 112), "in.bin: command 2: found 96 bytes, expected 96"); // beyond the program
    EXPECT_THAT(with(load + 16 + 8, 77), HasSubstr("command 1: field tensor: found bytes without a text form"));
    EXPECT_THAT(with(load + 16 + 159, 1), HasSubstr("command 1: field reserved: found bytes without a text form"));
}

// ---- the page ----

TEST(assembler_page, example_is_a_program_that_the_device_takes)
{
    std::ifstream page(TENSORLOOM_DOCS "/assembler.md");
    std::string text;
    for (std::string line; std::getline(page, line);) {
        if (!text.empty() && line.rfind("    ", 0) != 0) { break; }
        if (!text.empty() || line.rfind("    ;", 0) == 0) { text += line + "\n"; }
    }
    const auto bytes = assemble(text, "assembler.md", mmv_device());
    ASSERT_EQ(program_header::decode(bytes.data()).commands, 6u);
    const auto* matmul = bytes.data() + 16 + 2 * 176 + 32;
    ASSERT_EQ(command_header::decode(matmul).opcode, 0x20);
    const auto command = mmv::matmul_command::decode(matmul + 16);
    for (const std::uint32_t i : {0u, 999u}) {
        const auto r = check(command.at({i, 0}), 0, {16, element_type::int64, 1u << 20, vector::all_functional_blocks});
        EXPECT_FALSE(r) << r->text;
    }
}

} // namespace
} // namespace tensorloom::test
