// The four phases: every short-cut, request exclusion, payloads from the pool, responses in any order.
#include <algorithm>
#include <ostream>
#include <gmock/gmock.h>
#include "support/sim_test.h"
#include "tlm/dma_bench.h"

namespace tensorloom::test {
namespace {

using bus::dma_event;
using bus::dma_transport;
using testing::IsEmpty;
using way = at_answer::way;

at_answer answer_of(way how, double accept_ns, double respond_ns, bool annotated = false)
{
    at_answer a;
    a.how = how;
    a.accept = ns(accept_ns);
    a.respond = ns(respond_ns);
    a.annotated = annotated;
    return a;
}

struct short_cut {
    const char* name;
    at_answer answer;
    double end_of_four_ns; // four bursts of 4 beats of 1 ns, four outstanding
};
void PrintTo(const short_cut& c, std::ostream* out) { *out << c.name; }

class dma_short_cut_test : public sim_test_with_param<short_cut> {};

TEST_P(dma_short_cut_test, brings_the_bytes_in_its_time)
{
    at_dma_bench bench("bench", several_of(4, 16, dma_transport::non_blocking), [](at_dma_bench& b) { b.read(0, 64); });
    bench.target.plan = [](const auto&) { return GetParam().answer; };
    sc_core::sc_start();
    EXPECT_TRUE(bench.result.ok());
    EXPECT_EQ(bench.inside, bench.read_of(0, 64));
    EXPECT_EQ(bench.end, ns(GetParam().end_of_four_ns));
    EXPECT_THAT(bench.target.violations, IsEmpty());
}

TEST_P(dma_short_cut_test, frees_each_payload_once_and_uses_it_again)
{
    at_dma_bench bench("bench", several_of(4, 16, dma_transport::non_blocking), [](at_dma_bench& b) {
        for (int i = 0; i < 10; ++i) { b.write(0, 1600); }
    });
    bench.target.plan = [](const auto&) { return GetParam().answer; };
    sc_core::sc_start();
    EXPECT_EQ(bench.target.log.size(), 1000u);
    EXPECT_EQ(bench.target.freed, 1000u);
    EXPECT_LE(bench.target.seen.size(), 4u);
    EXPECT_EQ(bench.target.in_flight(), 0u);
    EXPECT_THAT(bench.target.violations, IsEmpty());
}

// Requests leave every 4 ns (their beats) or when the one before is accepted, whichever is later. What answers a
// request and ends it in one holds the next request back until then.
INSTANTIATE_TEST_SUITE_P(
    ways, dma_short_cut_test,
    testing::Values(short_cut{"at_once", answer_of(way::four_phases, 0, 0), 16},
                    short_cut{"long_response", answer_of(way::four_phases, 0, 30), 42},
                    short_cut{"slow_accept", answer_of(way::four_phases, 7, 30), 51},
                    short_cut{"slow_accept_annotated", answer_of(way::four_phases, 7, 30, true), 51},
                    short_cut{"end_returned", answer_of(way::end_returned, 7, 30), 51},
                    short_cut{"end_returned_response_annotated", answer_of(way::end_returned, 0, 30, true), 42},
                    short_cut{"no_end", answer_of(way::no_end, 0, 9), 36},
                    short_cut{"no_end_annotated", answer_of(way::no_end, 0, 9, true), 36},
                    short_cut{"begin_returned", answer_of(way::begin_returned, 0, 9), 36},
                    short_cut{"completed", answer_of(way::completed, 0, 9), 36},
                    short_cut{"completed_at_once", answer_of(way::completed, 0, 0), 16}),
    [](const auto& tested) { return std::string(tested.param.name); });

class dma_non_blocking_test : public sim_test {};

TEST_F(dma_non_blocking_test, responses_in_reverse_order_bring_every_byte_to_its_place)
{
    at_dma_bench bench("bench", several_of(8, 16, dma_transport::non_blocking),
                       [](at_dma_bench& b) { b.read(0, 512); });
    bench.target.plan = [](const auto& t) {
        return answer_of(way::four_phases, 0, 200.0 - 10.0 * static_cast<double>(t.get_address() / 16 % 8));
    };
    sc_core::sc_start();
    EXPECT_EQ(bench.inside, bench.read_of(0, 512));
    EXPECT_EQ(bench.target.most_in_flight, 8u);
    EXPECT_EQ(bench.target.freed, 32u);
    EXPECT_THAT(bench.target.violations, IsEmpty());
}

TEST_F(dma_non_blocking_test, throughput_is_a_request_per_accept_interval_not_per_latency)
{
    at_dma_bench bench("bench", several_of(64, 4, dma_transport::non_blocking),
                       [](at_dma_bench& b) { b.read(0, 256); });
    bench.target.plan = [](const auto&) { return answer_of(way::four_phases, 2, 1000); };
    sc_core::sc_start();
    EXPECT_EQ(bench.end, ns(63 * 2 + 1000));
}

TEST_F(dma_non_blocking_test, one_outstanding_burst_waits_for_its_answer)
{
    at_dma_bench bench("bench", several_of(1, 16, dma_transport::non_blocking), [](at_dma_bench& b) { b.read(0, 64); });
    bench.target.plan = [](const auto&) { return answer_of(way::four_phases, 0, 10); };
    sc_core::sc_start();
    EXPECT_EQ(bench.end, ns(40));
    EXPECT_EQ(bench.target.most_in_flight, 1u);
}

TEST_F(dma_non_blocking_test, unknown_phases_and_second_responses_are_ignored)
{
    at_dma_bench bench("bench", several_of(4, 16, dma_transport::non_blocking),
                       [](at_dma_bench& b) { b.read(0, 256); });
    bench.target.gossips = true;
    bench.target.plan = [](const auto&) { return answer_of(way::four_phases, 1, 5); };
    sc_core::sc_start();
    EXPECT_EQ(bench.inside, bench.read_of(0, 256));
    EXPECT_EQ(bench.count(dma_event::read_transaction), 16u);
    EXPECT_EQ(bench.target.freed, 16u);
}

TEST_F(dma_non_blocking_test, payload_that_the_target_keeps_is_not_used_again)
{
    const tlm::tlm_generic_payload* kept = nullptr;
    at_dma_bench bench("bench", several_of(2, 16, dma_transport::non_blocking), [&](at_dma_bench& b) {
        b.read(0, 512);
        EXPECT_EQ(kept->get_ref_count(), 1);
        EXPECT_EQ(kept->get_address(), 0u);
        const_cast<tlm::tlm_generic_payload*>(kept)->release();
    });
    bench.target.plan = [&](const tlm::tlm_generic_payload& t) {
        if (t.get_address() == 0) {
            kept = &t;
            const_cast<tlm::tlm_generic_payload&>(t).acquire();
        }
        return answer_of(way::four_phases, 0, 5);
    };
    sc_core::sc_start();
    EXPECT_EQ(bench.inside, bench.read_of(0, 512));
    EXPECT_EQ(bench.target.freed, 32u);
    EXPECT_EQ(std::count_if(bench.target.log.begin(), bench.target.log.end(), [](const auto& a) { return a.length; }),
              32);
}

} // namespace
} // namespace tensorloom::test
