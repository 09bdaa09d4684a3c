// Commands that overlap: values of one at a time, times of a naive schedule, causes that sum up.
#include <gmock/gmock.h>
#include "models/shell/mixer_bench.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;
using isa::opcode;

program_step mix_from_to(std::uint32_t unit, std::uint32_t cycles, std::uint32_t from = 0, std::uint32_t to = 16)
{
    return {mixer_device::mix, {unit, cycles, from, 16, to, 16, {}}, {}, 0, 0, {}};
}

// With each resource free in turn. The program is fetched over the bus, too.
std::vector<std::pair<base::resource, std::uint64_t>> freed_schedules(const std::vector<executed_step>& steps,
                                                                      std::uint64_t fetch)
{
    std::vector<std::pair<base::resource, std::uint64_t>> all;
    using base::resource;
    for (const auto free : {resource::compute, resource::vector, resource::scalar, resource::bus, resource::control,
                            resource::memory, resource::banks}) {
        const auto cycles_of = [&](const executed_step& e) { return resource_of(e) == free ? 0 : duration(e); };
        all.emplace_back(free, (free == resource::bus ? 0 : fetch) + schedule(steps, cycles_of).total);
    }
    return all;
}

using random_overlap = mixer_run_test_with_param<true, unsigned>;

TEST_P(random_overlap, has_the_values_of_one_command_at_a_time_and_the_times_of_a_naive_schedule)
{
    run([&](mixer_bench& b) {
        mixer_programs programs(1000 + GetParam());
        std::uint64_t overlapped = 0;
        for (int i = 0; i < 20; ++i) {
            const auto steps = programs.draw();
            const auto program = program_bytes(steps);
            if (program.size() > 4096) { continue; }
            fill_memories(b);
            b.place(program);
            auto expected = memories_of(b);
            const auto all = unrolled(steps);
            std::uint64_t work = 0; // of units
            std::uint64_t control = 0;
            for (const auto& e : all) {
                execute_plainly(e, expected);
                (e.code == opcode::end ? control : work) += duration(e);
            }
            const auto plan = schedule(all);
            const auto r = run_mixer(b, program);
            EXPECT_EQ(r.status, isa::status_done);
            EXPECT_EQ(r.memories.local, expected.local);
            EXPECT_EQ(r.memories.bus, expected.bus);
            EXPECT_EQ(r.commands_done, all.size());
            EXPECT_EQ(r.token, 100 + all.back().index);
            EXPECT_EQ(r.cycles, plan.total);
            EXPECT_EQ(r.cycles_logged(), plan.total);
            EXPECT_EQ(r.count(mixer_device::overlapped), work - (plan.total - control));
            EXPECT_TRUE(std::is_sorted(r.records.begin(), r.records.end(),
                                       [](const auto& x, const auto& y) { return x.start_cycle < y.start_cycle; }));
            for (const auto& [free, cycles] : freed_schedules(all, fetch_cycles(program))) {
                EXPECT_EQ(r.freed.without(free), cycles) << resource_name(free);
            }
            EXPECT_EQ(r.freed.all(), fetch_cycles(program) + plan.total);
            overlapped += r.count(mixer_device::overlapped);
        }
        EXPECT_GT(overlapped, 100u); // the programs are worth it
    });
}

INSTANTIATE_TEST_SUITE_P(seed, random_overlap, testing::Range(0u, 12u));

class overlap_test : public mixer_run_test {
protected:
    overlap_test() : mixer_run_test(true) {}

    using mixer_run_test::run;
    mixer_run run(const program_steps& steps, const std::vector<std::uint32_t>& failing)
    {
        mixer_run r;
        run([&](mixer_bench& b) {
            auto program = program_bytes(steps);
            for (const auto index : failing) { program[16 + 48 * index + 2] = mixer_device::flag_fails; }
            r = run_mixer(b, program);
        });
        return r;
    }
};

TEST_F(overlap_test, independent_commands_of_different_units_run_at_once)
{
    const auto r = run({mix_from_to(0, 40, 0, 16), mix_from_to(1, 100, 32, 48), mix_from_to(2, 60, 64, 80)});
    EXPECT_EQ(r.cycles, 100u);
    EXPECT_EQ(r.count(mixer_device::overlapped), 100u);
}

TEST_F(overlap_test, unit_runs_one_command_at_a_time)
{
    EXPECT_EQ(run({mix_from_to(0, 40, 0, 16), mix_from_to(0, 100, 32, 48)}).cycles, 140u);
}

struct hazard {
    const char* name;
    std::uint32_t from, to; // of the later command; the earlier reads 0 to 15, writes 16 to 31
    bool waits;
};
void PrintTo(const hazard& h, std::ostream* out) { *out << h.name; }
class hazards : public overlap_test, public testing::WithParamInterface<hazard> {};

TEST_P(hazards, hold_the_later_command_up)
{
    const auto r = run({mix_from_to(0, 40, 0, 16), mix_from_to(1, 100, GetParam().from, GetParam().to)});
    EXPECT_EQ(r.cycles, GetParam().waits ? 140u : 100u);
}

