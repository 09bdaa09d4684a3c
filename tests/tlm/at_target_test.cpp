// The four phases as the target of the base protocol sees them: order, time, back-pressure, exclusion, memory
// management.
#include <random>
#include <gmock/gmock.h>
#include "tlm/at_target_bench.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using initiator = at_initiator<32>;
using sc_core::sc_time;

class at_target_test : public sim_test {
protected:
    struct bench {
        explicit bench(const bus::at_target_config& config) : cpu("cpu"), target("target", config)
        {
            cpu.out.bind(target.in);
        }
        initiator cpu;
        pipeline_target target;

        void reads(unsigned count, const sc_time& not_before = {})
        {
            for (unsigned i = 0; i < count; ++i) {
                cpu.requests.push_back({tlm::TLM_READ_COMMAND, 4 * i, std::vector<unsigned char>(4), not_before, {}});
            }
        }
        void expect_clean_end(std::size_t transactions)
        {
            EXPECT_TRUE(cpu.finished());
            EXPECT_EQ(cpu.answers.size(), transactions);
            EXPECT_THAT(cpu.errors, IsEmpty());
            EXPECT_EQ(cpu.pool.taken, transactions);
            EXPECT_EQ(cpu.pool.freed, transactions);
            EXPECT_EQ(target.port.outstanding(), 0u);
            EXPECT_EQ(target.port.protocol_errors(), 0u);
        }
    };
    static bus::at_target_config depth(unsigned n)
    {
        bus::at_target_config c;
        c.queue_depth = n;
        return c;
    }
};

TEST_F(at_target_test, one_transaction_takes_the_times_of_the_service)
{
    bench b(depth(4));
    b.reads(1, ns(7));
    sc_core::sc_start();
    const auto& a = b.cpu.answers.at(0);
    EXPECT_EQ(a.begin_request, ns(7));
    EXPECT_EQ(a.end_request, ns(9));
    EXPECT_EQ(a.begin_response, ns(27));
    EXPECT_EQ(a.status, tlm::TLM_OK_RESPONSE);
    EXPECT_TRUE(a.dmi_hint);
    b.expect_clean_end(1);
}

TEST_F(at_target_test, takes_a_request_every_interval_not_every_latency)
{
    bench b(depth(100));
    b.reads(100);
    sc_core::sc_start();
    for (unsigned i = 0; i < 100; ++i) {
        EXPECT_EQ(b.cpu.answers.at(i).begin_request, ns(2 * i));
        EXPECT_EQ(b.cpu.answers.at(i).end_request, ns(2 * i + 2));
        EXPECT_EQ(b.cpu.answers.at(i).begin_response, ns(2 * i + 20));
        EXPECT_EQ(b.cpu.answers.at(i).data[0], i);
    }
    b.expect_clean_end(100);
}

TEST_F(at_target_test, full_queue_holds_back_end_request)
{
    bench b(depth(2));
    b.reads(4);
    sc_core::sc_start();
    // 0 and 1 are taken at 0 and 2 and answered at 20 and 22; 2 waits from 4 for the end of 0.
    EXPECT_EQ(b.cpu.answers.at(1).end_request, ns(4));
    EXPECT_EQ(b.cpu.answers.at(2).begin_request, ns(4));
    EXPECT_EQ(b.cpu.answers.at(2).end_request, ns(22));
    EXPECT_EQ(b.cpu.answers.at(2).begin_response, ns(40));
    EXPECT_EQ(b.cpu.answers.at(3).begin_request, ns(22));
    EXPECT_EQ(b.cpu.answers.at(3).end_request, ns(24));
    b.expect_clean_end(4);
}

TEST_F(at_target_test, a_hundred_transactions_are_under_way_at_a_time)
{
    bench b(depth(100));
    b.target.service.latency_of = [](const auto&) { return ns(1000); };
    b.reads(100);
    unsigned most = 0;
    b.cpu.response_delay = [&] {
        most = std::max(most, b.target.port.outstanding());
        return ns(0);
    };
    sc_core::sc_start();
    EXPECT_EQ(most, 100u);
    for (unsigned i = 0; i < 100; ++i) { EXPECT_EQ(b.cpu.answers.at(i).begin_response, ns(1000 + 2 * i)); }
    b.expect_clean_end(100);
}

TEST_F(at_target_test, responses_begin_in_the_order_of_their_times)
{
    bench b(depth(8));
    b.target.service.latency_of = [](const auto& t) { return ns(t.get_address() == 0 ? 50 : 10); };
    b.reads(3);
    sc_core::sc_start();
    EXPECT_THAT(b.cpu.order, ElementsAre(1, 2, 0));
    EXPECT_EQ(b.cpu.answers.at(1).begin_response, ns(12));
    EXPECT_EQ(b.cpu.answers.at(0).begin_response, ns(50));
    b.expect_clean_end(3);
}

