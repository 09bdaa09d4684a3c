// Programs that a device refuses, with the index of the command: when it is loaded, or when an address in a loop leads
// astray.
#include <functional>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/byte_layout.h>
#include "models/mmv/mmv_bench.h"
#include "models/mmv/mmv_program.h"
#include "models/random_programs.h"
#include "models/refused_programs.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using isa::error_code;
using isa::vector::opcode;

mmv::config small_f64_device()
{
    mmv::config c;
    c.side = 4;
    c.format = base::element_type::f64;
    c.scratchpad_bytes = 4096;
    c.blocks = static_cast<std::uint8_t>(isa::vector::all_functional_blocks &
                                         ~isa::vector::block_bit(isa::vector::functional_block::revert));
    return c;
}

isa::vector::vector_command stepped(std::int32_t bytes)
{
    auto v = mmv_program::vector_command(0x800, 0x800, 0x800, 1);
    v.result.step = {bytes, 0};
    return v;
}

// One word at 0 from one at 0, but for a change.
std::function<void(mmv_program&)> changed(opcode code, const std::function<void(isa::vector::vector_command&)>& change)
{
    return [code, change](mmv_program& p) {
        auto v = mmv_program::vector_command(0, 0, 0, 1);
        change(v);
        p.add(code, v);
    };
}

// A NOP, and a command of 16 bytes more than its header.
std::function<void(mmv_program&)> of_16_bytes(std::uint8_t code)
{
    return [code](mmv_program& p) {
        p.add(isa::opcode::nop, program_bytes()).add(static_cast<isa::opcode>(code), program_bytes(16));
    };
}

const refused_program<mmv_program> cases[] = {
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
     [](mmv_program& p) { p.charge(1).add(opcode::bit, mmv_program::vector_command(0, 0, 0, 1)); },
     error_code::unsupported_format, 1},
    {"without_the_functional_block", changed(opcode::revert, [](auto& v) { v.table = 1; }),
     error_code::unsupported_opcode, 0},
    {"unknown_flag", changed(opcode::add, [](auto& v) { v.flags = 4; }), error_code::bad_command, 0},
    {"field_that_is_not_used", changed(opcode::add, [](auto& v) { v.bits = 1; }), error_code::bad_field, 0},
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
    {"opcode_between_those_of_the_units", of_16_bytes(0x22), error_code::unknown_opcode, 1},
    {"payload_of_another_length", of_16_bytes(static_cast<std::uint8_t>(opcode::add)), error_code::bad_command, 1},
};

class refused_programs : public sim_test_with_param<refused_program<mmv_program>> {};

TEST_P(refused_programs, end_with_the_error_and_the_index_of_the_command)
{
    const mmv_program empty(mmv::limits_of(small_f64_device()));
    const auto [outcome, next] =
        run_refused<mmv_bench>(small_f64_device(), GetParam(), empty, mmv_program(empty).charge(3));
    const std::uint64_t scheduled =
        outcome.cycles_of("vector") + outcome.cycles_of("scalar") + outcome.cycles_of("compute");
    EXPECT_EQ(scheduled > 0, GetParam().runs);
    EXPECT_EQ(next.cycles_of("scalar"), 3u);
}

INSTANTIATE_TEST_SUITE_P(cases, refused_programs, ::testing::ValuesIn(cases),
                         [](const auto& of) { return std::string(of.param.name); });

} // namespace
