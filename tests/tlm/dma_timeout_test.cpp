// A time-out: what has no answer in time has failed, what comes late for it is taken and dropped, and nothing hangs.
#include <algorithm>
#include <ostream>
#include <string>
#include <gmock/gmock.h>
#include "support/sim_test.h"
#include "tlm/dma_bench.h"

namespace tensorloom::test {
namespace {

using bus::dma_event;
using bus::dma_result;
using bus::dma_transport;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using way = at_answer::way;

constexpr unsigned timeout_ns = 50;

// Bursts of 16 bytes, 4 beats of 1 ns.
bus::dma_config patient(unsigned outstanding = 1)
{
    auto c = several_of(outstanding, 16, dma_transport::non_blocking);
    c.timeout_cycles = timeout_ns;
    return c;
}

at_answer accepted_and_answered(double accept_ns, double respond_ns)
{
    at_answer a = answer_after(respond_ns);
    a.accept = ns(accept_ns);
    return a;
}

// Answers after 10 ns, at one address after another time.
auto slow_at(std::uint64_t address, double respond_ns, double accept_ns = 0)
{
    return [=](const tlm::tlm_generic_payload& t) {
        return t.get_address() == address ? accepted_and_answered(accept_ns, respond_ns) : answer_after(10);
    };
}

class dma_timeout_test : public sim_test {};

TEST_F(dma_timeout_test, burst_without_an_answer_ends_the_transfer_at_its_time)
{
    at_dma_bench bench("bench", patient(), [](auto& b) { b.read(0, 128); });
    bench.target.plan = slow_at(32, 10000);
    sc_core::sc_start(ns(1000));
    EXPECT_TRUE(bench.finished);
    EXPECT_EQ(bench.result.outcome, dma_result::outcome::timed_out);
    EXPECT_EQ(bench.result.address, 32u);
    EXPECT_EQ(bench.end, ns(20 + timeout_ns));
    EXPECT_THAT(bench.target.addresses(), ElementsAre(0, 16, 32));
    EXPECT_EQ(bench.inside, bench.read_of(0, 32));
    EXPECT_EQ(bench.count(dma_event::read_transaction), 2u);
    EXPECT_EQ(bench.count(dma_event::incomplete_response), 0u);
}

TEST_F(dma_timeout_test, bursts_in_flight_finish)
{
    at_dma_bench bench("bench", patient(4), [](auto& b) { b.read(0, 512); });
    bench.target.plan = slow_at(16, 10000);
    sc_core::sc_start(ns(1000));
    EXPECT_EQ(bench.result.outcome, dma_result::outcome::timed_out);
    EXPECT_EQ(bench.result.address, 16u);
    EXPECT_EQ(bench.end, ns(4 + timeout_ns));
    EXPECT_THAT(bench.target.addresses(), ElementsAre(0, 16, 32, 48, 64));
    EXPECT_EQ(bench.count(dma_event::read_transaction), 4u);
    EXPECT_THAT(bench.target.violations, IsEmpty());
}

TEST_F(dma_timeout_test, first_by_order_of_issue_is_told_though_another_fails_before)
{
    at_dma_bench bench("bench", patient(8), [](auto& b) { b.read(0, 512); });
    bench.target.plan = [](const tlm::tlm_generic_payload& t) {
        auto a = answer_after(t.get_address() == 16 ? 10000 : 10);
        if (t.get_address() == 32) { a.status = tlm::TLM_BURST_ERROR_RESPONSE; } // known at 18 ns
        return a;
    };
    sc_core::sc_start(ns(1000));
    EXPECT_EQ(bench.result.outcome, dma_result::outcome::timed_out);
    EXPECT_EQ(bench.result.address, 16u);
    EXPECT_EQ(bench.target.log.size(), 5u);
    EXPECT_EQ(bench.end, ns(4 + timeout_ns));
}

TEST_F(dma_timeout_test, nothing_is_issued_from_the_time_out_on)
{
    auto config = patient(8);
    config.burst_bytes = 64; // 16 beats: issued at 0, 16, 32, 48 ns, and not at 64
    at_dma_bench bench("bench", config, [](auto& b) { b.read(0, 1024); });
    bench.target.plan = [](const tlm::tlm_generic_payload& t) {
        return answer_after(t.get_address() == 0 ? 10000 : 20);
    };
    sc_core::sc_start(ns(1000));
    EXPECT_EQ(bench.target.log.size(), 4u);
    EXPECT_EQ(bench.result.address, 0u);
    EXPECT_EQ(bench.end, ns(48 + 20));
}

// ---- late answers ----

TEST_F(dma_timeout_test, late_answer_is_taken_and_dropped_and_its_payload_kept_until_then)
{
    at_dma_bench bench("bench", patient(), [](auto& b) {
        b.read(0, 16);
        EXPECT_EQ(b.result.outcome, dma_result::outcome::timed_out);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(timeout_ns));
        b.read(512, 64); // by other payloads
        EXPECT_TRUE(b.result.ok());
        EXPECT_EQ(b.target.seen.size(), 2u);
        EXPECT_EQ(b.target.freed, 4u);
        EXPECT_EQ(b.target.in_flight(), 1u);
        sc_core::wait(ns(1000)); // the answer comes
        EXPECT_EQ(b.target.in_flight(), 0u);
        EXPECT_EQ(b.inside, b.read_of(512, 64));
        b.read(512, 64);
        EXPECT_EQ(b.target.freed, 9u);
        EXPECT_EQ(b.target.seen.size(), 2u);
        EXPECT_EQ(b.count(dma_event::read_transaction), 8u);
    });
    bench.target.plan = slow_at(0, 500);
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
    EXPECT_THAT(bench.target.violations, IsEmpty());
}

TEST_F(dma_timeout_test, late_write_takes_what_was_sent)
{
    at_dma_bench bench("bench", patient(), [](auto& b) {
        std::fill(b.inside.begin(), b.inside.end(), 0x11);
        b.write(0, 16);
        EXPECT_EQ(b.result.outcome, dma_result::outcome::timed_out);
        std::fill(b.inside.begin(), b.inside.end(), 0x22);
        sc_core::wait(ns(1000));
    });
    bench.target.plan = slow_at(0, 500);
    sc_core::sc_start();
    EXPECT_THAT(std::vector<unsigned char>(bench.target.bytes.begin(), bench.target.bytes.begin() + 16), Each(0x11));
    EXPECT_EQ(bench.count(dma_event::write_transaction), 0u);
}

TEST_F(dma_timeout_test, late_answer_within_another_transfer_changes_nothing)
{
    at_dma_bench bench("bench", patient(4), [](auto& b) {
        b.read(0, 16);
        b.read(1024, 1024);
    });
    bench.target.gossips = true; // answers twice, and phases that nobody knows
    bench.target.plan = slow_at(0, 100);
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_EQ(bench.inside, bench.read_of(1024, 1024));
    EXPECT_EQ(bench.count(dma_event::read_transaction), 64u);
    EXPECT_EQ(bench.target.in_flight(), 0u);
}

// ---- a request that does not end ----

TEST_F(dma_timeout_test, no_request_is_sent_before_one_that_was_given_up_has_ended)
{
    at_dma_bench bench("bench", patient(4), [](auto& b) {
        b.read(0, 256);
        EXPECT_EQ(b.result.outcome, dma_result::outcome::timed_out);
        EXPECT_EQ(b.result.address, 0u);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(timeout_ns));
        b.read(512, 64); // never gets the bus
        EXPECT_EQ(b.result.outcome, dma_result::outcome::timed_out);
        EXPECT_EQ(b.result.address, 512u);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(2 * timeout_ns));
        EXPECT_EQ(b.target.log.size(), 1u);
        sc_core::wait(ns(380)); // it ends within the time-out, at 500 ns
        b.read(512, 64);
        EXPECT_EQ(b.target.log.at(1).time, ns(500));
    });
    bench.target.plan = slow_at(0, 2000, 500);
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_EQ(bench.inside, bench.read_of(512, 64));
    EXPECT_EQ(bench.target.in_flight(), 0u);
    EXPECT_THAT(bench.target.violations, IsEmpty());
}