TEST_F(at_target_test, responses_of_one_time_begin_in_the_order_of_their_requests)
{
    bench b(depth(8));
    b.target.service.latency_of = [](const auto& t) { return ns(20) - 0.5 * ns(static_cast<double>(t.get_address())); };
    b.reads(4);
    sc_core::sc_start();
    EXPECT_THAT(b.cpu.order, ElementsAre(0, 1, 2, 3));
    for (unsigned i = 0; i < 4; ++i) { EXPECT_EQ(b.cpu.answers.at(i).begin_response, ns(20)); }
    b.expect_clean_end(4);
}

std::string way_name(const testing::TestParamInfo<initiator::ends_response>& tested)
{
    const char* const names[] = {"by_completed", "by_updated", "by_call"};
    return names[static_cast<int>(tested.param)];
}

class response_end_test : public sim_test_with_param<initiator::ends_response> {};
INSTANTIATE_TEST_SUITE_P(each_way, response_end_test,
                         testing::Values(initiator::ends_response::by_completed, initiator::ends_response::by_updated,
                                         initiator::ends_response::by_call),
                         way_name);

TEST_P(response_end_test, next_response_waits_for_it)
{
    initiator cpu("cpu");
    bus::at_target_config config;
    config.queue_depth = 3;
    pipeline_target target("target", config);
    cpu.out.bind(target.in);
    for (unsigned i = 0; i < 5; ++i) { cpu.requests.push_back({tlm::TLM_READ_COMMAND, i, {0}, {}, {}}); }
    cpu.how = [] { return GetParam(); };
    cpu.response_delay = [] { return ns(1000); };
    sc_core::sc_start();
    for (unsigned i = 0; i < 3; ++i) { EXPECT_EQ(cpu.answers.at(i).begin_response, ns(20 + 1000 * i)); }
    // The fourth finds no room before the first has ended, at 1020, and the fifth before the second has, at 2020.
    EXPECT_EQ(cpu.answers.at(3).end_request, ns(1022));
    EXPECT_EQ(cpu.answers.at(3).begin_response, ns(3020));
    EXPECT_EQ(cpu.answers.at(4).end_request, ns(2022));
    EXPECT_EQ(cpu.answers.at(4).begin_response, ns(4020));
    EXPECT_TRUE(cpu.finished());
    EXPECT_THAT(cpu.errors, IsEmpty());
    EXPECT_EQ(cpu.pool.freed, 5u);
    EXPECT_EQ(target.port.protocol_errors(), 0u);
}

TEST_F(at_target_test, request_annotated_ahead_of_time_arrives_then)
{
    bench b(depth(4));
    b.cpu.requests.push_back({tlm::TLM_READ_COMMAND, 0, {0}, ns(10), ns(5)});
    b.cpu.requests.push_back({tlm::TLM_READ_COMMAND, 0, {0}, ns(30), ns(0)});
    sc_core::sc_start();
    EXPECT_THAT(b.target.service.arrivals, ElementsAre(ns(15), ns(30)));
    EXPECT_EQ(b.cpu.answers.at(0).end_request, ns(17));
    EXPECT_EQ(b.cpu.answers.at(0).begin_response, ns(35));
    b.expect_clean_end(2);
}

TEST_F(at_target_test, random_traffic_loses_nothing_and_keeps_the_rules)
{
    constexpr unsigned count = 100000;
    bench b(depth(13));
    std::mt19937 random(1);
    const auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
    b.target.service.latency_of = [&](const auto&) { return ns(2 + below(60)); };
    b.cpu.outstanding = 100;
    b.cpu.how = [&] { return static_cast<initiator::ends_response>(below(3)); };
    b.cpu.response_delay = [&] { return below(4) == 0 ? ns(below(40)) : ns(0); };
    sc_time when;
    for (unsigned i = 0; i < count; ++i) {
        if (below(3) == 0) { when += ns(below(30)); }
        b.cpu.requests.push_back({below(2) == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND, 4 * i,
                                  std::vector<unsigned char>(4), when, below(5) == 0 ? ns(below(7)) : ns(0)});
    }
    sc_core::sc_start();
    for (const auto& [id, a] : b.cpu.answers) {
        ASSERT_EQ(a.status, tlm::TLM_OK_RESPONSE) << id;
        ASSERT_GE(a.end_request, a.begin_request + ns(2)) << id;
        ASSERT_GE(a.begin_response, a.end_request) << id;
    }
    b.expect_clean_end(count);
}

TEST_F(at_target_test, two_phases_leave_out_end_request)
{
    bus::at_target_config config;
    config.phases = 2;
    bench b(config);
    b.reads(2);
    sc_core::sc_start();
    // BEGIN_RESP implies END_REQ: the second request is sent with the first response.
    EXPECT_EQ(b.cpu.answers.at(0).end_request, ns(20));
    EXPECT_EQ(b.cpu.answers.at(0).begin_response, ns(20));
    EXPECT_EQ(b.cpu.answers.at(1).begin_response, ns(40));
    b.expect_clean_end(2);
}

