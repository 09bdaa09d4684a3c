// Who goes next at a target of the router, by each policy, and how that is counted.
#include <vector>
#include <gmock/gmock.h>
#include "support/expected_report.h"
#include "support/sim_test.h"
#include "tlm/router_at_bench.h"
#include "tlm/thread_initiator.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;

class router_arbitration_test : public sim_test {};

// Both initiators ask for one target all the time; whose request comes when?
std::vector<unsigned> order_of(bus::arbitration_kind kind, const bus::initiator_ranks& ranks = {})
{
    auto c = routed_at(4, kind);
    c.queue_depth = 4;
    c.ranks = ranks;
    at_bench bench(c);
    for (unsigned i = 0; i < 4; ++i) {
        bench.a.read(near_at + 64 * i, 64);
        bench.b.read(near_at + 0x800 + 64 * i, 64);
    }
    sc_core::sc_start();
    bench.expect_nothing_left();
    std::vector<unsigned> order;
    for (const auto address : bench.near.addresses) { order.push_back(address < 0x800 ? 0 : 1); }
    return order;
}

TEST_F(router_arbitration_test, round_robin_serves_in_turns)
{
    EXPECT_THAT(order_of(bus::arbitration_kind::round_robin), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
}

TEST_F(router_arbitration_test, fixed_priority_serves_the_first_initiator_first)
{
    EXPECT_THAT(order_of(bus::arbitration_kind::fixed_priority), ElementsAre(0, 0, 0, 0, 1, 1, 1, 1));
}

TEST_F(router_arbitration_test, first_come_serves_in_order_of_arrival)
{
    EXPECT_THAT(order_of(bus::arbitration_kind::first_come), ElementsAre(0, 1, 0, 1, 0, 1, 0, 1));
}

TEST_F(router_arbitration_test, priority_serves_the_highest_first)
{
    EXPECT_THAT(order_of(bus::arbitration_kind::priority, {{2, 3}, {}}), ElementsAre(1, 1, 1, 1, 0, 0, 0, 0));
}

TEST_F(router_arbitration_test, weighted_serves_bytes_by_weight)
{
    EXPECT_THAT(order_of(bus::arbitration_kind::weighted, {{}, {1, 3}}), ElementsAre(0, 1, 1, 1, 0, 1, 0, 0));
}

// By hand: with weights of 1 and 3, a has the first 64 bytes, b the next 192, and so on. Six decisions are between
// both: 0, 1, 1, 1, 0, 1 as above; then a is alone.
TEST_F(router_arbitration_test, contested_bytes_are_counted_by_initiator)
{
    auto c = routed_at(4, bus::arbitration_kind::weighted);
    c.queue_depth = 4;
    c.ranks.weights = {1, 3};
    at_bench bench(c);
    for (unsigned i = 0; i < 4; ++i) {
        bench.a.read(near_at + 64 * i, 64);
        bench.b.read(near_at + 0x800 + 64 * i, 64);
    }
    bench.b.read(far_at, 64); // nobody else wants it
    sc_core::sc_start();
    bench.expect_nothing_left();
    const auto& a = bench.router.initiator_contests(0);
    const auto& b = bench.router.initiator_contests(1);
    EXPECT_EQ(a.bytes, 6u * 64);
    EXPECT_EQ(a.won_bytes, 2u * 64);
    EXPECT_EQ(a.due_bytes, 6 * 16);
    EXPECT_EQ(b.bytes, 6u * 64);
    EXPECT_EQ(b.won_bytes, 4u * 64);
    EXPECT_EQ(b.due_bytes, 6 * 48);
}

TEST_F(router_arbitration_test, ranks_of_more_initiators_than_are_bound_are_an_elaboration_error)
{
    expected_report report("/tensorloom/router/config");
    auto c = routed_at();
    c.ranks.priorities = {1, 2, 3};
    at_bench bench(c);
    EXPECT_THROW(sc_core::sc_start(sc_core::SC_ZERO_TIME), sc_core::sc_report);
}

TEST_F(router_arbitration_test, rank_out_of_its_range_is_an_error)
{
    expected_report report("/tensorloom/router/config");
    auto c = routed_at();
    c.ranks.weights = {1, 0};
    EXPECT_THROW(at_bench{c}, sc_core::sc_report);
}

struct arbitrated_calls {
    explicit arbitrated_calls(bus::arbitration_kind kind, const bus::initiator_ranks& ranks = {})
        : router("router", settings(kind, ranks)), near("near", 4096), high("high", caller(0)), low("low", caller(1))
    {
        high.out.bind(router.in);
        low.out.bind(router.in);
        router.out.bind(near.in);
        router.map(near_at, near_at + 0xfff, 0);
    }
    static bus::router_config settings(bus::arbitration_kind kind, const bus::initiator_ranks& ranks)
    {
        auto c = routed_at(4, kind);
        c.ranks = ranks;
        c.arbitrate_blocking = true;
        return c;
    }
    thread_initiator<32>::program_type caller(unsigned number)
    {
        return [this, number](thread_initiator<32>& self) {
            for (unsigned i = 0; i < 3; ++i) {
                auto p = reading(near_at, 64);
                sc_core::sc_time delay = ns(5);
                self.out->b_transport(p, delay);
                EXPECT_TRUE(p.is_response_ok());
                order.push_back(number);
                sc_core::wait(delay);
            }
        };
    }

    std::vector<unsigned> order;
    bus::router<32> router;
    at_responder<32> near;
    thread_initiator<32> high;
    thread_initiator<32> low;
};

TEST_F(router_arbitration_test, arbitrated_blocking_calls_wait_for_their_turn)
{
    arbitrated_calls bench(bus::arbitration_kind::round_robin);
    bench.near.latency = [] { return sc_core::SC_ZERO_TIME; };
    sc_core::sc_start();
    EXPECT_THAT(bench.order, ElementsAre(0, 1, 0, 1, 0, 1));
    EXPECT_EQ(bench.router.counts()[5], 6u * 16);
}

TEST_F(router_arbitration_test, arbitrated_blocking_calls_wait_for_a_higher_priority)
{
    arbitrated_calls bench(bus::arbitration_kind::priority, {{0, 1}, {}});
    bench.near.latency = [] { return sc_core::SC_ZERO_TIME; };
    sc_core::sc_start();
    // A caller is away for 5 ns between two calls of 16, and back before the link is free.
    EXPECT_THAT(bench.order, ElementsAre(1, 1, 1, 0, 0, 0));
    EXPECT_EQ(bench.router.initiator_contests(0).won_bytes, 0u);
    EXPECT_EQ(bench.router.initiator_contests(1).won_bytes, 3u * 64);
}

} // namespace
} // namespace tensorloom::test
