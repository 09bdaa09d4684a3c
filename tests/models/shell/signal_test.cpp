// SIGNAL and WAIT: what they mean is the same with overlap and without.
#include <gtest/gtest.h>
#include "models/shell/mixer_bench.h"

namespace tensorloom::test {
namespace {

using isa::error_code;
using isa::opcode;

program_step signal(std::uint32_t n) { return {opcode::signal, {}, {}, n, 0, {}}; }
program_step wait_for(std::uint32_t n) { return {opcode::wait, {}, {}, n, 0, {}}; }
program_step mix_beside(std::uint32_t unit, std::uint32_t cycles)
{
    return {mixer_device::mix, {unit, cycles, 32 * unit, 16, 32 * unit + 16, 16, {}}, {}, 0, 0, {}};
}

class signal_test : public either_mixer_test {
protected:
    void expect_never_signalled(const program_steps& steps, std::uint32_t at, std::uint32_t done)
    {
        const auto r = run(steps);
        EXPECT_EQ(r.error, error_code::never_signalled);
        EXPECT_EQ(r.error_command, at);
        EXPECT_EQ(r.commands_done, done);
    }
};

TEST_P(signal_test, signals_that_were_given_are_taken)
{
    const auto r = run({signal(0), mix_beside(0, 10), signal(31), wait_for(31), wait_for(0)});
    EXPECT_EQ(r.status, isa::status_done);
    EXPECT_EQ(r.commands_done, 5u);
    EXPECT_EQ(r.cycles, 10u);
}

TEST_P(signal_test, wait_without_a_signal_ends_the_program_when_all_before_it_has_ended)
{
    const program_steps steps{mix_beside(0, 40), wait_for(3), mix_beside(1, 100)};
    expect_never_signalled(steps, 1, 1);
}

TEST_P(signal_test, another_signal_does_not_help) { expect_never_signalled({signal(4), wait_for(3)}, 1, 1); }

TEST_P(signal_test, later_signal_does_not_help) { expect_never_signalled({wait_for(3), signal(3)}, 0, 0); }

TEST_P(signal_test, signal_is_taken_once) { expect_never_signalled({signal(3), wait_for(3), wait_for(3)}, 2, 2); }

TEST_P(signal_test, signal_given_twice_is_taken_once)
{
    expect_never_signalled({signal(3), mix_beside(0, 10), signal(3), wait_for(3), wait_for(3)}, 4, 4);
}

TEST_P(signal_test, signal_of_an_iteration_serves_the_next)
{
    EXPECT_EQ(run({signal(3), loop(5, {wait_for(3), mix_beside(0, 10), signal(3)})}).status, isa::status_done);
}

TEST_P(signal_test, wait_of_the_second_iteration_misses_its_signal)
{
    expect_never_signalled({signal(3), loop(5, {wait_for(3), mix_beside(0, 10)})}, 2, 1 + 1 + 3);
}

TEST_P(signal_test, signals_do_not_outlive_their_program)
{
    run([&](mixer_bench& b) {
        EXPECT_EQ(run_mixer(b, program_bytes({signal(3)})).status, isa::status_done);
        EXPECT_EQ(run_mixer(b, program_bytes({wait_for(3)})).error, error_code::never_signalled);
    });
}

INSTANTIATE_TEST_SUITE_P(overlap, signal_test, testing::Bool(), testing::PrintToStringParamName());

} // namespace
} // namespace tensorloom::test
