// Several bursts in flight: when each is issued and when the transfer ends, against the closed form.
#include <algorithm>
#include <ostream>
#include <gtest/gtest.h>
#include "support/sim_test.h"
#include "tlm/dma_bench.h"

namespace tensorloom::test {
namespace {

using bus::dma_event;
using bus::dma_transport;

// n bursts of 16 bytes take 4 beats of 1 ns on the bus and are answered after `latency_ns`.
struct pipeline {
    unsigned outstanding;
    double latency_ns;
};
void PrintTo(const pipeline& p, std::ostream* out) { *out << p.outstanding << " in flight, " << p.latency_ns << " ns"; }

constexpr unsigned bursts = 50;

// Rounds of `outstanding` bursts: within a round the bus is the limit, a round begins when the first burst of the last
// one has ended.
double issue_ns(const pipeline& p, unsigned k)
{
    const double round = std::max(std::max(p.latency_ns, beats_ns), p.outstanding * beats_ns);
    return k / p.outstanding * round + k % p.outstanding * beats_ns;
}
double end_ns(const pipeline& p) { return issue_ns(p, bursts - 1) + std::max(p.latency_ns, beats_ns); }

// The same if beats took no time: a round of bursts takes what a burst needs besides its beats.
double end_without_bus_ns(const pipeline& p)
{
    const unsigned rounds = (bursts + p.outstanding - 1) / p.outstanding;
    return rounds * std::max(p.latency_ns - beats_ns, 0.0);
}
// The same if every burst ended with its beats.
constexpr double end_without_memory_ns = bursts * beats_ns;

class dma_outstanding_test : public sim_test_with_param<pipeline> {
protected:
    template <class Bench> static void expect_closed_form(const Bench& bench, double overstated_ns = 0)
    {
        ASSERT_EQ(bench.target.log.size(), bursts);
        for (unsigned k = 0; k < bursts; ++k) { EXPECT_EQ(bench.target.log[k].time, ns(issue_ns(GetParam(), k))) << k; }
        EXPECT_EQ(bench.end, ns(end_ns(GetParam())));
        EXPECT_EQ(bench.inside, bench.read_of(0, 16 * bursts));
        EXPECT_EQ(bench.count(dma_event::stalled_cycle),
                  static_cast<std::uint64_t>(end_ns(GetParam()) - bursts * beats_ns));
        const double by_bus = end_ns(GetParam()) - end_without_bus_ns(GetParam());
        EXPECT_GE(bench.dma.saved().by_bus, ns(by_bus));
        EXPECT_LE(bench.dma.saved().by_bus, ns(by_bus + overstated_ns));
        EXPECT_EQ(bench.dma.saved().by_memory, ns(end_ns(GetParam()) - end_without_memory_ns));
    }
    static void run_blocking(double quantum_ns)
    {
        tlm::tlm_global_quantum::instance().set(ns(quantum_ns));
        dma_bench<> bench("bench", several_of(GetParam().outstanding, 16), [](auto& b) { b.read(0, 16 * bursts); });
        bench.target.annotated = ns(GetParam().latency_ns);
        sc_core::sc_start();
        expect_closed_form(bench);
    }
};

TEST_P(dma_outstanding_test, blocking_follows_the_closed_form) { run_blocking(0); }
TEST_P(dma_outstanding_test, blocking_with_a_small_quantum_follows_the_closed_form) { run_blocking(7); }
TEST_P(dma_outstanding_test, blocking_with_a_large_quantum_follows_the_closed_form) { run_blocking(1e6); }

TEST_P(dma_outstanding_test, non_blocking_follows_the_closed_form)
{
    at_dma_bench bench("bench", several_of(GetParam().outstanding, 16, dma_transport::non_blocking),
                       [](auto& b) { b.read(0, 16 * bursts); });
    bench.target.plan = [](const auto&) {
        at_answer a;
        a.respond = ns(GetParam().latency_ns);
        return a;
    };
    sc_core::sc_start();
    expect_closed_form(bench);
}

// Each burst is a transfer of its own, which returns at its issue.
TEST_P(dma_outstanding_test, transfers_that_run_ahead_follow_the_closed_form)
{
    dma_bench<> bench("bench", several_of(GetParam().outstanding, 16), [&](auto& b) {
        b.dma.run_ahead(true);
        for (unsigned k = 0; k < bursts; ++k) {
            b.result = b.dma.read(16 * k, b.inside.data() + 16 * k, 16, b.stop);
            EXPECT_EQ(b.result.sent, ns(issue_ns(GetParam(), k) + beats_ns));
            EXPECT_EQ(b.result.ended, ns(issue_ns(GetParam(), k) + std::max(GetParam().latency_ns, beats_ns)));
            EXPECT_EQ(sc_core::sc_time_stamp(), ns(issue_ns(GetParam(), k)));
        }
        EXPECT_EQ(b.result.idle, ns(end_ns(GetParam())));
        sc_core::wait(b.result.idle - sc_core::sc_time_stamp());
        b.dma.run_ahead(false);
    });
    bench.target.annotated = ns(GetParam().latency_ns);
    sc_core::sc_start();
    expect_closed_form(bench, GetParam().outstanding * beats_ns); // the beats of a round
}

INSTANTIATE_TEST_SUITE_P(pipelines, dma_outstanding_test,
                         testing::Values(pipeline{1, 0}, pipeline{1, 10}, pipeline{2, 3}, pipeline{2, 10},
                                         pipeline{3, 100}, pipeline{4, 16}, pipeline{4, 17}, pipeline{16, 40},
                                         pipeline{16, 1000}, pipeline{64, 1000}));

class dma_overlap_test : public sim_test {};

// What does not overlap does not run ahead: each call returns at the end of its last burst.
TEST_F(dma_overlap_test, runs_that_do_not_overlap_do_not_run_ahead)
{
    auto config = several_of(4, 16);
    config.overlap_runs = false;
    dma_bench<> bench("bench", config, [&](auto& b) {
        b.dma.run_ahead(true);
        for (unsigned k = 1; k <= 3; ++k) {
            b.result = b.dma.read({{0, b.inside.data(), 16}, {64, b.inside.data() + 16, 16}}, b.stop);
            EXPECT_EQ(sc_core::sc_time_stamp(), ns(k * 20.0));
            for (const auto& end : {b.result.sent, b.result.ended, b.result.idle}) {
                EXPECT_EQ(end, sc_core::sc_time_stamp());
            }
        }
        b.dma.run_ahead(false);
    });
    bench.target.annotated = ns(10);
    sc_core::sc_start();
    EXPECT_EQ(bench.target.log.size(), 6u);
}

// Nor does non-blocking transport, whose transfers end when they return.
TEST_F(dma_overlap_test, non_blocking_transfers_do_not_run_ahead)
{
    at_dma_bench bench("bench", several_of(4, 16, dma_transport::non_blocking), [](auto& b) {
        b.dma.run_ahead(true);
        b.read(0, 64);
        EXPECT_EQ(b.result.sent, sc_core::sc_time_stamp());
        EXPECT_EQ(b.result.idle, sc_core::sc_time_stamp());
        b.dma.run_ahead(false);
    });
    bench.target.plan = [](const auto&) {
        at_answer a;
        a.respond = ns(30);
        return a;
    };
    sc_core::sc_start();
    EXPECT_EQ(bench.target.log.size(), 4u);
}

TEST_F(dma_overlap_test, target_that_waits_inside_takes_one_burst_after_the_other)
{
    dma_bench<> bench("bench", several_of(8, 16), [](auto& b) { b.read(0, 160); });
    bench.target.intercept = [](tlm::tlm_generic_payload&, sc_core::sc_time& delay) {
        sc_core::wait(delay + ns(9));
        delay = sc_core::SC_ZERO_TIME;
    };
    sc_core::sc_start();
    EXPECT_EQ(bench.end, ns(90));
    EXPECT_EQ(bench.inside, bench.read_of(0, 160));
}

TEST_F(dma_overlap_test, target_that_waits_now_and_then_is_called_in_no_past_time)
{
    tlm::tlm_global_quantum::instance().set(ns(100));
    dma_bench<> bench("bench", several_of(4, 16), [](auto& b) { b.read(0, 640); });
    bench.target.intercept = [](tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
        if (t.get_address() % 48 == 0) { sc_core::wait(ns(33)); }
        delay += ns(t.get_address() % 7);
    };
    sc_core::sc_start();
    const auto& log = bench.target.log;
    ASSERT_EQ(log.size(), 40u);
    for (std::size_t k = 1; k < log.size(); ++k) { EXPECT_GE(log[k].time, log[k - 1].time + ns(beats_ns)) << k; }
    EXPECT_EQ(bench.inside, bench.read_of(0, 640));
}

TEST_F(dma_overlap_test, runs_ahead_no_further_than_the_quantum)
{
    tlm::tlm_global_quantum::instance().set(ns(50));
    dma_bench<> bench("bench", several_of(8, 16), [](auto& b) { b.read(0, 4000); });
    sc_core::sc_time furthest;
    bench.target.annotated = ns(1);
    bench.target.intercept = [&](tlm::tlm_generic_payload&, sc_core::sc_time& delay) {
        furthest = std::max(furthest, delay);
    };
    sc_core::sc_start();
    EXPECT_LE(furthest, ns(50));
    EXPECT_GE(furthest, ns(40));
}

TEST_F(dma_overlap_test, short_burst_does_not_end_before_a_long_one_lets_it_on_the_bus)
{
    // 8 bytes (2 beats), 16 bytes (4 beats), 4 bytes (1 beat): issued at 0, 2, 6; the last ends at 7, answers come at
    // once.
    dma_bench<> bench("bench", several_of(3, 16), [](auto& b) { b.read(8, 28); });
    sc_core::sc_start();
    EXPECT_EQ(bench.end, ns(7));
}

TEST_F(dma_overlap_test, numbers_of_outstanding_bursts_beyond_1_to_64_are_refused)
{
    for (unsigned n : {0u, 65u, 0xffffffffu}) { EXPECT_TRUE(validate(several_of(n, 16))) << n; }
    for (unsigned n : {1u, 64u}) { EXPECT_FALSE(validate(several_of(n, 16))) << n; }
    EXPECT_TRUE(validate(several_of(1, 16, static_cast<dma_transport>(2))));
}

} // namespace
} // namespace tensorloom::test