INSTANTIATE_TEST_SUITE_P(
    of, hazards,
    testing::Values(hazard{"read_after_write", 31, 100, true}, hazard{"read_behind_write", 32, 100, false},
                    hazard{"write_after_read", 100, 15, true}, hazard{"write_after_write", 100, 31, true},
                    hazard{"write_behind_write", 100, 32, false}, hazard{"read_after_read", 0, 100, false}),
    testing::PrintToStringParamName());

TEST_F(overlap_test, log_has_the_last_cycles_of_a_command_that_was_waited_for_late)
{
    // 0 works until 100 (25 fill, 50 mix, 25 drain), 1 until 60; 2 waits for its unit until 60 and ends unseen at 68; 3
    // waits for 0.
    const auto r = run(
        {mix_from_to(0, 100, 0, 16), mix_from_to(1, 60, 32, 48), mix_from_to(1, 8, 64, 80), mix_from_to(2, 4, 16, 96)});
    std::vector<std::string> rows;
    for (const auto& x : r.records) {
        rows.push_back(std::to_string(x.command) + " " + x.cause + " " + std::to_string(x.start_cycle) + "+" +
                       std::to_string(x.cycles));
    }
    EXPECT_THAT(rows, testing::ElementsAre("1 fill 0+15", "1 mix 15+30", "1 drain 45+15", "0 fill 60+0", "0 mix 60+15",
                                           "2 fill 68+0", "2 mix 68+0", "2 drain 68+0", "0 drain 75+25", "3 fill 100+1",
                                           "3 mix 101+2", "3 drain 103+1"));
    EXPECT_EQ(r.records[3].counts, (std::vector<std::uint64_t>{0, 0, 0, 60})); // of 100 cycles 40 were waited for
    EXPECT_EQ(r.records[5].counts, (std::vector<std::uint64_t>{0, 0, 0, 8}));
}

TEST_F(overlap_test, irq_waits_for_what_is_in_flight)
{
    run([](mixer_bench& b) {
        b.write(reg::irq_enable, isa::irq_command);
        const auto program =
            program_bytes({mix_from_to(0, 400, 0, 16), plain(opcode::irq), mix_from_to(1, 400, 32, 48)});
        b.start(program);
        const auto began = sc_core::sc_time_stamp() - ns(2);
        sc_core::wait(b.irq.posedge_event());
        EXPECT_EQ(sc_core::sc_time_stamp() - began, ns(2.0 * static_cast<double>(fetch_cycles(program) + 400)));
        EXPECT_EQ(b.read(reg::commands_done), 2u);
        EXPECT_TRUE(b.poll_end());
    });
}

TEST_F(overlap_test, wait_holds_issue_until_the_commands_before_its_signal_have_ended)
{
    const auto r = run({mix_from_to(0, 50, 0, 16), plain(opcode::signal, 3), mix_from_to(1, 90, 32, 48),
                        plain(opcode::wait, 3), mix_from_to(2, 10, 64, 80)});
    EXPECT_EQ(r.cycles, 90u); // the last runs from 50 to 60
    ASSERT_GE(r.records.size(), 3u);
    EXPECT_EQ(r.count(mixer_device::overlapped), 150u - 90);
}

TEST_F(overlap_test, signal_that_is_not_taken_yet_is_not_given_later)
{
    const auto r = run({mix_from_to(0, 50, 0, 16), plain(opcode::signal, 3), mix_from_to(1, 200, 32, 48),
                        plain(opcode::signal, 3), plain(opcode::wait, 3), mix_from_to(2, 300, 64, 80)});
    EXPECT_EQ(r.cycles, 350u); // the last begins at 50
}

TEST_F(overlap_test, stop_acts_before_a_command_that_waited_for_one_that_did_not_notice)
{
    run([](mixer_bench& b) {
        auto program = program_bytes({mix_from_to(0, 40, 0, 16), mix_from_to(0, 100, 32, 48)});
        program[16 + 2] = mixer_device::flag_deaf;
        b.start(program);
        sc_core::wait(ns(2.0 * static_cast<double>(fetch_cycles(program) + 10)));
        b.post(reg::ctrl, isa::ctrl_abort);
        const auto r = end_of_run(b, program);
        EXPECT_EQ(r.error, isa::error_code::aborted);
        EXPECT_EQ(r.error_command, 1u);
        EXPECT_EQ(r.commands_done, 1u);
        EXPECT_EQ(r.cycles, 40u);
    });
}

TEST_F(overlap_test, registers_show_how_far_the_program_has_ended_without_gap)
{
    run([](mixer_bench& b) {
        const auto program = program_bytes(
            {plain(opcode::nop), mix_from_to(0, 400, 0, 16), mix_from_to(1, 100, 32, 48), plain(opcode::nop)});
        b.start(program);
        sc_core::wait(ns(2.0 * static_cast<double>(fetch_cycles(program) + 200)));
        EXPECT_EQ(b.read(reg::commands_done), 1u);
        EXPECT_EQ(b.read(reg::token), 100u);
        const auto r = end_of_run(b, program);
        EXPECT_EQ(r.commands_done, 4u);
        EXPECT_EQ(r.token, 103u);
    });
}

