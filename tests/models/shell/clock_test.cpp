// The clock and the power of a device: a period that changes between programs, gating, residency.
#include <memory>
#include <optional>
#include <stdexcept>
#include <gtest/gtest.h>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/program_log.h>
#include "models/saved_state.h"
#include "models/shell/shell_run_test.h"
#include "support/expected_report.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;
using base::power_state;

sc_core::sc_time now() { return sc_core::sc_time_stamp(); }
std::uint64_t spent_ns(const shell_bench& b, power_state state) { return b.device.residency().in(state) / 1000; }

class clock_test : public shell_run_test {};

/// With a signal on clock_hz.
class clock_port_test : public sim_test {
protected:
    void run(std::uint64_t first_hz, shell_bench::program_type program)
    {
        m_hz = std::make_unique<sc_core::sc_signal<std::uint64_t>>("hz", first_hz);
        shell_bench bench("bench", std::move(program));
        bench.device.clock_hz.bind(*m_hz);
        sc_core::sc_start();
        EXPECT_TRUE(bench.finished());
    }

    std::unique_ptr<sc_core::sc_signal<std::uint64_t>> m_hz;
};

/// Waits until the device has ended its program, by its busy flag: exact to a delta.
void wait_for_end(shell_bench& b)
{
    while (b.device.busy()) { sc_core::wait(ns(1)); }
}

// ---- the period ----

TEST_F(clock_test, period_changes_between_programs)
{
    run([](shell_bench& b) {
        const auto program = toil_program(1000);
        for (const double period_ns : {2.0, 5.0, 1.0}) {
            EXPECT_EQ(b.device.set_clock_period(ns(period_ns)), std::nullopt);
            EXPECT_EQ(b.device.clock_period(), ns(period_ns));
            b.start(program);
            wait_for_end(b);
            EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(program) + 1000);
            EXPECT_EQ(b.kept.period_ps, static_cast<std::uint64_t>(period_ns * 1000));
        }
        const auto& ends = b.kept.ended_at_ps;
        const auto& starts = b.kept.started_programs_ps;
        const std::uint64_t cycles = fetch_cycles(program) + 1000;
        EXPECT_EQ(ends[0] - starts[0], cycles * 2000);
        EXPECT_EQ(ends[1] - starts[1], cycles * 5000);
        EXPECT_EQ(ends[2] - starts[2], cycles * 1000);
    });
}

TEST_F(clock_test, register_port_keeps_the_bus_clock)
{
    run([](shell_bench& b) {
        EXPECT_EQ(b.device.set_clock_period(ns(50)), std::nullopt);
        const auto before = now();
        b.read(reg::id);
        EXPECT_EQ(now() - before, ns(2));
    });
}

TEST_F(clock_test, change_is_refused_while_a_program_runs)
{
    run([](shell_bench& b) {
        b.start(toil_program(100));
        sc_core::wait(ns(10));
        EXPECT_EQ(b.device.set_clock_period(ns(5)),
                  "clock_period: a program runs, expected the change between programs");
        EXPECT_EQ(b.device.power_off(), "power_off: a program runs, expected it to end, or a reset");
        EXPECT_EQ(b.device.clock_period(), ns(2));
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(toil_program(100)) + 100);
        EXPECT_EQ(b.device.set_clock_period(ns(5)), std::nullopt);
    });
}

TEST_F(clock_test, period_out_of_the_range_of_the_configuration_is_refused)
{
    run([](shell_bench& b) {
        const auto wrong = b.device.set_clock_period(sc_core::sc_time(2, sc_core::SC_MS));
        ASSERT_TRUE(wrong);
        EXPECT_NE(wrong->find("clock-period"), std::string::npos) << *wrong;
        EXPECT_EQ(b.device.clock_period(), ns(2));
    });
}

TEST_F(clock_test, period_of_a_part_of_a_picosecond_is_refused)
{
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    run([](shell_bench& b) {
        EXPECT_EQ(b.device.set_clock_period(sc_core::sc_time(1500, sc_core::SC_FS)),
                  "clock_period is 1500 fs, expected whole picoseconds");
        EXPECT_EQ(b.device.clock_period(), ns(2));
        EXPECT_EQ(b.device.set_clock_period(sc_core::sc_time(15, sc_core::SC_PS)), std::nullopt);
    });
}

