// Four phases through the router: every style of both sides, back-pressure, bandwidth and what is counted.
#include <iterator>
#include <random>
#include <gmock/gmock.h>
#include "support/sim_test.h"
#include "tlm/router_at_bench.h"
#include "tlm/thread_initiator.h"

namespace tensorloom::test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;

class router_at_test : public sim_test {};

TEST_F(router_at_test, read_goes_there_and_back)
{
    at_bench bench(routed_at());
    bench.a.read(near_at + 16, 4);
    sc_core::sc_start();
    const auto& o = bench.a.answers.at(0);
    EXPECT_EQ(o.status, tlm::TLM_OK_RESPONSE);
    EXPECT_THAT(o.data, ElementsAre(49, 52, 55, 58));
    EXPECT_EQ(o.address, near_at + 16); // the initiator's again
    EXPECT_THAT(bench.near.addresses, ElementsAre(16));
    EXPECT_THAT(bench.near.times, ElementsAre(ns(2)));
    EXPECT_EQ(o.begin_response, ns(2 + 1 + 10)); // way, acceptance, target
    bench.expect_nothing_left();
}

TEST_F(router_at_test, unmapped_request_is_completed_with_an_address_error)
{
    at_bench bench(routed_at());
    bench.a.read(0, 4);
    bench.a.read(near_at + 0xffe, 4); // leaves its range
    sc_core::sc_start();
    EXPECT_EQ(bench.a.answers.at(0).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(bench.a.answers.at(1).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    EXPECT_EQ(bench.router.counts()[2], 2u);
    bench.expect_nothing_left();
}

TEST_F(router_at_test, requests_follow_each_other_without_waiting_for_responses)
{
    at_bench bench(routed_at());
    for (unsigned i = 0; i < 100; ++i) { bench.a.read(near_at + 4 * i, 4); }
    sc_core::sc_start();
    EXPECT_EQ(bench.near.times.back(), ns(2 + 99)); // one per accept interval of 1 ns
    bench.expect_nothing_left();
}

TEST_F(router_at_test, link_carries_so_many_bytes_per_cycle)
{
    at_bench bench(routed_at(8));
    for (unsigned i = 0; i < 4; ++i) { bench.a.read(near_at + 64 * i, 64); }
    sc_core::sc_start();
    EXPECT_THAT(bench.near.times, ElementsAre(ns(2), ns(10), ns(18), ns(26)));
    EXPECT_EQ(bench.router.counts()[5], 32u);
    // the second came to wait at 3 ns, the third at 4 ns, the fourth when the first had been accepted
    EXPECT_EQ(bench.router.counts()[3], 3u);
    bench.expect_nothing_left();
}

TEST_F(router_at_test, full_queue_holds_back_the_end_of_the_request)
{
    auto c = routed_at(4);
    c.queue_depth = 1;
    at_bench bench(c);
    for (unsigned i = 0; i < 3; ++i) { bench.a.read(near_at + 64 * i, 64); } // 16 cycles each
    sc_core::sc_start();
    EXPECT_EQ(bench.a.answers.at(0).end_request, ns(1));
    EXPECT_EQ(bench.a.answers.at(1).end_request, ns(2)); // when the first had left the router
    EXPECT_EQ(bench.a.answers.at(2).end_request, ns(18));
    bench.expect_nothing_left();
}

// One initiator that annotates times, in front of a target that answers at once.
void send_annotated(const bus::router_config& c, const std::vector<sc_core::sc_time>& annotations,
                    const std::function<void(const at_initiator<32>::answer&)>& look)
{
    at_initiator<32> cpu("cpu");
    bus::router<32> router("router", c);
    at_responder<32> target("target", 4096);
    target.accept_delay = [] { return ns(0); };
    target.latency = [] { return ns(0); };
    cpu.out.bind(router.in);
    router.out.bind(target.in);
    router.map(0, 4095, 0);
    for (const auto& a : annotations) { cpu.read(0, 4).annotation = a; }
    sc_core::sc_start();
    ASSERT_TRUE(cpu.finished());
    EXPECT_THAT(cpu.errors, IsEmpty());
    for (const auto& [id, answer] : cpu.answers) { look(answer); }
}

TEST_F(router_at_test, response_does_not_come_before_the_end_of_the_request)
{
    auto c = routed_at();
    c.latency = ns(0); // shorter than the clock period, which END_REQ takes
    send_annotated(c, {ns(0)}, [](const auto& a) {
        EXPECT_EQ(a.end_request, ns(1));
        EXPECT_EQ(a.begin_response, ns(1));
    });
}

TEST_F(router_at_test, held_back_end_of_request_does_not_come_before_the_annotated_request)
{
    auto c = routed_at();
    c.latency = ns(0);
    c.queue_depth = 1;
    send_annotated(c, {ns(0), ns(40)}, [](const auto& a) {
        EXPECT_GE(a.end_request, a.begin_request);
        EXPECT_GE(a.begin_response, a.end_request);
    });
}

TEST_F(router_at_test, links_to_different_targets_do_not_wait_for_each_other)
{
    at_bench bench(routed_at(1));
    bench.a.read(near_at, 100);
    bench.b.read(far_at, 100);
    sc_core::sc_start();
    EXPECT_THAT(bench.near.times, ElementsAre(ns(2)));
    EXPECT_THAT(bench.far.times, ElementsAre(ns(2)));
    EXPECT_EQ(bench.router.counts()[3], 0u);
}

TEST_F(router_at_test, contention_is_counted_by_port)
{
    at_bench bench(routed_at(4));
    bench.a.read(near_at, 64);
    bench.b.read(near_at + 64, 64);
    sc_core::sc_start();
    EXPECT_EQ(bench.router.counts()[4], 16u); // the second waits for 16 cycles of the first
    EXPECT_EQ(bench.router.initiator_traffic(0).contention_cycles, 0u);
    EXPECT_EQ(bench.router.initiator_traffic(1).contention_cycles, 16u);
    EXPECT_EQ(bench.router.initiator_traffic(1).transactions, 1u);
    EXPECT_EQ(bench.router.target_traffic(0).contended, 1u);
    EXPECT_EQ(bench.router.target_traffic(0).bytes, 128u);
    EXPECT_EQ(bench.router.target_traffic(1).transactions, 0u);
}

TEST_F(router_at_test, response_waits_until_the_initiator_has_taken_the_one_before)
{
    at_bench bench(routed_at());
    bench.a.how = [] { return at_initiator<32>::ends_response::by_call; };
    bench.a.response_delay = [] { return ns(1000); };
    for (unsigned i = 0; i < 5; ++i) { bench.a.read((i % 2 == 0 ? near_at : far_at) + 4 * i, 4); }
    sc_core::sc_start();
    const auto began = [&bench](unsigned i) { return bench.a.answers.at(bench.a.order[i]).begin_response; };
    for (unsigned i = 1; i < 5; ++i) { EXPECT_GE(began(i), began(i - 1) + ns(1000)); }
    bench.expect_nothing_left();
}

TEST_F(router_at_test, unknown_phase_is_ignored)
{
    class extended : public at_initiator<32> {
    public:
        using at_initiator<32>::at_initiator;
        void start_of_simulation() override
        {
            auto& p = pool.take();
            tlm::tlm_phase phase(99);
            sc_core::sc_time delay = ns(3);
            EXPECT_EQ(out->nb_transport_fw(p, phase, delay), tlm::TLM_ACCEPTED);
            EXPECT_EQ(static_cast<unsigned>(phase), 99u);
            EXPECT_EQ(delay, ns(3));
            p.release();
        }
    };
    extended a("a");
    bus::router<32> router("router", routed_at());
    at_responder<32> near("near", 4096);
    a.out.bind(router.in);
    router.out.bind(near.in);
    router.map(near_at, near_at + 0xfff, 0);
    a.read(near_at, 4);
    sc_core::sc_start();
    EXPECT_TRUE(a.finished());
    EXPECT_EQ(a.pool.taken, a.pool.freed);
}

TEST_F(router_at_test, blocking_calls_and_phases_share_a_link)
{
    at_initiator<32> a("a");
    sc_core::sc_time end;
    thread_initiator<32> cpu("cpu", [&](thread_initiator<32>& self) {
        auto p = reading(near_at, 64);
        end = self.send(p);
        EXPECT_TRUE(p.is_response_ok());
    });
    bus::router<32> router("router", routed_at(4));
    at_responder<32> near("near", 4096);
    a.out.bind(router.in);
    cpu.out.bind(router.in);
    router.out.bind(near.in);
    router.map(near_at, near_at + 0xfff, 0);
    a.read(near_at, 64);
    sc_core::sc_start();
    EXPECT_TRUE(a.finished());
    EXPECT_EQ(end, ns(2 + 10)); // the call came first
    EXPECT_THAT(near.times, ElementsAre(ns(2 + 16)));
}

/// A target that sends phases when a test says so.
class rogue_responder : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<rogue_responder, 32> in;
    tlm::tlm_generic_payload* last = nullptr;
    unsigned ends = 0;

    explicit rogue_responder(sc_core::sc_module_name name) : sc_core::sc_module(name), in("in")
    {
        in.register_nb_transport_fw(this, &rogue_responder::nb_transport_fw);
    }
    void send(tlm::tlm_generic_payload& t, tlm::tlm_phase phase)
    {
        sc_core::sc_time delay;
        t.set_response_status(tlm::TLM_OK_RESPONSE);
        in->nb_transport_bw(t, phase, delay);
    }

private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time&)
    {
        if (phase == tlm::BEGIN_REQ) { last = &t; }
        if (phase == tlm::END_RESP) { ++ends; }
        return tlm::TLM_ACCEPTED;
    }
};

