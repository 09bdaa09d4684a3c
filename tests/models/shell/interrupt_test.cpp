// The interrupt: a level, by status and enable.
#include <gtest/gtest.h>
#include "models/shell/shell_run_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;

class shell_interrupt_test : public shell_run_test {
protected:
    static std::vector<std::uint8_t> bad_program()
    {
        auto p = toil_program(1);
        p[0] ^= 1;
        return p;
    }
};

TEST_F(shell_interrupt_test, is_low_at_first)
{
    run([](shell_bench& b) {
        EXPECT_FALSE(b.irq.read());
        sc_core::wait(ns(10));
        EXPECT_FALSE(b.irq.read());
    });
}

TEST_F(shell_interrupt_test, rises_with_done_and_stays)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, isa::irq_done);
        b.run(toil_program(5));
        sc_core::wait(ns(1000));
        EXPECT_TRUE(b.irq.read());
        EXPECT_EQ(b.read(reg::irq_status), isa::irq_done);
    });
}

TEST_F(shell_interrupt_test, status_says_done_when_it_rises)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, isa::irq_done);
        b.start(toil_program(5));
        sc_core::wait(b.irq.posedge_event());
        EXPECT_EQ(b.read(reg::status), isa::status_done);
        EXPECT_EQ(b.read(reg::commands_done), 1u);
    });
}

TEST_F(shell_interrupt_test, errors_have_a_bit_of_their_own)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, isa::irq_error);
        b.run(bad_program());
        sc_core::wait(sc_core::SC_ZERO_TIME);
        EXPECT_TRUE(b.irq.read());
        EXPECT_EQ(b.read(reg::irq_status), isa::irq_error);
    });
}

TEST_F(shell_interrupt_test, stays_low_for_bits_that_are_not_enabled)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, isa::irq_error | isa::irq_command);
        b.run(toil_program(5));
        sc_core::wait(ns(100));
        EXPECT_FALSE(b.irq.read());
        EXPECT_EQ(b.read(reg::irq_status), isa::irq_done);
    });
}

TEST_F(shell_interrupt_test, rises_when_a_waiting_bit_is_enabled)
{
    run([](shell_bench& b) {
        b.run(toil_program(5));
        EXPECT_FALSE(b.irq.read());
        b.write(reg::irq_enable, isa::irq_done);
        EXPECT_TRUE(b.irq.read());
        b.write(reg::irq_enable, 0);
        EXPECT_FALSE(b.irq.read());
        EXPECT_EQ(b.read(reg::irq_status), isa::irq_done);
    });
}

TEST_F(shell_interrupt_test, falls_when_its_bit_is_cleared_by_a_one)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, 7);
        b.run(toil_program(5));
        b.write(reg::irq_status, isa::irq_error | isa::irq_command);
        EXPECT_TRUE(b.irq.read());
        b.write(reg::irq_status, 0);
        EXPECT_TRUE(b.irq.read());
        b.write(reg::irq_status, isa::irq_done);
        EXPECT_FALSE(b.irq.read());
        EXPECT_EQ(b.read(reg::irq_status), 0u);
    });
}

TEST_F(shell_interrupt_test, stays_high_until_the_last_bit_is_cleared)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, 7);
        isa::program_builder p;
        p.add(isa::opcode::irq);
        b.run(p.bytes());
        b.write(reg::irq_status, isa::irq_done);
        EXPECT_TRUE(b.irq.read());
        b.write(reg::irq_status, isa::irq_command);
        EXPECT_FALSE(b.irq.read());
    });
}

TEST_F(shell_interrupt_test, bits_of_two_programs_gather)
{
    run([](shell_bench& b) {
        b.run(toil_program(5));
        b.run(bad_program());
        EXPECT_EQ(b.read(reg::irq_status), isa::irq_done | isa::irq_error);
    });
}

TEST_F(shell_interrupt_test, rises_again_for_the_next_program)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, isa::irq_done);
        for (int i = 0; i < 3; ++i) {
            b.start(toil_program(50));
            EXPECT_FALSE(b.irq.read());
            sc_core::wait(b.irq.posedge_event());
            b.write(reg::irq_status, isa::irq_done);
        }
    });
}

TEST_F(shell_interrupt_test, level_follows_the_register_when_a_clear_meets_a_completion)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, 7);
        b.run(toil_program(50));
        const auto program = toil_program(50);
        b.post(reg::ctrl, isa::ctrl_start);
        // At the very time of the second completion, the first one is cleared: by processes in either order.
        sc_core::wait(ns(2.0 * static_cast<double>(fetch_cycles(program) + 50)));
        b.post(reg::irq_status, isa::irq_done);
        sc_core::wait(ns(10));
        EXPECT_EQ(b.read(reg::status), isa::status_done);
        EXPECT_EQ(b.irq.read(), b.read(reg::irq_status) != 0); // the level follows the register, whoever came first
    });
}

TEST_F(shell_interrupt_test, falls_with_a_reset)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, 7);
        b.run(toil_program(5));
        sc_core::wait(ns(2));
        EXPECT_TRUE(b.irq.read());
        b.write(reg::ctrl, isa::ctrl_reset);
        EXPECT_FALSE(b.irq.read());
        EXPECT_EQ(b.read(reg::irq_status), 0u);
    });
}

} // namespace
} // namespace tensorloom::test
