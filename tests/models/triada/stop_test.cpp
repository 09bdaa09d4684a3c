// Abort and reset act at the next step boundary, of a tiled product also at the next burst boundary of the transfer
// beside it; up to there time and counters are the same in both fidelities.
#include <gtest/gtest.h>
#include <tensorloom/models/arch/program/register_map.h>
#include "models/triada/triada_bench.h"
#include "models/triada/random_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

enum class how { abort, reset };

struct stopped_job {
    arch::program_result result;
    std::vector<std::uint64_t> counts_when_stopped;
    std::vector<std::uint64_t> counts_when_asked;
    std::uint32_t status_after = 0;
    gemt_outcome<double> next; // the same case, run again afterwards
};

class stop_bench : public sim_test_with_param<std::tuple<how, int>> {
protected:
    // Starts the case, asks for the stop some picoseconds after START, and runs the case again.
    static void drive(triada_bench& b, const gemt_case<double>& g, how stop, std::uint64_t after_ps, stopped_job& job)
    {
        const auto command = b.place(g);
        arch::triada::driver driver(b.cpu(), testbench::device_base);
        const auto program = arch::triada::driver::program({command});
        b.cpu().write_block(triada_bench::program_at, program.data(), program.size());
        driver.start(triada_bench::program_at);
        wait(sc_core::sc_time(static_cast<double>(after_ps), sc_core::SC_PS));
        for (std::uint32_t e = 0; e < arch::triada::event_count; ++e) {
            job.counts_when_asked.push_back(driver.counter(e));
        }
        if (stop == how::abort) {
            driver.abort();
            job.result = driver.finish(triada_bench::timeout_ns);
            for (std::uint32_t e = 0; e < arch::triada::event_count; ++e) {
                job.counts_when_stopped.push_back(driver.counter(e));
            }
        } else {
            driver.reset();
            while ((driver.read(arch::reg::status) & arch::status_busy) != 0) {}
        }
        job.status_after = driver.read(arch::reg::status);
        job.next = b.run(g);
    }

    // Both fidelities stop in the same way, and the next job is as on a fresh device.
    static void expect_same_stop(triada::config config, const gemt_case<double>& g, how stop, std::uint64_t after_ps)
    {
        stopped_job fast;
        stopped_job detailed;
        gemt_outcome<double> fresh;
        triada_bench a("fast", config, [&](triada_bench& b) { drive(b, g, stop, after_ps, fast); });
        triada_bench f("fresh", config, [&](triada_bench& b) { fresh = b.run(g); });
        config.fidelity = triada::fidelity::detailed;
        triada_bench d("detailed", config, [&](triada_bench& b) { drive(b, g, stop, after_ps, detailed); });
        sc_core::sc_start();
        ASSERT_TRUE(a.finished());
        ASSERT_TRUE(d.finished());
        ASSERT_TRUE(f.finished());

        EXPECT_EQ(fast.counts_when_asked, detailed.counts_when_asked);
        EXPECT_EQ(fast.counts_when_stopped, detailed.counts_when_stopped);
        EXPECT_EQ(fast.result.cycles, detailed.result.cycles);
        EXPECT_EQ(fast.result.aborted, stop == how::abort);
        EXPECT_EQ(fast.status_after, stop == how::abort ? arch::status_error | arch::status_aborted : 0u);
        EXPECT_EQ(detailed.status_after, fast.status_after);

        EXPECT_TRUE(fast.next.result.done);
        EXPECT_EQ(fast.next.result.cycles, fresh.result.cycles);
        EXPECT_EQ(fast.next.counts, fresh.counts);
        EXPECT_EQ(detailed.next.counts, fresh.counts);
        EXPECT_TRUE(same_bits(fast.next.y, fresh.y));
        EXPECT_TRUE(same_bits(detailed.next.y, fresh.y));
    }
};

class stop_test : public stop_bench {};

TEST_P(stop_test, same_in_both_fidelities_and_the_next_job_is_as_on_a_fresh_device)
{
    const auto [stop, after_ns] = GetParam();
    case_maker maker(2);
    auto g = maker.make<double>({6, 6, 6}, case_maker::specials::zeros);
    g.shape = {6, 6, 6};
    g.x = maker.numbers<double>(216, case_maker::specials::zeros);
    g.initial.clear();
    for (unsigned m = 0; m < 3; ++m) {
        g.matrices[m] = maker.numbers<double>(36, case_maker::specials::zeros);
        g.row_orders[m].clear();
    }
    triada::config config;
    config.mesh = {6, 6, 6};
    expect_same_stop(config, g, stop, static_cast<std::uint64_t>(after_ns) * 1000 + 250);
}

// Fetch, matrices, load, the three stages, unload: about 47 + 30 + 33 + 54 + 33 cycles. The counters are read before
// the stop is asked for, which takes another 90.
INSTANTIATE_TEST_SUITE_P(times, stop_test,
                         ::testing::Combine(::testing::Values(how::abort, how::reset),
                                            ::testing::Values(3, 8, 28, 53, 63, 70, 75, 80, 85)));

class tiled_stop_test : public stop_bench {};

// Stops on cycle boundaries, which are those of steps, bursts and transfers, and off them.
TEST_P(tiled_stop_test, same_in_both_fidelities_and_the_next_job_is_as_on_a_fresh_device)
{
    const auto [stop, number] = GetParam();
    case_maker maker(2);
    gemt_case<double> g;
    g.shape = {7, 5, 6};
    g.out = {6, 6, 5};
    g.x = maker.numbers<double>(g.volume(), case_maker::specials::zeros);
    g.initial = maker.numbers<double>(g.result_volume(), case_maker::specials::none);
    for (unsigned m = 0; m < 3; ++m) {
        g.matrices[m] = maker.numbers<double>(std::size_t{g.shape[m]} * g.out[m], case_maker::specials::zeros);
    }
    g.double_buffer = number % 3 != 0;
    triada::config config;
    config.mesh = {3, 2, 4};
    config.load_elements = 1 + static_cast<unsigned>(number) % 5;
    expect_same_stop(config, g, stop, static_cast<std::uint64_t>(29 * number) * 1000 + (number % 2 == 0 ? 0 : 250));
}

// The whole takes about 2000 cycles.
INSTANTIATE_TEST_SUITE_P(times, tiled_stop_test,
                         ::testing::Combine(::testing::Values(how::abort, how::reset), ::testing::Range(0, 60)));

} // namespace
