// Abort and reset, by register and by pin, at every stage of a job; and the job after that.
#include <cmath>
#include <ostream>
#include <gmock/gmock.h>
#include "models/shell/shell_run_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;
using isa::error_code;

// The job that is stopped: fetch 0 to 24 ns, load 24 to 56 ns (both in bursts of 8 ns), toil 56 to 256 ns (in cycles of
// 2 ns).
std::vector<std::uint8_t> job_to_stop() { return toil_program(100, 64); }
constexpr double fetched_ns = 24;
constexpr double loaded_ns = 56;
constexpr double done_ns = 256;

// Where a request of this time acts: the first burst or cycle that begins later.
std::uint64_t stop_cycle(double at)
{
    const double grain = at < loaded_ns ? 8 : 2;
    return static_cast<std::uint64_t>((std::floor(at / grain) + 1) * grain / 2);
}

constexpr double stop_times[] = {0, 1, 7, 8, 9, 20, 23, 24, 25, 40, 55, 56, 57, 58, 100, 101, 254, 255};

// Everything that a job leaves to be seen.
struct outcome {
    std::uint32_t status;
    std::uint32_t error;
    std::uint64_t cycles;
    std::uint32_t commands_done;
    std::uint64_t counters[2];
    std::vector<kept_record> records;
};

outcome outcome_of_a_job(shell_bench& b)
{
    const std::size_t before = b.kept.records.size();
    b.run(job_to_stop());
    outcome o{};
    o.status = b.read(reg::status);
    o.error = b.read(reg::error_code);
    o.cycles = b.read_pair(reg::cycles_lo);
    o.commands_done = b.read(reg::commands_done);
    for (std::uint32_t i = 0; i < 2; ++i) {
        b.write(reg::counter_index, i);
        o.counters[i] = b.read_pair(reg::counter_value_lo);
    }
    o.records.assign(b.kept.records.begin() + static_cast<std::ptrdiff_t>(before), b.kept.records.end());
    return o;
}

void expect_as_on_a_fresh_device(const outcome& o)
{
    EXPECT_EQ(o.status, isa::status_done);
    EXPECT_EQ(o.error, 0u);
    EXPECT_EQ(o.cycles, 128u);
    EXPECT_EQ(o.commands_done, 1u);
    EXPECT_EQ(o.counters[0], 100u);
    EXPECT_EQ(o.counters[1], 64u);
    EXPECT_THAT(o.records, testing::ElementsAre(kept_record{"fetch", "fetch", 0, 0, 12, {0, 0}},
                                                kept_record{"load", "load", 0, 12, 16, {0, 64}},
                                                kept_record{"compute", "toil", 0, 28, 100, {100, 0}}));
}

// Runs a command that makes the device tired: until it is reset, every toil is longer.
void tire(shell_bench& b)
{
    isa::program_builder p;
    p.add(toil_device::toil, toil_device::flag_tires, 0, toil_device::payload(1));
    b.run(p.bytes());
    b.write(reg::irq_status, 7);
}

void start_job(shell_bench& b)
{
    b.place(job_to_stop());
    b.point_at(shell_bench::memory_at);
    b.post(reg::ctrl, isa::ctrl_start);
}

void wait_ns(double t)
{
    if (t > 0) { sc_core::wait(ns(t)); }
}

// Starts the job, and aborts it at this time.
void abort_job(shell_bench& b, double at)
{
    start_job(b);
    wait_ns(at);
    b.post(reg::ctrl, isa::ctrl_abort);
    EXPECT_TRUE(b.poll_end());
}

class shell_stop_test : public shell_run_test {};

TEST_F(shell_stop_test, undisturbed_job_is_as_expected)
{
    run([](shell_bench& b) { expect_as_on_a_fresh_device(outcome_of_a_job(b)); });
}