TEST_F(at_target_test, two_phases_wait_for_room_as_well)
{
    bus::at_target_config config;
    config.phases = 2;
    config.queue_depth = 1;
    bench b(config);
    b.cpu.response_delay = [] { return ns(100); };
    b.cpu.how = [] { return initiator::ends_response::by_call; };
    b.reads(3);
    sc_core::sc_start();
    for (unsigned i = 0; i < 3; ++i) { EXPECT_EQ(b.cpu.answers.at(i).begin_response, ns(20 + 120 * i)); }
    b.expect_clean_end(3);
}

TEST_F(at_target_test, one_phase_answers_at_once_with_the_time_annotated)
{
    bus::at_target_config config;
    config.phases = 1;
    bench b(config);
    b.reads(2);
    sc_core::sc_start();
    EXPECT_EQ(b.cpu.answers.at(0).begin_response, ns(20));
    EXPECT_EQ(b.cpu.answers.at(1).begin_request, ns(20));
    EXPECT_EQ(b.cpu.answers.at(1).begin_response, ns(40));
    b.expect_clean_end(2);
}

TEST_F(at_target_test, reset_ends_everything_and_the_target_works_on)
{
    bench b(depth(2));
    b.target.service.latency_of = [](const auto&) { return ns(100); };
    b.reads(3); // at 50 ns, two are inside and the third waits for room
    b.reads(2, ns(70));
    b.cpu.how = [] { return initiator::ends_response::by_call; };
    b.cpu.response_delay = [] { return ns(5); };
    sc_core::sc_start(ns(50));
    EXPECT_EQ(b.target.port.outstanding(), 2u);
    b.target.port.reset();
    sc_core::sc_start();
    for (unsigned i = 0; i < 3; ++i) {
        EXPECT_EQ(b.cpu.answers.at(i).status, tlm::TLM_GENERIC_ERROR_RESPONSE) << i;
        EXPECT_FALSE(b.cpu.answers.at(i).dmi_hint);
        EXPECT_EQ(b.cpu.answers.at(i).begin_response, ns(50 + 5 * i)); // still one after the other
    }
    for (unsigned i = 3; i < 5; ++i) { EXPECT_EQ(b.cpu.answers.at(i).status, tlm::TLM_OK_RESPONSE) << i; }
    EXPECT_EQ(b.target.service.arrivals.size(), 4u) << "the request that waited for room was executed";
    b.expect_clean_end(5);
}

TEST_F(at_target_test, reset_leaves_a_response_that_has_begun)
{
    bench b(depth(4));
    b.reads(2);
    b.cpu.how = [] { return initiator::ends_response::by_call; };
    b.cpu.response_delay = [] { return ns(100); };
    sc_core::sc_start(ns(50));
    b.target.port.reset();
    sc_core::sc_start();
    EXPECT_EQ(b.cpu.answers.at(0).status, tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(b.cpu.answers.at(1).status, tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(b.cpu.answers.at(1).begin_response, ns(120));
    b.expect_clean_end(2);
}

TEST_F(at_target_test, reset_at_any_time_loses_nothing)
{
    constexpr unsigned count = 5000;
    bench b(depth(3));
    std::mt19937 random(7);
    const auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
    b.target.service.latency_of = [&](const auto&) { return ns(2 + below(60)); };
    b.cpu.how = [&] { return static_cast<initiator::ends_response>(below(3)); };
    b.cpu.response_delay = [&] { return ns(below(20)); };
    for (unsigned i = 0; i < count; ++i) {
        b.cpu.requests.push_back({tlm::TLM_READ_COMMAND, 4 * i, {0}, {}, below(3) == 0 ? ns(below(9)) : ns(0)});
    }
    while (!b.cpu.finished() && sc_core::sc_time_stamp() < ns(1e7)) {
        sc_core::sc_start(ns(1 + below(150)));
        b.target.port.reset();
    }
    b.expect_clean_end(count);
    EXPECT_TRUE(std::any_of(b.cpu.answers.begin(), b.cpu.answers.end(),
                            [](const auto& a) { return a.second.status == tlm::TLM_OK_RESPONSE; }));
}

TEST_F(at_target_test, configurations_that_make_no_target_are_refused)
{
    EXPECT_FALSE(bus::validate(depth(1)));
    EXPECT_TRUE(bus::validate(depth(0)));
    for (unsigned phases : {0u, 3u, 5u}) {
        bus::at_target_config c;
        c.phases = phases;
        EXPECT_TRUE(bus::validate(c)) << phases;
    }
    expected_report report("/tensorloom/at_target/config");
    pipeline_service service;
    EXPECT_THROW(bus::at_target("bad", depth(0), service), sc_core::sc_report);
}

} // namespace
} // namespace tensorloom::test
