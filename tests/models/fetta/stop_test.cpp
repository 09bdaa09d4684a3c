// Abort and reset act at the next cycle, burst or command: at the same time in both fidelities. The next program is as
// on a fresh device.
#include <cstdint>
#include <ostream>
#include <tuple>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arch/program/register_map.h>
#include "models/fetta/fetta_bench.h"
#include "models/fetta/fetta_program.h"
#include "models/fetta/traced_fetta.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arch::fetta::mapping;

enum class how { abort, reset };
void PrintTo(how h, std::ostream* out) { *out << (h == how::abort ? "abort" : "reset"); }

constexpr std::uint32_t words = 8192; // of the unified memory that are loaded

fetta::config device()
{
    fetta::config c;
    c.geometry.bank_bytes = 4096;
    c.geometry.accumulator_bank_bytes = 1024;
    c.overlap = false;
    return c;
}

std::vector<std::uint8_t> long_program()
{
    const auto g = device().geometry;
    auto kept = fetta_program::banked(g, mapping::ws_v);
    kept.flags = arch::fetta::contract_command::flag_keep;
    kept.result.base = 0;
    auto last = fetta_program::banked(g, mapping::ws_v);
    last.flags = arch::fetta::contract_command::flag_accumulate;
    fetta_program p(g);
    p.load(fetta_bench::data_at, 0, words);
    p.loop(2);
    p.contract(fetta_program::product(g, 12000, 64, 4096, 14, 20, 18));
    p.contract(fetta_program::banked(g, mapping::os_1));
    p.contract(kept).contract(last);
    p.vector(arch::vector::opcode::add, 12000, 12000, 64, 100);
    p.end();
    return p.store(12000, fetta_bench::data_at + 0x10000, 256).bytes();
}

struct stopped_program {
    fetta_outcome stopped;
    std::uint32_t status_after = 0;
    std::vector<std::uint8_t> first_words; // of the unified memory, after the stop
    fetta_outcome next;                    // the same program, run again afterwards
    std::vector<std::uint8_t> stored;      // by it
};

// Starts the program, asks for the stop some picoseconds after START, and runs the program again. 0: no stop.
fetta_bench::program_type stopping(how stop, std::uint64_t after_ps, stopped_program& s)
{
    return [stop, after_ps, &s](fetta_bench& b) {
        std::vector<float> numbers(words);
        for (std::size_t i = 0; i < numbers.size(); ++i) { numbers[i] = static_cast<float>(i * i % 23) - 11; }
        b.cpu().preload(fetta_bench::data_at, numbers.data(), 4 * numbers.size());
        const auto program = long_program();
        if (after_ps != 0) {
            auto driver = b.driver();
            b.cpu().write_block(fetta_bench::program_at, program.data(), program.size());
            driver.start(fetta_bench::program_at);
            wait(sc_core::sc_time(static_cast<double>(after_ps), sc_core::SC_PS));
            if (stop == how::abort) {
                driver.abort();
                s.stopped.result = driver.finish(fetta_bench::timeout_ns);
                b.collect(s.stopped, driver);
            } else {
                driver.reset();
            }
            s.status_after = driver.read(arch::reg::status);
            b.run(fetta_program(device().geometry).store(0, fetta_bench::data_at + 0x20000, words).bytes());
            s.first_words = b.read(fetta_bench::data_at + 0x20000, 4 * words);
        }
        s.next = b.run(program);
        s.stored = b.read(fetta_bench::data_at + 0x10000, 1024);
    };
}

class stop_test : public sim_test_with_param<std::tuple<how, bool, int>> {};

class fetta_stop : public sim_test {};

