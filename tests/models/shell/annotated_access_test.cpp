// What an access does, it does at its annotated time; and a device held in reset cannot be written.
#include "models/shell/shell_run_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;

class annotated_access_test : public shell_run_test {};

TEST_F(annotated_access_test, abort_annotated_behind_the_end_comes_too_late)
{
    run([](shell_bench& b) {
        b.start(toil_program(100));
        b.post(reg::ctrl, isa::ctrl_abort, ns(100000));
        ASSERT_TRUE(b.poll_end());
        EXPECT_EQ(b.read(reg::status), isa::status_done);
    });
}

TEST_F(annotated_access_test, abort_acts_at_its_annotated_time)
{
    run([](shell_bench& b) {
        const auto program = toil_program(1000);
        b.start(program);
        b.post(reg::ctrl, isa::ctrl_abort, ns(2.0 * static_cast<double>(fetch_cycles(program) + 500)));
        ASSERT_TRUE(b.poll_end());
        EXPECT_EQ(b.read(reg::status), isa::status_error | isa::status_aborted);
        EXPECT_GE(b.read_pair(reg::cycles_lo), fetch_cycles(program) + 490);
        EXPECT_LE(b.read_pair(reg::cycles_lo), fetch_cycles(program) + 510);
    });
}

TEST_F(annotated_access_test, cycles_are_those_of_the_annotated_time)
{
    run([](shell_bench& b) {
        b.start(toil_program(1000));
        auto p = reading(reg::cycles_lo, 4);
        sc_core::sc_time delay = ns(200);
        b.cpu.out->b_transport(p, delay);
        EXPECT_GE(base::load_le<std::uint32_t>(p.data.data()), 100u);
        ASSERT_TRUE(b.poll_end());
    });
}

TEST_F(annotated_access_test, the_log_has_the_annotated_time_of_the_start)
{
    run([](shell_bench& b) {
        sc_core::wait(ns(1000));
        b.place(toil_program(10));
        b.point_at(shell_bench::memory_at);
        const double now_ns = sc_core::sc_time_stamp().to_seconds() * 1e9;
        b.post(reg::ctrl, isa::ctrl_start, ns(77));
        ASSERT_TRUE(b.poll_end());
        EXPECT_EQ(b.kept.started_at_ps, static_cast<std::uint64_t>(now_ns + 0.5) * 1000 + 77000);
    });
}

TEST_F(annotated_access_test, writes_have_no_effect_while_reset_is_high)
{
    run([](shell_bench& b) {
        b.rst.write(true);
        sc_core::wait(ns(10));
        b.write(reg::irq_enable, 3);
        b.write(reg::ctrl, isa::ctrl_start);
        b.rst.write(false);
        sc_core::wait(ns(10));
        EXPECT_EQ(b.read(reg::irq_enable), 0u);
        EXPECT_EQ(b.read(reg::status), 0u);
    });
}

} // namespace
} // namespace tensorloom::test