TEST_F(shell_stop_test, tired_device_is_slower_until_it_is_reset)
{
    run([](shell_bench& b) {
        tire(b);
        EXPECT_EQ(outcome_of_a_job(b).cycles, 129u);
        b.write(reg::ctrl, isa::ctrl_reset);
        expect_as_on_a_fresh_device(outcome_of_a_job(b));
    });
}

// ---- abort ----

class shell_abort_test : public shell_run_test_with_param<double> {};

TEST_P(shell_abort_test, ends_the_job_at_the_next_step)
{
    run([](shell_bench& b) {
        abort_job(b, GetParam());
        EXPECT_EQ(b.read(reg::status), isa::status_error | isa::status_aborted);
        EXPECT_EQ(b.error(), error_code::aborted);
        EXPECT_EQ(b.read(reg::error_command), 0u);
        EXPECT_EQ(b.read(reg::commands_done), 0u);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), stop_cycle(GetParam()));
        EXPECT_EQ(b.read(reg::irq_status), isa::irq_error);
    });
}

TEST_P(shell_abort_test, next_job_is_as_on_a_fresh_device)
{
    run([](shell_bench& b) {
        abort_job(b, GetParam());
        expect_as_on_a_fresh_device(outcome_of_a_job(b));
    });
}

TEST_P(shell_abort_test, phases_of_the_job_add_up_to_its_cycles)
{
    run([](shell_bench& b) {
        abort_job(b, GetParam());
        std::uint64_t sum = 0;
        for (const auto& r : b.kept.records) {
            EXPECT_EQ(r.start_cycle, sum);
            sum += r.cycles;
        }
        EXPECT_EQ(sum, stop_cycle(GetParam()));
        EXPECT_THAT(b.kept.finished_at, testing::ElementsAre(sum));
    });
}

INSTANTIATE_TEST_SUITE_P(ns, shell_abort_test, testing::ValuesIn(stop_times), testing::PrintToStringParamName());

TEST_F(shell_stop_test, abort_as_the_job_ends_comes_too_late)
{
    run([](shell_bench& b) {
        abort_job(b, done_ns);
        EXPECT_EQ(b.read(reg::status), isa::status_done);
        expect_as_on_a_fresh_device(outcome_of_a_job(b));
    });
}

TEST_F(shell_stop_test, abort_of_an_idle_device_does_nothing)
{
    run([](shell_bench& b) {
        b.write(reg::ctrl, isa::ctrl_abort);
        EXPECT_EQ(b.read(reg::status), 0u);
        EXPECT_EQ(b.read(reg::irq_status), 0u);
        expect_as_on_a_fresh_device(outcome_of_a_job(b));
    });
}

TEST_F(shell_stop_test, abort_names_the_command_that_ran)
{
    run([](shell_bench& b) {
        isa::program_builder p;
        p.add(isa::opcode::nop, 0, 8).add(toil_device::toil, 0, 9, toil_device::payload(1000));
        b.start(p.bytes());
        sc_core::wait(ns(500));
        b.write(reg::ctrl, isa::ctrl_abort);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.read(reg::error_command), 1u);
        EXPECT_EQ(b.read(reg::commands_done), 1u);
        EXPECT_EQ(b.read(reg::token), 8u);
    });
}

TEST_F(shell_stop_test, abort_before_an_annotated_start_ends_the_job_in_cycle_zero)
{
    run([](shell_bench& b) {
        b.place(job_to_stop());
        b.point_at(shell_bench::memory_at);
        b.post(reg::ctrl, isa::ctrl_start, ns(500));
        b.write(reg::ctrl, isa::ctrl_abort);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.error(), error_code::aborted);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), 0u);
        EXPECT_TRUE(b.memory.log.empty());
        expect_as_on_a_fresh_device(outcome_of_a_job(b));
    });
}

TEST_F(shell_stop_test, abort_keeps_the_state_of_the_device)
{
    run([](shell_bench& b) {
        tire(b);
        abort_job(b, 100);
        EXPECT_EQ(outcome_of_a_job(b).cycles, 129u);
    });
}

// ---- reset ----

enum class reset_by { reg, pulse, level };