TEST_F(clock_test, period_of_one_step_of_the_resolution_is_refused_with_prefetch)
{
    auto config = shell_bench::settings();
    config.program_prefetch = 64;
    shell_bench bench(
        "bench",
        [](shell_bench& b) {
            const auto wrong = b.device.set_clock_period(sc_core::sc_get_time_resolution());
            ASSERT_TRUE(wrong);
            EXPECT_EQ(wrong->rfind("program_prefetch: ", 0), 0u) << *wrong;
        },
        config);
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished());
}

// ---- gating ----

TEST_F(clock_test, start_while_gated_waits_for_the_clock)
{
    run([](shell_bench& b) {
        const auto program = toil_program(100);
        EXPECT_EQ(b.device.set_clock_period(sc_core::SC_ZERO_TIME), std::nullopt);
        EXPECT_EQ(b.device.clock_period(), sc_core::SC_ZERO_TIME);
        b.start(program);
        sc_core::wait(ns(1000));
        EXPECT_EQ(b.read(reg::status), isa::status_busy);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), 0u);
        EXPECT_EQ(b.kept.started_programs, 0u);
        const auto returned = now();
        EXPECT_EQ(b.device.set_clock_period(ns(3)), std::nullopt);
        wait_for_end(b);
        EXPECT_EQ(b.kept.started_at_ps, returned.value()); // in ps
        EXPECT_EQ(b.kept.ended_at_ps.back() - b.kept.started_at_ps, (fetch_cycles(program) + 100) * 3000);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(program) + 100);
        EXPECT_EQ(b.read(reg::status), isa::status_done);
    });
}

TEST_F(clock_test, clock_that_returns_before_the_annotated_start_does_not_begin_the_program_earlier)
{
    run([](shell_bench& b) {
        b.place(toil_program(10));
        b.point_at(shell_bench::memory_at);
        EXPECT_EQ(b.device.set_clock_period(sc_core::SC_ZERO_TIME), std::nullopt);
        const auto begin = now() + ns(500);
        b.write(reg::ctrl, isa::ctrl_start, ns(500));
        sc_core::wait(ns(20));
        EXPECT_EQ(b.device.set_clock_period(ns(2)), std::nullopt);
        wait_for_end(b);
        EXPECT_EQ(b.kept.started_at_ps, begin.value());
    });
}

TEST_F(clock_test, abort_of_a_waiting_start_acts_when_the_clock_returns)
{
    run([](shell_bench& b) {
        EXPECT_EQ(b.device.set_clock_period(sc_core::SC_ZERO_TIME), std::nullopt);
        b.start(toil_program(100));
        b.write(reg::ctrl, isa::ctrl_abort);
        sc_core::wait(ns(100));
        EXPECT_EQ(b.read(reg::status), isa::status_busy);
        EXPECT_EQ(b.device.set_clock_period(ns(2)), std::nullopt);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.error(), isa::error_code::aborted);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), 0u);
    });
}

TEST_F(clock_test, reset_cancels_a_waiting_start)
{
    run([](shell_bench& b) {
        EXPECT_EQ(b.device.set_clock_period(sc_core::SC_ZERO_TIME), std::nullopt);
        b.start(toil_program(100));
        b.write(reg::ctrl, isa::ctrl_reset);
        EXPECT_EQ(b.read(reg::status), 0u);
        EXPECT_EQ(b.device.set_clock_period(ns(2)), std::nullopt);
        sc_core::wait(ns(1000));
        EXPECT_EQ(b.kept.started_programs, 0u);
        b.run(toil_program(7));
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(toil_program(7)) + 7);
    });
}

// ---- the port ----

TEST_F(clock_port_test, frequency_sets_the_period)
{
    run(250'000'000, [this](shell_bench& b) {
        const auto program = toil_program(100);
        EXPECT_EQ(b.device.clock_period(), ns(4));
        EXPECT_EQ(b.device.set_clock_period(ns(5)),
                  "clock_period: clock_hz is bound, expected the change on this port");
        b.start(program);
        wait_for_end(b);
        EXPECT_EQ(b.kept.ended_at_ps.back() - b.kept.started_at_ps, (fetch_cycles(program) + 100) * 4000);
        m_hz->write(1'500'000'000); // 666.67 ps: rounded
        sc_core::wait(ns(1));
        EXPECT_EQ(b.device.clock_period(), sc_core::sc_time(667, sc_core::SC_PS));
    });
}

TEST_F(clock_port_test, change_while_busy_acts_at_the_end_of_the_program)
{
    run(500'000'000, [this](shell_bench& b) {
        const auto program = toil_program(100);
        b.start(program);
        sc_core::wait(ns(20));
        m_hz->write(0);
        sc_core::wait(ns(20));
        m_hz->write(100'000'000); // the latest counts
        sc_core::wait(ns(20));
        EXPECT_EQ(b.device.clock_period(), ns(2));
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.kept.ended_at_ps.back() - b.kept.started_at_ps, (fetch_cycles(program) + 100) * 2000);
        EXPECT_EQ(b.device.clock_period(), ns(10));
    });
}

