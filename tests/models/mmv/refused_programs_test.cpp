// Programs that a device refuses, with the index of the command: when it is loaded, or when an address in a loop leads
// astray.
#include <functional>
#include <ostream>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/models/arch/values/byte_layout.h>
#include "models/mmv/mmv_bench.h"
#include "models/mmv/mmv_program.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arch::error_code;
using arch::vector::opcode;

mmv::config device()
{
    mmv::config c;
    c.side = 4;
    c.format = arch::element_type::f64;
    c.scratchpad_bytes = 4096;
    c.blocks = static_cast<std::uint8_t>(arch::vector::all_functional_blocks &
                                         ~arch::vector::block_bit(arch::vector::functional_block::revert));
    return c;
}

struct refused {
    const char* name;
    std::function<void(mmv_program&)> program;
    error_code code;
    std::uint32_t command;
    bool runs = false; ///< commands before it do
};
void PrintTo(const refused& r, std::ostream* out) { *out << r.name; }

arch::vector::vector_command stepped(std::int32_t bytes)
{
    auto v = mmv_program::vector_command(0x800, 0x800, 0x800, 1);
    v.result.step = {bytes, 0};
    return v;
}

const refused cases[] = {
    {"side_exceeded",
     [](mmv_program& p) {
         auto m = p.matmul_command(0, 512, 1024, 16);
         m.left_columns = 5;
         p.charge(5).add(m);
     },
     error_code::bad_field, 1},
    {"result_on_weights", [](mmv_program& p) { p.matmul(1024, 512, 1024, 16); }, error_code::bad_field, 0},
    {"misaligned", [](mmv_program& p) { p.charge(1).charge(1).vector(opcode::add, 4, 8, 8, 1); }, error_code::bad_field,
     2},
    {"outside_of_the_scratchpad", [](mmv_program& p) { p.vector(opcode::add, 4088, 0, 0, 2); }, error_code::too_large,
     0},
    {"not_of_this_format",
     [](mmv_program& p) {
         auto v = mmv_program::vector_command(0, 0, 0, 1);
         p.charge(1).add(opcode::bit, v);
     },
     error_code::unsupported_format, 1},
    {"without_the_functional_block",
     [](mmv_program& p) {
         auto v = mmv_program::vector_command(0, 0, 0, 1);
         v.table = 1;
         p.add(opcode::revert, v);
     },
     error_code::unsupported_opcode, 0},
    {"unknown_flag",
     [](mmv_program& p) {
         auto v = mmv_program::vector_command(0, 0, 0, 1);
         v.flags = 4;
         p.add(opcode::add, v);
     },
     error_code::bad_command, 0},
    {"field_that_is_not_used",
     [](mmv_program& p) {
         auto v = mmv_program::vector_command(0, 0, 0, 1);
         v.bits = 1;
         p.add(opcode::add, v);
     },
     error_code::bad_field, 0},
    {"load_to_nowhere", [](mmv_program& p) { p.charge(1).load(mmv_bench::data_at, 4096 - 8, 2); },
     error_code::too_large, 1},
    {"loop_without_end", [](mmv_program& p) { p.charge(1).loop(2).charge(1); }, error_code::bad_command, 1},
    {"third_iteration_outside", [](mmv_program& p) { p.loop(4).add(opcode::add, stepped(0x3f8 * 2)).end(); },
     error_code::too_large, 1, true},
    {"second_iteration_misplaced",
     [](mmv_program& p) {
         auto v = stepped(8); // onto the second word of an operand of two
         v.length = 2;
         p.loop(2).add(opcode::add, v).end();
     },
     error_code::bad_field, 1, true},
};

class refused_programs : public sim_test_with_param<refused> {};

TEST_P(refused_programs, end_with_the_error_and_the_index_of_the_command)
{
    const auto& r = GetParam();
    mmv_outcome outcome, next;
    mmv_bench bench("bench", device(), [&](mmv_bench& b) {
        mmv_program p(mmv::limits_of(device()));
        r.program(p);
        outcome = b.run(p.bytes());
        next = b.run(mmv_program(mmv::limits_of(device())).charge(3).bytes());
    });
    sc_core::sc_start();
    ASSERT_TRUE(bench.finished());
    EXPECT_FALSE(outcome.result.done);
    EXPECT_STREQ(arch::error_text(outcome.result.error), arch::error_text(r.code));
    EXPECT_EQ(outcome.result.error_command, r.command);
    const std::uint64_t scheduled =
        outcome.cycles_of("vector") + outcome.cycles_of("scalar") + outcome.cycles_of("compute");
    EXPECT_EQ(scheduled > 0, r.runs);
    EXPECT_TRUE(next.result.done); // and the device goes on
    EXPECT_EQ(next.cycles_of("scalar"), 3u);
}

INSTANTIATE_TEST_SUITE_P(cases, refused_programs, ::testing::ValuesIn(cases),
                         [](const auto& of) { return std::string(of.param.name); });

class malformed_commands : public sim_test {
protected:
    // The error of a program of one command of 16 bytes more than its header.
    static std::pair<error_code, std::uint32_t> error_of(std::uint8_t code)
    {
        arch::program_builder builder;
        builder.add(arch::opcode::nop).add(static_cast<arch::opcode>(code), 0, 0, std::vector<std::uint8_t>(16));
        mmv_outcome outcome;
        mmv_bench bench("bench", device(), [&](mmv_bench& b) { outcome = b.run(builder.bytes()); });
        sc_core::sc_start();
        EXPECT_TRUE(bench.finished());
        return {outcome.result.error, outcome.result.error_command};
    }
};

TEST_F(malformed_commands, opcode_between_those_of_the_units_is_unknown)
{
    EXPECT_EQ(error_of(0x21), std::make_pair(error_code::unknown_opcode, 1u));
}
TEST_F(malformed_commands, payload_of_another_length_is_a_bad_command)
{
    EXPECT_EQ(error_of(static_cast<std::uint8_t>(opcode::add)), std::make_pair(error_code::bad_command, 1u));
}

} // namespace