struct rogue_router_bench {
    rogue_router_bench()
    {
        a.out.bind(router.in);
        router.out.bind(near.in);
        router.out.bind(far.in);
        router.map(near_at, near_at + 0xfff, 0);
        router.map(far_at, far_at + 0xfff, 1);
    }
    at_initiator<32> a{"a"};
    bus::router<32> router{"router", routed_at()};
    rogue_responder near{"near"};
    rogue_responder far{"far"};
};

TEST_F(router_at_test, second_response_of_a_target_is_ignored)
{
    rogue_router_bench bench;
    bench.a.read(near_at, 4);
    sc_core::sc_start(ns(10));
    auto& t = *bench.near.last;
    bench.near.send(t, tlm::BEGIN_RESP);
    bench.near.send(t, tlm::BEGIN_RESP);
    sc_core::sc_start(ns(10));
    EXPECT_EQ(bench.near.ends, 1u);
    EXPECT_EQ(bench.router.live(), 0u);
}

TEST_F(router_at_test, phases_of_the_wrong_target_are_ignored)
{
    rogue_router_bench bench;
    bench.a.read(near_at, 4);
    sc_core::sc_start(ns(10));
    bench.far.send(*bench.near.last, tlm::BEGIN_RESP);
    sc_core::sc_start(ns(10));
    EXPECT_EQ(bench.router.live(), 1u);
    bench.near.send(*bench.near.last, tlm::BEGIN_RESP);
    sc_core::sc_start(ns(10));
    EXPECT_EQ(bench.router.live(), 0u);
}

