// Abort and reset act at the next cycle, burst or command: at the same time in both fidelities. The next program is as
// on a fresh device.
#include <cstdint>
#include <cstring>
#include <tuple>
#include <vector>
#include <gtest/gtest.h>
#include "models/fetta/fetta_bench.h"
#include "models/fetta/fetta_program.h"
#include "models/fetta/traced_fetta.h"
#include "models/stopped_programs.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using fetta::mapping;

constexpr std::uint32_t words = 8192; // of the unified memory that are loaded

fetta::config device()
{
    fetta::config c;
    c.limits.bank_bytes = 4096;
    c.limits.accumulator_bank_bytes = 1024;
    c.overlap = false;
    return c;
}

// A load, CONTRACTs of both kinds with sums that are kept, vector instructions in a loop, and a store.
stopped_job job()
{
    const auto g = device().limits;
    std::vector<float> numbers(words);
    for (std::size_t i = 0; i < numbers.size(); ++i) { numbers[i] = static_cast<float>(i * i % 23) - 11; }
    program_bytes data(4 * numbers.size());
    std::memcpy(data.data(), numbers.data(), data.size());
    auto kept = fetta_program::banked(g, mapping::ws_v);
    kept.flags = fetta::contract_command::flag_keep;
    kept.result.base = 0;
    auto last = fetta_program::banked(g, mapping::ws_v);
    last.flags = fetta::contract_command::flag_accumulate;
    fetta_program p(g);
    p.load(fetta_bench::data_at, 0, words);
    p.loop(2);
    p.contract(fetta_program::product(g, 12000, 64, 4096, 14, 20, 18));
    p.contract(fetta_program::banked(g, mapping::os_1));
    p.contract(kept).contract(last);
    p.vector(isa::vector::opcode::add, 12000, 12000, 64, 100);
    p.end();
    p.store(12000, fetta_bench::data_at + 0x10000, 256);
    return {data,
            p.bytes(),
            {fetta_bench::data_at + 0x10000, 1024},
            fetta_program(g).store(0, fetta_bench::data_at + 0x20000, words).bytes(),
            {fetta_bench::data_at + 0x20000, 4 * words}};
}

class stop_test : public sim_test_with_param<std::tuple<how, bool, int>> {};

class fetta_stop : public sim_test {};

TEST_P(stop_test, same_time_in_both_fidelities_and_the_next_program_is_as_on_a_fresh_device)
{
    const auto [stop, overlap, number] = GetParam();
    // Behind the load: cycle boundaries, and times between them.
    const auto after_ps = static_cast<std::uint64_t>(560 + 30 * number) * 1000 + (number % 2 == 0 ? 0 : 250);
    const auto j = job();
    stopped_program<fetta_bench> fast, detailed, traced, fresh;
    fetta::config config = device();
    config.overlap = overlap;
    fetta_bench a("fast", config, stopping(j, stop, after_ps, fast));
    fetta_bench f("fresh", config, stopping(j, stop, std::nullopt, fresh));
    config.fidelity = blocks::fidelity::detailed;
    fetta_bench d("detailed", config, stopping(j, stop, after_ps, detailed));
    traced_fetta t("traced", config, traced_fetta::everything(), stopping(j, stop, after_ps, traced));
    run_to_end(a, d, f, t);
    expect_same_stop(stop, fast, detailed, fresh);
    expect_same_stop(stop, fast, traced, fresh);
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
    const auto g = device().limits;
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
    run_to_end(fast, detailed, traced);
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