TEST_P(stop_test, same_time_in_both_fidelities_and_the_next_program_is_as_on_a_fresh_device)
{
    const auto [stop, overlap, number] = GetParam();
    // Behind the load: cycle boundaries, and times between them.
    const auto after_ps = static_cast<std::uint64_t>(560 + 30 * number) * 1000 + (number % 2 == 0 ? 0 : 250);
    stopped_program fast, detailed, traced, fresh;
    fetta::config config = device();
    config.overlap = overlap;
    fetta_bench a("fast", config, stopping(stop, after_ps, fast));
    fetta_bench f("fresh", config, stopping(stop, 0, fresh));
    config.fidelity = blocks::fidelity::detailed;
    fetta_bench d("detailed", config, stopping(stop, after_ps, detailed));
    traced_fetta t("traced", config, traced_fetta::everything(), stopping(stop, after_ps, traced));
    sc_core::sc_start();
    ASSERT_TRUE(a.finished() && d.finished() && f.finished() && t.finished());

    EXPECT_EQ(fast.stopped.result.aborted, stop == how::abort);
    EXPECT_EQ(fast.status_after, stop == how::abort ? arch::status_error | arch::status_aborted : 0u);
    EXPECT_EQ(detailed.status_after, fast.status_after);
    EXPECT_EQ(fast.stopped.result.cycles, detailed.stopped.result.cycles);
    EXPECT_TRUE(fast.stopped.rows == detailed.stopped.rows);
    EXPECT_EQ(fast.stopped.logged_cycles(), fast.stopped.result.cycles);
    if (stop == how::reset) {
        EXPECT_TRUE(fast.first_words == std::vector<std::uint8_t>(4 * words));
        EXPECT_TRUE(detailed.first_words == fast.first_words);
    }

    EXPECT_TRUE(fresh.next.result.done);
    EXPECT_TRUE(fast.next.rows == fresh.next.rows);
    EXPECT_TRUE(detailed.next.rows == fresh.next.rows);
    EXPECT_EQ(fast.next.result.cycles, fresh.next.result.cycles);
    EXPECT_TRUE(fast.stored == fresh.stored);
    EXPECT_TRUE(detailed.stored == fresh.stored);

    EXPECT_EQ(traced.status_after, fast.status_after);
    EXPECT_EQ(traced.stopped.result.cycles, fast.stopped.result.cycles);
    EXPECT_TRUE(traced.stopped.rows == fast.stopped.rows);
    EXPECT_TRUE(traced.next.rows == fresh.next.rows);
    EXPECT_TRUE(traced.stored == fresh.stored);
    unsigned at_rest = 0;
    vcd_signals(t.text()).visit([&](const auto& now, std::uint64_t) {
        if (signal(now, "busy") != 0) { return; }
        ++at_rest;
        ASSERT_EQ(active_signals(now), "");
    });
    EXPECT_GT(at_rest, 1u);
}

// Every row of IA lies in one bank: of 64 cycles that a step lasts the engines wait in 63.
TEST_F(fetta_stop, an_abort_in_a_conflict_acts_in_it)
{
    const auto g = device().geometry;
    auto c = fetta_program::product(g, 12000, 0, 16384, 20, 64, 4);
    c.mask_contracted = 15, c.mask_ib = 0;
    c.ia.mode[0].stride = 64; // K
    c.ia.mode[1].stride = 1;
    const auto program = fetta_program(g).contract(c).bytes();
    fetta_outcome outcomes[3];
    const auto aborted = [&](fetta_outcome& outcome) {
        return [&program, &outcome](fetta_bench& b) {
            auto driver = b.driver();
            b.cpu().write_block(fetta_bench::program_at, program.data(), program.size());
            driver.start(fetta_bench::program_at);
            wait(sc_core::sc_time(700, sc_core::SC_NS));
            driver.abort();
            outcome.result = driver.finish(fetta_bench::timeout_ns);
            b.collect(outcome, driver);
        };
    };
    fetta::config config = device();
    fetta_bench fast("fast", config, aborted(outcomes[0]));
    config.fidelity = blocks::fidelity::detailed;
    fetta_bench detailed("detailed", config, aborted(outcomes[1]));
    traced_fetta traced("traced", config, traced_fetta::everything(), aborted(outcomes[2]));
    sc_core::sc_start();
    ASSERT_TRUE(fast.finished() && detailed.finished() && traced.finished());
    for (const auto& o : outcomes) {
        EXPECT_TRUE(o.result.aborted);
        EXPECT_EQ(o.result.cycles, outcomes[0].result.cycles);
        EXPECT_TRUE(o.rows == outcomes[0].rows);
    }
    bool was_busy = false, stalled = false, ended = false;
    vcd_signals(traced.text()).visit([&](const auto& now, std::uint64_t) {
        const bool busy = signal(now, "busy") == 1;
        if (was_busy && !busy) {
            EXPECT_TRUE(stalled) << "the last cycle before the abort";
            EXPECT_EQ(active_signals(now), "");
            ended = true;
        }
        was_busy = busy;
        stalled = signal(now, "stall") == 1;
    });
    EXPECT_TRUE(ended);
}

INSTANTIATE_TEST_SUITE_P(times, stop_test,
                         ::testing::Combine(::testing::Values(how::abort, how::reset), ::testing::Bool(),
                                            ::testing::Range(0, 14)));

} // namespace