TEST_F(clock_port_test, zero_hertz_gates_and_a_start_waits)
{
    run(0, [this](shell_bench& b) {
        EXPECT_EQ(b.device.power(), power_state::clock_gated);
        b.start(toil_program(10));
        sc_core::wait(ns(300));
        EXPECT_EQ(b.read(reg::status), isa::status_busy);
        m_hz->write(1'000'000'000);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(toil_program(10)) + 10);
    });
}

TEST_F(clock_port_test, frequency_out_of_range_is_an_error)
{
    sc_core::sc_signal<std::uint64_t> hz("hz", 1);
    shell_bench bench("bench", [](shell_bench&) {});
    bench.device.clock_hz.bind(hz);
    const expected_report wrong("/tensorloom/shell/clock");
    EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
    EXPECT_EQ(wrong.last_message().rfind("bench.device: clock_hz: 1 Hz; ", 0), 0u) << wrong.last_message();
}

// ---- power ----

TEST_F(clock_test, power_gate_loses_contents_and_ignores_writes)
{
    run([](shell_bench& b) {
        isa::program_builder tiring;
        tiring.add(toil_device::toil, toil_device::flag_tires, 0, toil_device::payload(5));
        b.write(reg::irq_enable, isa::irq_done);
        b.run(tiring.bytes()); // every later toil is longer, until a reset
        sc_core::wait(ns(1));
        EXPECT_TRUE(b.irq.read());
        EXPECT_EQ(b.device.power_off(), std::nullopt);
        EXPECT_EQ(b.device.power(), power_state::power_gated);
        sc_core::wait(ns(1));
        EXPECT_FALSE(b.irq.read());
        EXPECT_EQ(b.read(reg::status), 0u);
        EXPECT_EQ(b.read(reg::id), toil_description.id);
        b.start(toil_program(9));
        EXPECT_EQ(b.read(reg::program_addr_hi), 0u);
        sc_core::wait(ns(1000));
        EXPECT_EQ(b.read(reg::status), 0u);
        EXPECT_EQ(b.kept.started_programs, 1u);

        b.device.power_on();
        EXPECT_EQ(b.device.power(), power_state::on);
        b.run(toil_program(9));
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(toil_program(9)) + 9);
    });
}

TEST_F(clock_test, power_gate_drops_a_waiting_start)
{
    run([](shell_bench& b) {
        EXPECT_EQ(b.device.set_clock_period(sc_core::SC_ZERO_TIME), std::nullopt);
        b.start(toil_program(9));
        EXPECT_EQ(b.device.power_off(), std::nullopt);
        EXPECT_FALSE(b.device.busy());
        b.device.power_on();
        EXPECT_EQ(b.device.power(), power_state::clock_gated);
        EXPECT_EQ(b.device.set_clock_period(ns(2)), std::nullopt);
        sc_core::wait(ns(1000));
        EXPECT_EQ(b.kept.started_programs, 0u);
    });
}

TEST_F(clock_test, saved_state_has_neither_clock_nor_power)
{
    run([](shell_bench& b) {
        b.run(toil_program(9));
        const auto state = saved(b.device);
        EXPECT_EQ(b.device.set_clock_period(ns(7)), std::nullopt);
        EXPECT_EQ(saved(b.device), state);
        EXPECT_EQ(b.device.power_off(), std::nullopt);
        EXPECT_NE(refusal(b.device, state).find("it is power gated"), std::string::npos);
        b.device.power_on();
        restore(b.device, state);
        EXPECT_EQ(b.device.clock_period(), ns(7));
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(toil_program(9)) + 9);
    });
}

// ---- residency and energy ----