TEST_F(overlap_test, first_failure_in_the_order_of_the_program_is_reported)
{
    // Command 2 fails at 20; until then 1 works, which fails at 60; 3 never begins: it waits for unit 2.
    const auto r = run({mix_from_to(0, 10, 0, 16), mix_from_to(1, 60, 32, 48), mix_from_to(2, 20, 64, 80),
                        mix_from_to(2, 500, 64, 80)},
                       {1, 2});
    EXPECT_EQ(r.error, isa::error_code::arithmetic_overflow);
    EXPECT_EQ(r.error_command, 1u);
    EXPECT_EQ(r.commands_done, 1u);
    EXPECT_EQ(r.token, 100u);
    EXPECT_EQ(r.cycles, 60u);
    EXPECT_EQ(r.cycles_logged(), 60u);
}

TEST_F(overlap_test, command_that_waits_for_another_does_not_begin_after_a_failure)
{
    // At 20 command 1 fails; command 2 waits for the operands of command 0 until 30.
    const auto r = run({mix_from_to(0, 30, 0, 16), mix_from_to(1, 20, 32, 48), mix_from_to(2, 500, 16, 80)}, {1});
    EXPECT_EQ(r.error_command, 1u);
    EXPECT_EQ(r.commands_done, 1u);
    EXPECT_EQ(r.cycles, 30u);
}

TEST_F(overlap_test, failure_keeps_an_irq_from_being_raised)
{
    run([](mixer_bench& b) {
        auto program = program_bytes({mix_from_to(0, 30, 0, 16), plain(opcode::irq)});
        program[16 + 2] = mixer_device::flag_fails;
        run_mixer(b, program);
        EXPECT_EQ(b.read(reg::irq_status), isa::irq_error);
    });
}

using stopped_overlap = mixer_run_test_with_param<true, unsigned>;

TEST_P(stopped_overlap, ends_at_the_next_cycle_with_the_earliest_command_in_flight)
{
    run([&](mixer_bench& b) {
        // In flight: 0 until 40, 1 until 100, 2 until 60; then 3 until 110.
        const auto program = program_bytes({mix_from_to(0, 40, 0, 16), mix_from_to(1, 100, 32, 48),
                                            mix_from_to(2, 60, 64, 80), mix_from_to(2, 50, 64, 80)});
        b.start(program);
        sc_core::wait(ns(2.0 * static_cast<double>(fetch_cycles(program) + GetParam()) - 1));
        b.post(reg::ctrl, isa::ctrl_abort);
        const auto r = end_of_run(b, program);
        EXPECT_EQ(r.error, isa::error_code::aborted);
        EXPECT_EQ(r.cycles, GetParam() + 1);
        EXPECT_EQ(r.cycles_logged(), r.cycles);
        EXPECT_EQ(r.error_command, GetParam() < 40 ? 0u : GetParam() < 100 ? 1u : 3u);
        EXPECT_EQ(r.commands_done, r.error_command);

        b.write(reg::ctrl, isa::ctrl_reset);
        const auto again = run_mixer(b, program);
        EXPECT_EQ(again.status, isa::status_done);
        EXPECT_EQ(again.cycles, 110u);
    });
}

INSTANTIATE_TEST_SUITE_P(cycle, stopped_overlap, testing::Values(5u, 39u, 45u, 70u, 99u, 105u));

TEST_F(overlap_test, several_devices_keep_to_themselves)
{
    const program_steps steps{mix_from_to(0, 40, 0, 16), mix_from_to(1, 100, 32, 48), mix_from_to(1, 60, 64, 80)};
    const auto check = [&](std::uint64_t cycles) {
        return [&steps, cycles](mixer_bench& b) { EXPECT_EQ(run_mixer(b, program_bytes(steps)).cycles, cycles); };
    };
    auto slow = mixer_settings(true);
    slow.clock_period = ns(7);
    mixer_bench first("first", check(160), mixer_settings(true));
    mixer_bench second("second", check(200), mixer_settings(false));
    mixer_bench third("third", check(160), slow);
    sc_core::sc_start();
    EXPECT_TRUE(first.finished() && second.finished() && third.finished());
}

TEST_F(overlap_test, device_without_overlap_has_no_thread_but_the_shells)
{
    mixer_device one_at_a_time("one_at_a_time", mixer_settings(false), nullptr);
    mixer_device overlapping("overlapping", mixer_settings(true), nullptr);
    const auto units = [](const sc_core::sc_object& device) {
        const auto& parts = device.get_child_objects();
        return std::count_if(parts.begin(), parts.end(),
                             [](const sc_core::sc_object* o) { return std::string(o->basename()).find("unit_") == 0; });
    };
    EXPECT_EQ(units(one_at_a_time), 0);
    EXPECT_EQ(units(overlapping), 4); // the three, and that of transfers
}

} // namespace
} // namespace tensorloom::test