TEST_F(dma_timeout_test, end_of_a_request_that_is_announced_for_later_counts_at_its_time)
{
    at_dma_bench bench("bench", patient(), [](auto& b) {
        b.read(0, 16);
        b.read(512, 16);
        EXPECT_EQ(b.result.outcome, dma_result::outcome::timed_out);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(2 * timeout_ns));
    });
    bench.target.plan = [](const auto&) {
        auto a = accepted_and_answered(500, 2000);
        a.how = way::end_returned;
        return a;
    };
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished);
    EXPECT_EQ(bench.target.log.size(), 1u);
}

// ---- stops ----

TEST_F(dma_timeout_test, stop_waits_no_longer_than_the_time_out)
{
    at_dma_bench bench("bench", patient(4), [](auto& b) {
        b.stop.request(ns(6));
        b.read(0, 256);
        EXPECT_EQ(b.result.outcome, dma_result::outcome::timed_out); // in flight when the stop came: it is told
        EXPECT_EQ(b.result.address, 16u);
        EXPECT_EQ(sc_core::sc_time_stamp(), ns(4 + timeout_ns));
        EXPECT_EQ(b.target.log.size(), 2u);
    });
    bench.target.plan = slow_at(16, 10000);
    sc_core::sc_start(ns(1000));
    EXPECT_TRUE(bench.finished);
}