TEST_F(router_at_test, answers_before_the_request_are_ignored)
{
    rogue_router_bench bench;
    bench.a.read(near_at, 4);
    bench.a.read(near_at + 4, 4);
    sc_core::sc_start(ns(10));
    auto& first = *bench.near.last; // the second waits in the router for the END_REQ of the first
    EXPECT_EQ(bench.router.live(), 2u);
    bench.near.send(first, tlm::END_REQ);
    bench.near.send(first, tlm::END_REQ);
    sc_core::sc_start(ns(10));
    auto& second = *bench.near.last;
    ASSERT_NE(&second, &first);
    bench.near.send(second, tlm::BEGIN_RESP);
    bench.near.send(first, tlm::BEGIN_RESP);
    sc_core::sc_start(ns(10));
    EXPECT_EQ(bench.router.live(), 0u);
    EXPECT_EQ(bench.near.ends, 2u);
}

TEST_F(router_at_test, router_outlives_transactions_that_never_ended)
{
    auto router = std::make_unique<bus::router<32>>("router", routed_at());
    rogue_responder near("near");
    auto a = std::make_unique<at_initiator<32>>("a");
    a->out.bind(router->in);
    router->out.bind(near.in);
    router->map(near_at, near_at + 0xfff, 0);
    a->read(near_at, 4);
    sc_core::sc_start(ns(10));
    EXPECT_EQ(router->live(), 1u);
    a.reset(); // with the payload
    router.reset();
}

