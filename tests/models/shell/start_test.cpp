// When a program starts and how long it takes.
#include <gmock/gmock.h>
#include "models/shell/shell_run_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;
using testing::ElementsAre;

class shell_start_test : public shell_run_test {};

TEST_F(shell_start_test, polling_sees_busy_and_then_done)
{
    run([](shell_bench& b) {
        b.start(toil_program(100));
        EXPECT_EQ(b.read(reg::status), isa::status_busy);
        EXPECT_TRUE(b.device.busy());
        ASSERT_TRUE(b.poll_end());
        EXPECT_EQ(b.read(reg::status), isa::status_done);
        EXPECT_FALSE(b.device.busy());
    });
}

TEST_F(shell_start_test, cycles_are_those_of_fetch_and_command)
{
    run([](shell_bench& b) {
        const auto program = toil_program(100);
        b.run(program);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(program) + 100);
        EXPECT_THAT(b.kept.finished_at, ElementsAre(fetch_cycles(program) + 100));
    });
}

TEST_F(shell_start_test, done_comes_at_the_time_that_the_cycles_say)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, isa::irq_done);
        const auto program = toil_program(100);
        b.place(program);
        b.point_at(shell_bench::memory_at);
        const auto begin = sc_core::sc_time_stamp();
        b.write(reg::ctrl, isa::ctrl_start);
        sc_core::wait(b.irq.posedge_event());
        EXPECT_EQ(sc_core::sc_time_stamp() - begin, ns(2.0 * (static_cast<double>(fetch_cycles(program)) + 100)));
    });
}

TEST_F(shell_start_test, start_counts_from_its_annotated_time)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, isa::irq_done);
        const auto program = toil_program(100);
        b.place(program);
        b.point_at(shell_bench::memory_at);
        const auto begin = sc_core::sc_time_stamp();
        b.write(reg::ctrl, isa::ctrl_start, ns(333));
        sc_core::wait(b.irq.posedge_event());
        EXPECT_EQ(sc_core::sc_time_stamp() - begin, ns(333 + 2.0 * (static_cast<double>(fetch_cycles(program)) + 100)));
        EXPECT_EQ(b.memory.log.at(0).time - begin, ns(333));
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(program) + 100);
    });
}

TEST_F(shell_start_test, start_in_the_future_is_busy_at_once_with_no_cycles)
{
    run([](shell_bench& b) {
        b.place(toil_program(100));
        b.point_at(shell_bench::memory_at);
        b.write(reg::ctrl, isa::ctrl_start, ns(333));
        EXPECT_EQ(b.read(reg::status), isa::status_busy);
        EXPECT_EQ(b.read(reg::cycles_lo), 0u);
        EXPECT_TRUE(b.poll_end());
    });
}

TEST_F(shell_start_test, program_address_is_taken_with_the_start)
{
    // A decoupled host runs ahead: it writes the next address before the device gets to fetch.
    run([](shell_bench& b) {
        b.place(toil_program(100));
        b.point_at(shell_bench::memory_at);
        b.write(reg::ctrl, isa::ctrl_start, ns(333));
        b.point_at(shell_bench::memory_at + 0x4000);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.memory.log.at(0).address, shell_bench::memory_at);
        EXPECT_EQ(b.read(reg::token), 77u);
    });
}

TEST_F(shell_start_test, start_while_busy_is_ignored)
{
    run([](shell_bench& b) {
        const auto program = toil_program(100);
        b.start(program);
        for (int i = 0; i < 20; ++i) {
            sc_core::wait(ns(3));
            b.write(reg::ctrl, isa::ctrl_start);
        }
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(program) + 100);
        sc_core::wait(ns(10000));
        EXPECT_EQ(b.kept.started_programs, 1u);
    });
}

TEST_F(shell_start_test, second_program_starts_from_clean_results)
{
    run([](shell_bench& b) {
        auto bad = toil_program(5);
        bad[0] ^= 1;
        b.run(bad);
        EXPECT_EQ(b.error(), isa::error_code::bad_program);
        b.start(toil_program(200));
        EXPECT_EQ(b.read(reg::status), isa::status_busy);
        EXPECT_EQ(b.error(), isa::error_code::none);
        EXPECT_EQ(b.read(reg::commands_done), 0u);
        EXPECT_EQ(b.read(reg::token), 0u);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.read(reg::status), isa::status_done);
        EXPECT_EQ(b.read(reg::token), 77u);
    });
}

TEST_F(shell_start_test, start_in_the_very_moment_of_the_interrupt_works)
{
    run([](shell_bench& b) {
        b.write(reg::irq_enable, isa::irq_done);
        b.start(toil_program(50));
        for (int i = 0; i < 3; ++i) {
            sc_core::wait(b.irq.posedge_event());
            b.write(reg::irq_status, isa::irq_done);
            b.write(reg::ctrl, isa::ctrl_start);
        }
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.kept.finished_at, std::vector<std::uint64_t>(4, b.kept.finished_at.at(0)));
    });
}

TEST_F(shell_start_test, cycles_run_while_busy)
{
    run([](shell_bench& b) {
        b.start(toil_program(1000));
        const auto begin = sc_core::sc_time_stamp() - ns(2); // the write took a period
        sc_core::wait(ns(801));
        const auto now = sc_core::sc_time_stamp();
        EXPECT_EQ(b.read(reg::cycles_lo), static_cast<std::uint32_t>((now - begin) / ns(2)));
        EXPECT_TRUE(b.poll_end());
    });
}

TEST_F(shell_start_test, fetch_is_a_phase_of_its_own_and_phases_follow_each_other)
{
    run([](shell_bench& b) {
        const auto program = toil_program(100, 32);
        b.run(program);
        const std::uint64_t fetched = fetch_cycles(program);
        EXPECT_THAT(b.kept.records, ElementsAre(kept_record{"fetch", "fetch", 0, 0, fetched, {0, 0}},
                                                kept_record{"load", "load", 0, fetched, 8, {0, 32}},
                                                kept_record{"compute", "toil", 0, fetched + 8, 100, {100, 0}}));
    });
}

TEST_F(shell_start_test, phases_take_whole_cycles)
{
    run([](shell_bench& b) {
        b.memory.annotated = ns(9.5);
        const auto program = toil_program(3, 16);
        b.run(program);
        const std::uint64_t fetched = 14; // 9.5 ns; then two bursts, 8 ns apart, of which the last takes 9.5 ns: 27 ns
        EXPECT_THAT(b.kept.records, ElementsAre(kept_record{"fetch", "fetch", 0, 0, fetched, {0, 0}},
                                                kept_record{"load", "load", 0, fetched, 5, {0, 16}},
                                                kept_record{"compute", "toil", 0, fetched + 5, 3, {3, 0}}));
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetched + 8);
    });
}

} // namespace
} // namespace tensorloom::test