TEST_F(dma_timeout_test, stop_while_the_bus_is_taken_is_a_stop)
{
    at_dma_bench bench("bench", patient(), [](auto& b) {
        b.read(0, 16);
        b.stop.request(ns(6));
        b.read(512, 16);
        EXPECT_EQ(b.result.outcome, dma_result::outcome::stopped);
        EXPECT_EQ(b.result.address, 512u);
        EXPECT_LE(sc_core::sc_time_stamp(), ns(2 * timeout_ns));
    });
    bench.target.plan = slow_at(0, 10000, 10000);
    sc_core::sc_start(ns(1000));
    EXPECT_TRUE(bench.finished);
}

// ---- in time or late, however it is told ----

struct told_case {
    const char* name;
    way how;
    bool annotated;
};
void PrintTo(const told_case& c, std::ostream* out) { *out << c.name; }

class dma_answer_in_time_test : public sim_test_with_param<told_case> {
protected:
    // Three bursts; the second is answered after this time.
    static void run(at_dma_bench& bench, double respond_ns)
    {
        bench.target.plan = [respond_ns](const tlm::tlm_generic_payload& t) {
            auto a = answer_after(t.get_address() == 16 ? respond_ns : 10);
            if (t.get_address() == 16) {
                a.how = GetParam().how;
                a.annotated = GetParam().annotated;
            }
            return a;
        };
        sc_core::sc_start();
        EXPECT_THAT(bench.target.violations, IsEmpty());
        EXPECT_EQ(bench.target.in_flight(), 0u);
    }
};

TEST_P(dma_answer_in_time_test, answer_before_the_time_out_counts)
{
    at_dma_bench bench("bench", patient(), [](auto& b) { b.read(0, 48); });
    run(bench, timeout_ns - 0.001);
    EXPECT_TRUE(bench.result.ok());
    EXPECT_EQ(bench.inside, bench.read_of(0, 48));
    EXPECT_EQ(bench.end, ns(20 + timeout_ns - 0.001));
}

TEST_P(dma_answer_in_time_test, answer_at_the_time_out_is_late)
{
    at_dma_bench bench("bench", patient(), [](auto& b) { b.read(0, 48); });
    run(bench, timeout_ns);
    EXPECT_EQ(bench.result.outcome, dma_result::outcome::timed_out);
    EXPECT_EQ(bench.result.address, 16u);
    EXPECT_EQ(bench.inside, bench.read_of(0, 16));
    EXPECT_EQ(bench.end, ns(10 + timeout_ns));
    EXPECT_EQ(bench.target.log.size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(told, dma_answer_in_time_test,
                         testing::Values(told_case{"four_phases", way::four_phases, false},
                                         told_case{"four_phases_annotated", way::four_phases, true},
                                         told_case{"end_returned", way::end_returned, false},
                                         told_case{"no_end", way::no_end, false},
                                         told_case{"no_end_annotated", way::no_end, true},
                                         told_case{"begin_returned", way::begin_returned, false},
                                         told_case{"completed", way::completed, false}),
                         [](const auto& tested) { return std::string(tested.param.name); });

// ---- a target that answers ----

TEST_F(dma_timeout_test, makes_no_difference_to_a_target_that_answers_in_time)
{
    auto with = patient(4);
    with.timeout_cycles = 1000;
    auto without = with;
    without.timeout_cycles = 0;
    const auto program = [](auto& b) {
        for (std::uint64_t n : {3u, 64u, 900u}) {
            b.read(n, n);
            b.write(2048 + n, n);
        }
    };
    at_dma_bench a("a", with, program);
    at_dma_bench b("b", without, program);
    for (auto* bench : {&a, &b}) {
        bench->target.plan = [n = 0](const auto&) mutable {
            at_answer answer = accepted_and_answered(n % 4, 3 + n * 7 % 31);
            answer.how = static_cast<way>(n++ % 5);
            return answer;
        };
    }
    sc_core::sc_start();
    EXPECT_TRUE(a.finished);
    EXPECT_EQ(a.end, b.end);
    EXPECT_EQ(a.inside, b.inside);
    EXPECT_EQ(a.target.bytes, b.target.bytes);
    EXPECT_TRUE(std::equal(a.dma.counts(), a.dma.counts() + bus::dma_events.size, b.dma.counts()));
}

TEST_F(dma_timeout_test, is_for_non_blocking_transport)
{
    auto config = patient();
    EXPECT_EQ(validate(config), std::nullopt);
    config.transport = dma_transport::blocking;
    EXPECT_EQ(validate(config), "DMA timeout_cycles is 50, expected 0 with blocking transport, which cannot "
                                "abandon a call");
    config.timeout_cycles = 0;
    EXPECT_EQ(validate(config), std::nullopt);
}

} // namespace
} // namespace tensorloom::test
