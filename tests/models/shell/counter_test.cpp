// The window on the event counters.
#include <gmock/gmock.h>
#include "models/shell/shell_run_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;

class shell_counter_test : public shell_run_test {
protected:
    static std::uint64_t counter(shell_bench& b, std::uint32_t index)
    {
        b.write(reg::counter_index, index);
        return b.read_pair(reg::counter_value_lo);
    }
};

TEST_F(shell_counter_test, shows_the_counter_of_the_index)
{
    run([](shell_bench& b) {
        b.run(toil_program(123, 48));
        EXPECT_EQ(counter(b, 0), 123u);
        EXPECT_EQ(counter(b, 1), 48u);
        EXPECT_EQ(counter(b, 0), 123u);
    });
}

TEST_F(shell_counter_test, shows_zero_past_the_last)
{
    run([](shell_bench& b) {
        b.run(toil_program(123, 48));
        EXPECT_EQ(counter(b, 2), 0u);
        EXPECT_EQ(counter(b, 255), 0u);
    });
}

TEST_F(shell_counter_test, index_has_8_bits)
{
    run([](shell_bench& b) {
        b.run(toil_program(123, 48));
        EXPECT_EQ(counter(b, 0xffffff01), 48u);
        EXPECT_EQ(b.read(reg::counter_index), 1u);
    });
}

TEST_F(shell_counter_test, counters_start_from_zero_with_each_program)
{
    run([](shell_bench& b) {
        b.run(toil_program(10, 16));
        b.run(toil_program(20));
        EXPECT_EQ(counter(b, 0), 20u);
        EXPECT_EQ(counter(b, 1), 0u);
    });
}

TEST_F(shell_counter_test, sum_up_over_the_commands_of_a_program)
{
    run([](shell_bench& b) {
        isa::program_builder p;
        p.add(toil_device::toil, 0, 0, toil_device::payload(10)).add(toil_device::toil, 0, 0, toil_device::payload(5));
        b.run(p.bytes());
        EXPECT_EQ(counter(b, 0), 15u);
    });
}

TEST_F(shell_counter_test, are_up_to_date_while_the_device_works)
{
    run([](shell_bench& b) {
        const auto program = toil_program(1000);
        b.start(program);
        sc_core::wait(ns(2.0 * static_cast<double>(fetch_cycles(program)) - 2 + 200));
        EXPECT_EQ(counter(b, 0), 101u); // the write of the index took a cycle
        EXPECT_GT(b.device.syncs, 0u);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(counter(b, 0), 1000u);
    });
}

TEST_F(shell_counter_test, survive_until_a_reset)
{
    run([](shell_bench& b) {
        b.run(toil_program(10));
        sc_core::wait(ns(1000));
        EXPECT_EQ(counter(b, 0), 10u);
        b.write(reg::ctrl, isa::ctrl_reset);
        EXPECT_EQ(counter(b, 0), 0u);
    });
}

TEST_F(shell_counter_test, one_64_bit_read_shows_both_halves)
{
    run([](shell_bench& b) {
        b.run(toil_program(10));
        auto p = reading(reg::counter_value_lo, 8);
        b.cpu.send(p);
        EXPECT_EQ(base::load_le<std::uint64_t>(p.data.data()), 10u);
    });
}

TEST_F(shell_counter_test, device_and_dma_report_under_their_names)
{
    run([](shell_bench& b) {
        EXPECT_THAT(b.kept.attached, testing::ElementsAre("bench.device", "bench.device.dma_engine"));
    });
}

} // namespace
} // namespace tensorloom::test
