// The common commands, tokens and the count of commands done.
#include <gtest/gtest.h>
#include "models/shell/shell_run_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;
using isa::opcode;
using isa::program_builder;

class shell_command_test : public shell_run_test {
protected:
    using shell_run_test::run;
    // Runs a program of the builder's on a bench of its own; then `after`.
    void run(const program_builder& program, const shell_bench::program_type& after)
    {
        run([&](shell_bench& b) {
            b.run(program.bytes());
            after(b);
        });
    }
};

TEST_F(shell_command_test, empty_program_is_done_at_once)
{
    run(program_builder(), [](shell_bench& b) {
        EXPECT_EQ(b.read(reg::status), isa::status_done);
        EXPECT_EQ(b.read(reg::commands_done), 0u);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), 4u);
    });
}

TEST_F(shell_command_test, nop_takes_no_cycle)
{
    program_builder p;
    p.add(opcode::nop).add(opcode::nop);
    run(p, [&](shell_bench& b) {
        EXPECT_EQ(b.read(reg::status), isa::status_done);
        EXPECT_EQ(b.read(reg::commands_done), 2u);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(p.bytes()));
    });
}

TEST_F(shell_command_test, token_is_that_of_the_last_command)
{
    program_builder p;
    p.add(opcode::nop, 0, 5).add(toil_device::toil, 0, 0xfffffffe, toil_device::payload(4));
    run(p, [](shell_bench& b) {
        EXPECT_EQ(b.read(reg::commands_done), 2u);
        EXPECT_EQ(b.read(reg::token), 0xfffffffeu);
    });
}

TEST_F(shell_command_test, halt_ends_the_program_and_is_done_itself)
{
    program_builder p;
    p.add(opcode::nop, 0, 1).add(opcode::halt, 0, 2).add(toil_device::toil, 0, 3, toil_device::payload(1000));
    run(p, [&](shell_bench& b) {
        EXPECT_EQ(b.read(reg::status), isa::status_done);
        EXPECT_EQ(b.read(reg::commands_done), 2u);
        EXPECT_EQ(b.read(reg::token), 2u);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(p.bytes()));
    });
}

TEST_F(shell_command_test, irq_command_sets_its_bit_and_the_program_goes_on)
{
    program_builder p;
    p.add(opcode::irq).add(opcode::nop);
    run(p, [](shell_bench& b) {
        EXPECT_EQ(b.read(reg::irq_status), isa::irq_command | isa::irq_done);
        EXPECT_EQ(b.read(reg::commands_done), 2u);
    });
}

TEST_F(shell_command_test, irq_command_shows_while_the_program_runs)
{
    program_builder p;
    p.add(opcode::irq, 0, 9).add(toil_device::toil, 0, 10, toil_device::payload(500));
    run([&](shell_bench& b) {
        b.write(reg::irq_enable, isa::irq_command);
        b.start(p.bytes());
        sc_core::wait(b.irq.posedge_event());
        EXPECT_EQ(b.read(reg::status), isa::status_busy);
        EXPECT_EQ(b.read(reg::commands_done), 1u);
        EXPECT_EQ(b.read(reg::token), 9u);
        EXPECT_TRUE(b.poll_end());
    });
}

TEST_F(shell_command_test, commands_run_one_after_the_other)
{
    program_builder p;
    for (std::uint32_t i = 0; i < 3; ++i) { p.add(toil_device::toil, 0, i, toil_device::payload(10 * (i + 1))); }
    run(p, [&](shell_bench& b) {
        const std::uint64_t f = fetch_cycles(p.bytes());
        ASSERT_EQ(b.kept.records.size(), 4u);
        EXPECT_EQ(b.kept.records[1], (kept_record{"compute", "toil", 0, f, 10, {10, 0}}));
        EXPECT_EQ(b.kept.records[2], (kept_record{"compute", "toil", 1, f + 10, 20, {20, 0}}));
        EXPECT_EQ(b.kept.records[3], (kept_record{"compute", "toil", 2, f + 30, 30, {30, 0}}));
    });
}

TEST_F(shell_command_test, bus_error_of_a_command_gives_index_and_address)
{
    program_builder p;
    p.add(opcode::nop, 0, 1);
    p.add(toil_device::toil, 0, 2,
          toil_device::payload(5, 64, shell_bench::memory_at + shell_bench::memory_bytes - 32));
    run(p, [](shell_bench& b) {
        EXPECT_EQ(b.read(reg::status), isa::status_error);
        EXPECT_EQ(b.error(), isa::error_code::bus_error);
        EXPECT_EQ(b.read(reg::error_command), 1u);
        EXPECT_EQ(b.read_pair(reg::error_addr_lo), shell_bench::memory_at + shell_bench::memory_bytes);
        EXPECT_EQ(b.read(reg::commands_done), 1u);
        EXPECT_EQ(b.read(reg::token), 1u);
        EXPECT_EQ(b.read(reg::irq_status), isa::irq_error);
    });
}

} // namespace
} // namespace tensorloom::test