class router_at_random : public sim_test_with_param<unsigned> {};

TEST_P(router_at_random, every_style_of_both_sides_gives_the_same_memory)
{
    std::mt19937 random(GetParam());
    auto c = routed_at(GetParam() % 2 == 0 ? 4 : 0);
    c.queue_depth = 1 + GetParam() % 3;
    c.arbitration = bus::arbitration_kinds[GetParam() % std::size(bus::arbitration_kinds)];
    c.ranks = {{0, 1}, {1, 2}};
    at_bench bench(c);
    const auto any_style = [&random] { return static_cast<phase_style>(random() % 5); };
    const auto any_time = [&random] { return ns(random() % 20); };
    for (auto* target : {&bench.near, &bench.far}) {
        target->style = any_style;
        target->accept_delay = any_time;
        target->latency = any_time;
        target->answers_in_order = GetParam() % 2 == 0;
    }
    for (auto* initiator : {&bench.a, &bench.b}) {
        initiator->how = [&random] { return static_cast<at_initiator<32>::ends_response>(random() % 3); };
        initiator->response_delay = [] { return ns(7); };
    }
    // Each initiator has its own halves of both memories: writes them, then reads them back.
    std::vector<unsigned char> near_expected = bench.near.bytes;
    std::vector<unsigned char> far_expected = bench.far.bytes;
    unsigned reads = 0;
    for (unsigned who = 0; who < 2; ++who) {
        auto& initiator = who == 0 ? bench.a : bench.b;
        auto from = ns(0);
        for (unsigned i = 0; i < 200; ++i) {
            from += ns(random() % 20);
            const bool near = random() % 2 == 0;
            const std::size_t length = 1 + random() % 64;
            const std::size_t at = who * 2048 + (i * 8) % 1024;
            if (i % 2 == 0) {
                std::vector<unsigned char> data(length);
                for (auto& d : data) { d = static_cast<unsigned char>(random()); }
                auto& expected = near ? near_expected : far_expected;
                std::copy(data.begin(), data.end(), expected.begin() + static_cast<std::ptrdiff_t>(at));
                initiator.write((near ? near_at : far_at) + at, data).not_before = from;
            } else {
                ++reads;
                initiator.read((near ? near_at : far_at) + at, length).not_before = from;
            }
        }
    }
    sc_core::sc_start();
    bench.expect_nothing_left();
    EXPECT_EQ(bench.near.bytes, near_expected); // the requests of one initiator to one target stay in order
    EXPECT_EQ(bench.far.bytes, far_expected);
    EXPECT_EQ(bench.router.counts()[0], 400u);
    EXPECT_GT(reads, 0u);
    std::vector<tlm::tlm_response_status> statuses;
    for (const auto& [id, answer] : bench.a.answers) { statuses.push_back(answer.status); }
    EXPECT_THAT(statuses, Each(tlm::TLM_OK_RESPONSE));
}

INSTANTIATE_TEST_SUITE_P(seeds, router_at_random, testing::Range(0u, 12u));

} // namespace
} // namespace tensorloom::test