struct reset_case {
    reset_by way;
    double at_ns;
};
void PrintTo(const reset_case& c, std::ostream* out)
{
    *out << (c.way == reset_by::reg ? "register_" : c.way == reset_by::pulse ? "pulse_" : "level_") << c.at_ns;
}

class shell_reset_test : public shell_run_test_with_param<reset_case> {
protected:
    // Stops a job of a tired device; returns when the reset is over.
    static void start_and_reset(shell_bench& b)
    {
        tire(b);
        b.write(reg::irq_enable, 7);
        start_job(b);
        wait_ns(GetParam().at_ns);
        switch (GetParam().way) {
        case reset_by::reg: b.post(reg::ctrl, isa::ctrl_reset); break;
        case reset_by::pulse:
            b.rst = true;
            sc_core::wait(ns(0.5));
            b.rst = false;
            break;
        case reset_by::level:
            b.rst = true;
            sc_core::wait(ns(1000));
            b.rst = false;
            break;
        }
        EXPECT_TRUE(b.poll_end());
    }
};

TEST_P(shell_reset_test, brings_the_reset_values_back)
{
    run([](shell_bench& b) {
        start_and_reset(b);
        for (const auto& d : isa::register_map) {
            if (d.offset > reg::caps_size_2) { EXPECT_EQ(b.read(d.offset), d.reset()) << d.name; }
        }
        EXPECT_EQ(b.read(reg::id), 0x4c494f54u);
    });
}

TEST_P(shell_reset_test, raises_no_interrupt)
{
    run([](shell_bench& b) {
        tire(b);
        b.write(reg::irq_enable, 7);
        b.write(reg::ctrl, isa::ctrl_reset);
        start_and_reset(b);
        sc_core::wait(ns(1000));
        EXPECT_FALSE(b.irq.read());
        EXPECT_EQ(b.read(reg::irq_status), 0u);
    });
}

TEST_P(shell_reset_test, next_job_is_as_on_a_fresh_device)
{
    run([](shell_bench& b) {
        start_and_reset(b);
        EXPECT_GE(b.device.resets, 1u);
        expect_as_on_a_fresh_device(outcome_of_a_job(b));
    });
}

