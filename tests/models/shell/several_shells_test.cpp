// Devices share nothing.
#include <gtest/gtest.h>
#include "models/shell/shell_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;

class several_shells_test : public sim_test {};

TEST_F(several_shells_test, work_side_by_side_with_their_own_clocks_and_registers)
{
    auto other = shell_bench::settings();
    other.caps_size[0] = 0x12345678;
    other.clock_period = ns(3);
    const auto program = toil_program(100, 32);
    shell_bench first("first", [&](shell_bench& b) {
        b.run(program);
        EXPECT_EQ(b.read(reg::caps_size_0), 11u);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(program) + 8 + 100);
    });
    shell_bench second(
        "second",
        [&](shell_bench& b) {
            b.write(reg::irq_enable, 1);
            b.run(toil_program(7));
            EXPECT_EQ(b.read(reg::caps_size_0), 0x12345678u);
            EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(program) + 7);
        },
        other);
    sc_core::sc_start();
    EXPECT_TRUE(first.finished() && second.finished());
    EXPECT_EQ(first.kept.finished_at.size(), 1u);
    EXPECT_FALSE(first.irq.read());
    EXPECT_TRUE(second.irq.read());
}

TEST_F(several_shells_test, abort_of_one_leaves_the_other_alone)
{
    const auto program = toil_program(100);
    shell_bench first("first", [&](shell_bench& b) {
        b.start(program);
        sc_core::wait(ns(50));
        b.write(reg::ctrl, isa::ctrl_abort);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.error(), isa::error_code::aborted);
    });
    shell_bench second("second", [&](shell_bench& b) {
        b.run(program);
        EXPECT_EQ(b.read(reg::status), isa::status_done);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(program) + 100);
    });
    sc_core::sc_start();
    EXPECT_TRUE(first.finished() && second.finished());
}

} // namespace
} // namespace tensorloom::test
