// Programs that a device refuses, with the index of the command: when it is loaded, or when a base in a loop leads
// astray. The device works on.
#include <functional>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include "models/fetta/fetta_bench.h"
#include "models/fetta/fetta_program.h"
#include "models/refused_programs.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using fetta::contract_command;
using fetta::mapping;
using isa::error_code;

fetta::device_limits sizes()
{
    fetta::device_limits g;
    g.bank_bytes = 4096;
    return g;
}

// A CONTRACT that is fine but for a change, behind one that is.
std::function<void(fetta_program&)> changed(const std::function<void(contract_command&)>& change)
{
    return [change](fetta_program& p) {
        auto c = fetta_program::banked(sizes(), mapping::is_h);
        p.contract(c);
        change(c);
        p.contract(c);
    };
}

const refused_program<fetta_program> cases[] = {
    {"opcode_of_nobody", [](fetta_program& p) { p.add(static_cast<isa::opcode>(0x21), {}); },
     error_code::unknown_opcode, 0},
    {"charge_of_a_scalar_unit", [](fetta_program& p) { p.add(static_cast<isa::opcode>(0x60), {}); },
     error_code::unknown_opcode, 0},
    {"too_short",
     [](fetta_program& p) {
         p.add(static_cast<isa::opcode>(0x20), {1, 2, 3});
     },
     error_code::bad_command, 0},
    {"mapping_of_nobody", changed([](contract_command& c) { c.mapping = 6; }), error_code::bad_field, 1},
    {"masks_that_overlap", changed([](contract_command& c) { c.mask_ia = 1; }), error_code::bad_field, 1},
    {"bank_out_of_range", changed([](contract_command& c) { c.ib.bank = 16; }), error_code::bad_field, 1},
    {"unknown_flag", changed([](contract_command& c) { c.flags = 0x8000; }), error_code::bad_command, 1},
    {"result_on_an_operand", changed([](contract_command& c) { c.result.base = 0; }), error_code::bad_field, 1},
    {"outside_of_the_memory", changed([](contract_command& c) { c.ia.base = 511; }), error_code::too_large, 1},
    {"more_elements_than_the_memory", changed([](contract_command& c) {
         c.ia.stride = {};
         c.ia_free = 1u << 20;
     }),
     error_code::too_large, 1},
    {"too_many_sums_to_keep", changed([](contract_command& c) {
         c.flags = contract_command::flag_keep;
         c.result.base = 0;
         c.accumulator_row = 510;
     }),
     error_code::bad_field, 1},
    {"vector_block_of_an_mmv",
     [](fetta_program& p) {
         p.vector(isa::vector::opcode::add, 0, 8, 16, 4).vector(isa::vector::opcode::revspec, 0, 8, 16, 4);
     },
     error_code::unknown_opcode, 1},
    {"loop_of_no_iterations", [](fetta_program& p) { p.loop(0).end(); }, error_code::bad_field, 0},
    {"loop_without_end", [](fetta_program& p) { p.loop(2); }, error_code::bad_command, 0},
    {"loops_nested_too_deep",
     [](fetta_program& p) { p.loop(2).loop(2).loop(2).loop(2).loop(2).end().end().end().end().end(); },
     error_code::bad_command, 4},
    {"wait_for_nothing",
     [](fetta_program& p) {
         p.vector(isa::vector::opcode::add, 0, 8, 16, 4).add(isa::opcode::wait, isa::signal_command{3}.encode());
     },
     error_code::never_signalled, 1},
    {"across_both_windows",
     [](fetta_program& p) {
         isa::transfer_command t;
         t.tensor = isa::dense_descriptor(fetta_bench::data_at, base::element_type::f32, {4});
         t.local = sizes().memory_bytes() - 8;
         p.add(isa::opcode::load, t.encode());
     },
     error_code::too_large, 0},
    {"base_that_leaves_the_memory",
     [](fetta_program& p) {
         auto c = fetta_program::banked(sizes(), mapping::os_2);
         c.ia.step = {400, 0};
         p.loop(3).contract(c).end();
     },
     error_code::too_large, 1, true},
    {"base_that_comes_to_the_result",
     [](fetta_program& p) {
         auto c = fetta_program::banked(sizes(), mapping::os_2);
         c.ia.step = {128, 0};
         p.loop(3).contract(c).end();
     },
     error_code::bad_field, 1, true},
};

class refused_programs : public sim_test_with_param<refused_program<fetta_program>> {};

TEST_P(refused_programs, end_with_the_command_and_the_device_works_on)
{
    fetta::config config;
    config.limits = sizes();
    const fetta_program empty(sizes());
    const auto [outcome, next] = run_refused<fetta_bench>(
        config, GetParam(), empty, fetta_program(empty).contract(fetta_program::banked(sizes(), mapping::ws_h)));
    EXPECT_EQ(outcome.counts[fetta::event::contract] != 0, GetParam().runs);
    EXPECT_EQ(next.counts[fetta::event::contract], 1u);
}

INSTANTIATE_TEST_SUITE_P(cases, refused_programs, ::testing::ValuesIn(cases),
                         [](const auto& c) { return std::string(c.param.name); });

class refused_times : public sim_test {};

// Operands that the memory has room for, and 2^12 x 2^12 x 2^12 multiply-adds in 4 engines of 2 x 2: 2^32 steps, and
// the fill.
TEST_F(refused_times, more_than_2_to_the_32_cycles)
{
    fetta::config config;
    config.limits = sizes();
    config.limits.engines = 4;
    config.limits.side = 2;
    config.limits.bank_bytes = 1u << 25; // 128 MiB: two matrices of bf16, one of float32
    fetta_bench bench("bench", config, [&](fetta_bench& b) {
        const auto& g = config.limits;
        const std::uint32_t matrix = 1u << 24;
        const auto outcome = b.run(fetta_program(g)
                                       .contract(fetta_program::banked(g, mapping::is_h))
                                       .contract(fetta_program::product(g, matrix, 0, matrix, 4096, 4096, 4096))
                                       .bytes());
        EXPECT_STREQ(isa::error_text(outcome.result.error), isa::error_text(error_code::too_large));
        EXPECT_EQ(outcome.result.error_command, 1u);
        EXPECT_EQ(outcome.counts[fetta::event::contract], 0u);
        // Nothing else is wrong with it: a row less, and it is accepted.
        EXPECT_FALSE(fetta::check(fetta_program::product(g, matrix, 0, matrix, 4095, 4096, 4096), g));
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished());
}

class refused_headers : public sim_test {};

TEST_F(refused_headers, of_another_version_or_magic)
{
    fetta::config config;
    config.limits = sizes();
    fetta_bench bench("bench", config, [&](fetta_bench& b) {
        for (const std::uint32_t offset :
             {isa::program_fields::version.offset + 2, isa::program_fields::magic.offset}) {
            auto program = fetta_program(sizes()).contract(fetta_program::banked(sizes(), mapping::ws_h)).bytes();
            program[offset] ^= 0x40;
            EXPECT_EQ(b.run(program).result.error, error_code::bad_program);
        }
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished());
}

} // namespace