std::vector<reset_case> reset_cases()
{
    std::vector<reset_case> all;
    for (auto way : {reset_by::reg, reset_by::pulse, reset_by::level}) {
        for (double at : {0.0, 1.0, 8.0, 23.0, 24.0, 30.0, 56.0, 57.0, 101.0, 255.0, 256.0, 300.0}) {
            all.push_back({way, at});
        }
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(by, shell_reset_test, testing::ValuesIn(reset_cases()), testing::PrintToStringParamName());

class shell_pending_reset_test : public shell_run_test_with_param<double> {};

TEST_P(shell_pending_reset_test, registers_read_meanwhile_are_zero_afterwards)
{
    run([](shell_bench& b) {
        start_job(b);
        wait_ns(GetParam());
        b.post(reg::ctrl, isa::ctrl_reset);
        for (auto offset : {reg::cycles_lo, reg::counter_value_lo}) {
            auto p = reading(offset, 8);
            b.cpu.send(p);
        }
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.read_pair(reg::cycles_lo), 0u);
        EXPECT_EQ(b.read(reg::counter_value_hi), 0u);
    });
}

INSTANTIATE_TEST_SUITE_P(ns, shell_pending_reset_test, testing::ValuesIn(stop_times),
                         testing::PrintToStringParamName());

TEST_F(shell_stop_test, reset_acts_at_the_next_step)
{
    run([](shell_bench& b) {
        start_job(b);
        wait_ns(100.5);
        b.post(reg::ctrl, isa::ctrl_reset);
        EXPECT_TRUE(b.device.busy());
        wait_ns(1.5);
        sc_core::wait(sc_core::SC_ZERO_TIME);
        EXPECT_FALSE(b.device.busy());
        EXPECT_THAT(b.kept.finished_at, testing::ElementsAre(51));
    });
}

TEST_F(shell_stop_test, start_is_ignored_until_the_reset_has_acted)
{
    run([](shell_bench& b) {
        start_job(b);
        wait_ns(30);
        b.post(reg::ctrl, isa::ctrl_reset);
        b.post(reg::ctrl, isa::ctrl_start);
        EXPECT_TRUE(b.poll_end());
        sc_core::wait(ns(1000));
        EXPECT_EQ(b.kept.started_programs, 1u);
    });
}

TEST_F(shell_stop_test, reset_wins_over_start_and_abort_in_one_write)
{
    run([](shell_bench& b) {
        b.write(reg::ctrl, isa::ctrl_start | isa::ctrl_abort | isa::ctrl_reset);
        sc_core::wait(ns(1000));
        EXPECT_EQ(b.kept.started_programs, 0u);
        EXPECT_EQ(b.read(reg::status), 0u);
    });
}

TEST_F(shell_stop_test, irq_command_in_the_moment_of_a_reset_raises_nothing)
{
    run([](shell_bench& b) {
        // The reset comes as the last burst before the IRQ command ends, and acts only later than that.
        b.memory.intercept = [&](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
            if (t.get_address() != shell_bench::memory_at + 0x8000) { return; }
            sc_core::wait(ns(8));
            b.post(reg::ctrl, isa::ctrl_reset);
        };
        isa::program_builder p;
        p.add(toil_device::toil, 0, 1, toil_device::payload(0, 16, shell_bench::memory_at + 0x8000));
        p.add(isa::opcode::irq);
        p.add(toil_device::toil, 0, 1, toil_device::payload(10));
        b.start(p.bytes());
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.kept.records.back().cycles, 1u); // the command after it was begun
        EXPECT_EQ(b.read(reg::irq_status), 0u);
    });
}

TEST_F(shell_stop_test, reset_of_an_aborting_job_leaves_no_error)
{
    run([](shell_bench& b) {
        start_job(b);
        wait_ns(100);
        b.post(reg::ctrl, isa::ctrl_abort);
        b.post(reg::ctrl, isa::ctrl_reset);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.read(reg::status), 0u);
        EXPECT_EQ(b.error(), error_code::none);
        expect_as_on_a_fresh_device(outcome_of_a_job(b));
    });
}

TEST_F(shell_stop_test, reset_before_the_fetch_reads_nothing_from_elsewhere)
{
    run([](shell_bench& b) {
        start_job(b);
        b.post(reg::ctrl, isa::ctrl_reset); // PROGRAM_ADDR is 0 now
        EXPECT_TRUE(b.poll_end());
        for (const auto& a : b.memory.log) { EXPECT_GE(a.address, shell_bench::memory_at); }
    });
}

TEST_F(shell_stop_test, start_is_ignored_while_the_pin_is_high)
{
    run([](shell_bench& b) {
        b.place(job_to_stop());
        b.rst = true;
        sc_core::wait(ns(10));
        b.point_at(shell_bench::memory_at);
        b.write(reg::ctrl, isa::ctrl_start);
        sc_core::wait(ns(1000));
        EXPECT_EQ(b.read(reg::status), 0u);
        EXPECT_EQ(b.kept.started_programs, 0u);
        b.rst = false;
        sc_core::wait(ns(10));
        expect_as_on_a_fresh_device(outcome_of_a_job(b));
    });
}

TEST_F(shell_stop_test, pin_high_from_the_beginning_holds_the_device)
{
    shell_bench bench("bench", [](shell_bench& b) {
        sc_core::wait(ns(10));
        b.write(reg::ctrl, isa::ctrl_start);
        EXPECT_EQ(b.read(reg::status), 0u);
        b.rst = false;
        sc_core::wait(ns(10));
        expect_as_on_a_fresh_device(outcome_of_a_job(b));
    });
    bench.rst.write(true);
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished());
}

} // namespace
} // namespace tensorloom::test
