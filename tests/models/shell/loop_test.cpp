// LOOP and END against loops unrolled by hand.
#include <gtest/gtest.h>
#include "models/shell/mixer_bench.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;
using isa::opcode;

program_step mix_of_8_words(std::uint32_t unit, std::uint32_t cycles)
{
    return {mixer_device::mix, {unit, cycles, 0, 8, 8, 8, {}}, {}, 0, 0, {}};
}

class loop_test : public mixer_run_test {
protected:
    loop_test() : mixer_run_test(false) {}
};

TEST_F(loop_test, body_runs_count_times_and_each_end_takes_a_cycle)
{
    const auto r = run({loop(5, {mix_of_8_words(0, 10)})});
    EXPECT_EQ(r.status, isa::status_done);
    EXPECT_EQ(r.cycles, 5u * 11);
    EXPECT_EQ(r.commands_done, 1u + 5 * 2);
    EXPECT_EQ(r.token, 102u);
    EXPECT_EQ(r.count(0), 5u);
}

TEST_F(loop_test, end_is_logged_as_control)
{
    const auto r = run({loop(2, {plain(opcode::nop)})});
    ASSERT_EQ(r.records.size(), 2u);
    EXPECT_EQ(r.records[0], (kept_record{"control", "end", 2, 0, 1, {0, 0, 0, 0}, 0}));
    EXPECT_EQ(r.records[1], (kept_record{"control", "end", 2, 1, 1, {0, 0, 0, 0}, 1}));
}

TEST_F(loop_test, empty_loop_takes_its_count_of_cycles)
{
    const auto r = run({loop(1000, {})});
    EXPECT_EQ(r.cycles, 1000u);
    EXPECT_EQ(r.commands_done, 1001u);
}

TEST_F(loop_test, four_loops_nest_and_number_their_executions)
{
    const auto r = run({loop(2, {loop(3, {loop(2, {loop(4, {mix_of_8_words(1, 4)})})})})});
    std::vector<std::uint32_t> numbers;
    for (const auto& record : r.records) {
        if (record.cause == "mix") { numbers.push_back(record.id); }
    }
    std::vector<std::uint32_t> expected(48);
    std::iota(expected.begin(), expected.end(), 0u);
    EXPECT_EQ(numbers, expected);
}

TEST_F(loop_test, halt_within_a_loop_ends_the_program)
{
    const auto r = run({loop(7, {mix_of_8_words(0, 10), plain(opcode::halt)}), mix_of_8_words(0, 1000)});
    EXPECT_EQ(r.status, isa::status_done);
    EXPECT_EQ(r.cycles, 10u);
    EXPECT_EQ(r.commands_done, 3u);
    EXPECT_EQ(r.token, 102u);
}

// A loop of the longest counts, nested as deep as may be: (2^32 - 1)^4 iterations.
program_steps endless(program_steps body)
{
    for (int i = 0; i < 4; ++i) { body = {loop(UINT32_MAX, std::move(body))}; }
    return body;
}

TEST_F(loop_test, endless_loops_of_nothing_stop_at_an_abort)
{
    run([&](mixer_bench& b) {
        const auto program = program_bytes(endless({plain(opcode::nop)}));
        b.start(program);
        sc_core::wait(ns(2.0 * static_cast<double>(fetch_cycles(program)) + 2001 - 2)); // of which the write took 2
        b.post(reg::ctrl, isa::ctrl_abort);
        const auto r = end_of_run(b, program);
        EXPECT_EQ(r.status, isa::status_error | isa::status_aborted);
        EXPECT_EQ(r.cycles, 1001u);
        EXPECT_EQ(r.commands_done, 4u + 1001 * 2); // LOOPs, then NOP and END
        EXPECT_EQ(r.error_command, 4u);
    });
}

TEST_F(loop_test, abort_within_a_loop_names_the_command_that_runs)
{
    run([&](mixer_bench& b) {
        const auto program = program_bytes(endless({mix_of_8_words(0, 7), mix_of_8_words(1, 12)}));
        b.start(program);
        sc_core::wait(ns(2.0 * static_cast<double>(fetch_cycles(program) + 3 * 20 + 10) - 1)); // in the fourth turn
        b.post(reg::ctrl, isa::ctrl_abort);
        const auto r = end_of_run(b, program);
        EXPECT_EQ(r.error, isa::error_code::aborted);
        EXPECT_EQ(r.error_command, 5u);
        EXPECT_EQ(r.commands_done, 4u + 3 * 3 + 1);
        EXPECT_EQ(r.cycles, 3u * 20 + 11);
        EXPECT_EQ(r.cycles_logged(), r.cycles);
    });
}

TEST_F(loop_test, reset_within_a_loop_leaves_a_fresh_device)
{
    run([&](mixer_bench& b) {
        b.start(program_bytes(endless({mix_of_8_words(0, 7)})));
        sc_core::wait(ns(5000));
        b.write(reg::ctrl, isa::ctrl_reset);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.read(reg::status), 0u);
        EXPECT_EQ(b.read(reg::commands_done), 0u);
        EXPECT_EQ(b.device.resets, 1u);
        b.kept.records.clear();
        const auto r = run_mixer(b, program_bytes({loop(2, {mix_of_8_words(0, 10)})}));
        EXPECT_EQ(r.status, isa::status_done);
        EXPECT_EQ(r.cycles, 22u);
    });
}

using random_loops = mixer_run_test_with_param<false, unsigned>;

TEST_P(random_loops, run_as_if_they_were_unrolled)
{
    run([&](mixer_bench& b) {
        mixer_programs programs(GetParam());
        for (int i = 0; i < 20; ++i) {
            const auto steps = programs.draw();
            const auto program = program_bytes(steps);
            if (program.size() > 4096) { continue; }
            fill_memories(b);
            b.place(program);
            auto expected = memories_of(b);
            std::vector<std::pair<std::uint32_t, std::uint32_t>> expected_rows;
            std::uint64_t cycles = 0;
            const auto all = unrolled(steps);
            for (const auto& e : all) {
                execute_plainly(e, expected);
                cycles += duration(e);
                if (e.code == mixer_device::mix) {
                    expected_rows.emplace_back(e.index, static_cast<std::uint32_t>(e.execution));
                }
            }
            const auto r = run_mixer(b, program);
            EXPECT_EQ(r.status, isa::status_done);
            EXPECT_EQ(r.commands_done, all.size());
            EXPECT_EQ(r.token, 100 + all.back().index);
            EXPECT_EQ(r.cycles, cycles);
            EXPECT_EQ(r.cycles_logged(), cycles);
            EXPECT_EQ(r.memories.local, expected.local);
            EXPECT_EQ(r.memories.bus, expected.bus);
            std::vector<std::pair<std::uint32_t, std::uint32_t>> rows;
            for (const auto& record : r.records) {
                if (record.phase == "mix") { rows.emplace_back(record.command, record.id); }
            }
            EXPECT_EQ(rows, expected_rows);
            EXPECT_EQ(r.count(mixer_device::overlapped), 0u);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(seed, random_loops, testing::Range(0u, 8u));

} // namespace
} // namespace tensorloom::test