TEST_F(clock_test, residency_sums_to_the_simulated_time)
{
    run([](shell_bench& b) {
        sc_core::wait(ns(100));
        EXPECT_EQ(b.device.set_clock_period(sc_core::SC_ZERO_TIME), std::nullopt);
        sc_core::wait(ns(30));
        EXPECT_EQ(b.device.power_off(), std::nullopt);
        sc_core::wait(ns(7));
        b.device.power_on(); // the clock is still gated
        sc_core::wait(ns(5));
        EXPECT_EQ(b.device.set_clock_period(ns(4)), std::nullopt);
        EXPECT_EQ(b.device.power_off(), std::nullopt);
        sc_core::wait(ns(11));
        b.device.power_on();
        b.run(toil_program(50));
        EXPECT_EQ(spent_ns(b, power_state::clock_gated), 35u);
        EXPECT_EQ(spent_ns(b, power_state::power_gated), 18u);
        EXPECT_EQ(b.device.residency().total_ps(), now().value());
        EXPECT_EQ(b.device.residency().in(power_state::on), now().value() - 53'000);
    });
}

constexpr base::event_definition charged_definitions[] = {{"cycle", "work", "."}, {"byte", "", "."}};
constexpr base::event_table charged_events = base::make_event_table(charged_definitions);

/// 3 pJ for a cycle of toil, 2 mW of leakage.
costs::energy_model toil_model()
{
    costs::energy_model model;
    model.events = charged_events;
    model.costs = {{3.0, false}, {0.0, false}};
    model.leakage = {{"leakage", 2.0, false}};
    return model;
}

TEST_F(clock_test, energy_of_programs_of_two_periods_and_of_the_time_between)
{
    activity::program_log log("bench.device");
    const std::uint64_t unused[2] = {};
    log.attach("bench.device", toil_events, unused);
    const std::vector<activity::module_energy> modules{{"bench.device", toil_model()}};
    shell_bench bench("bench", [&](shell_bench& b) {
        const auto program = toil_program(100);
        const auto cycles = static_cast<double>(fetch_cycles(program) + 100);
        double of_programs = 0;
        for (const double period_ns : {2.0, 5.0}) {
            EXPECT_EQ(b.device.set_clock_period(ns(period_ns)), std::nullopt);
            b.start(program);
            wait_for_end(b);
            EXPECT_EQ(log.clock_period_ps(), static_cast<std::uint64_t>(period_ns * 1000));
            const activity::energy_report energy(log, modules);
            ASSERT_EQ(energy.totals().size(), 2u);
            EXPECT_NEAR(energy.totals()[0].pj, 3.0 * 100, 1e-9);
            EXPECT_NEAR(energy.totals()[1].pj, 2.0 * cycles * period_ns, 1e-9);
            EXPECT_NEAR(energy.total_pj(), 300 + 2.0 * cycles * period_ns, 1e-9);
            EXPECT_THROW(activity::energy_report(log, 3.0, modules), std::invalid_argument);
            of_programs += energy.totals()[1].pj;
        }
        EXPECT_EQ(b.device.set_clock_period(sc_core::SC_ZERO_TIME), std::nullopt);
        sc_core::wait(ns(400));
        EXPECT_EQ(b.device.power_off(), std::nullopt);
        sc_core::wait(ns(1000));

        const auto spent = b.device.residency();
        const double on_ns = static_cast<double>(spent.in(power_state::on)) / 1000;
        EXPECT_NEAR(on_ns + 1400, now().to_seconds() * 1e9, 1e-6);
        const auto leaked = [&](const base::power_residency& time, double share) {
            const auto energies = activity::leakage_of(modules, time, share);
            EXPECT_EQ(energies.size(), 1u);
            return costs::total_pj(energies);
        };
        EXPECT_NEAR(leaked(spent, 0), 2.0 * (on_ns + 400), 1e-9);
        EXPECT_NEAR(leaked(spent, 0.25), 2.0 * (on_ns + 400 + 250), 1e-9);
        base::power_residency programs;
        programs.ps[0] = static_cast<std::uint64_t>(cycles) * (2000 + 5000);
        EXPECT_NEAR(leaked(spent - programs, 0.25) + of_programs, leaked(spent, 0.25), 1e-9);
        EXPECT_THROW(activity::leakage_of(modules, spent, 1.5), std::invalid_argument);
    });
    bench.kept.next = &log;
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished());
}

} // namespace
} // namespace tensorloom::test
