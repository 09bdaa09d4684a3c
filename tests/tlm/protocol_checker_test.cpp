// Each planted violation is counted once, under its rule and clause, and reported as told; everything is passed on all
// the same.
#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <set>
#include <stdexcept>
#include <gmock/gmock.h>
#include "support/sim_test.h"
#include "tlm/planted_violation.h"

namespace tensorloom::test {
namespace {

using bus::on_violation;
using bus::protocol_rule;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::StartsWith;

constexpr const char* violation_id = "/tensorloom/protocol_checker/violation";

std::vector<planted_violation> all_planted()
{
    std::vector<planted_violation> all;
    for (const auto& part :
         {planted_in_requests(), planted_in_answers(), planted_in_phases(), planted_in_dmi_and_debug()}) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

class planted_violation_test : public sim_test_with_param<planted_violation> {};

TEST_P(planted_violation_test, is_seen_once_with_its_clause)
{
    rogue_bench bench;
    ASSERT_TRUE(bench.run([&] { GetParam().program(bench); }));
    for (const auto& d : bus::protocol_rules) {
        EXPECT_EQ(bench.checker.count(d.rule), d.rule == GetParam().rule ? 1u : 0u) << d.name;
    }
    ASSERT_EQ(bench.checker.kept().size(), 1u);
    EXPECT_EQ(bench.checker.kept()[0].rule, GetParam().rule);
    EXPECT_THAT(bench.checker.kept()[0].text, StartsWith(GetParam().clause + ": "));
    EXPECT_EQ(bench.checker.violations() + bench.checker.warnings(), 1u);
    EXPECT_EQ(bench.checker.warnings(), GetParam().rule == protocol_rule::dmi_hint_not_kept ? 1u : 0u);
}

INSTANTIATE_TEST_SUITE_P(planted, planted_violation_test, testing::ValuesIn(all_planted()),
                         [](const auto& planted) { return planted.param.name; });

TEST(protocol_rules, each_is_broken_by_a_planted_violation)
{
    std::set<protocol_rule> broken;
    for (const auto& v : all_planted()) { broken.insert(v.rule); }
    for (const auto& d : bus::protocol_rules) { EXPECT_EQ(broken.count(d.rule), 1u) << d.name; }
}

class protocol_report_test : public sim_test {};

TEST_F(protocol_report_test, a_broken_request_is_an_error_and_is_not_sent)
{
    rogue_bench bench(on_violation::report_error);
    bool arrived = false;
    bench.target.blocking = [&](auto&, auto&) { arrived = true; };
    EXPECT_TRUE(bench.run([&] {
        expected_report report(violation_id);
        payload p = writing(0x24, {1, 2, 3});
        p.set_streaming_width(0);
        EXPECT_THROW(bench.send(p), sc_core::sc_report);
        EXPECT_EQ(report.last_message(),
                  "checker: 14.15 f: The streaming width of a read or write is 0. (write, address 0x24, 3 bytes)");
    }));
    EXPECT_FALSE(arrived);
    EXPECT_EQ(bench.checker.live(), 0u);
}

TEST_F(protocol_report_test, all_that_is_wrong_is_counted_before_the_first_is_reported)
{
    rogue_bench bench(on_violation::report_error);
    bench.target.blocking = [](auto& t, auto& delay) {
        t.set_data_length(1);
        delay = sc_core::SC_ZERO_TIME;
    };
    EXPECT_TRUE(bench.run([&] {
        expected_report report(violation_id);
        payload p = writing(8, {1, 2, 3});
        EXPECT_THROW(bench.send(p, ns(2)), sc_core::sc_report);
        EXPECT_THAT(report.last_message(), HasSubstr("14.17: "));
        EXPECT_EQ(report.count(), 1u);
    }));
    EXPECT_EQ(bench.checker.violations(), 3u);
    EXPECT_EQ(bench.checker.live(), 0u);
}

TEST_F(protocol_report_test, violations_as_warnings_let_the_transaction_pass)
{
    rogue_bench bench(on_violation::report_warning);
    EXPECT_TRUE(bench.run([&] {
        expected_report report(violation_id);
        payload p = writing(8, {1});
        p.set_dmi_allowed(true);
        bench.send(p);
        EXPECT_TRUE(p.is_response_ok());
        EXPECT_THAT(report.last_message(), HasSubstr("14.16: "));
    }));
    EXPECT_EQ(bench.checker.violations(), 1u);
}

TEST_F(protocol_report_test, a_hint_that_is_not_kept_is_a_warning)
{
    rogue_bench bench(on_violation::report_error);
    bench.target.blocking = [](auto& t, auto&) {
        t.set_response_status(tlm::TLM_OK_RESPONSE);
        t.set_dmi_allowed(true);
    };
    EXPECT_TRUE(bench.run([&] {
        expected_report report(violation_id);
        payload p = reading(8, 4);
        bench.send(p);
        tlm::tlm_dmi dmi;
        EXPECT_FALSE(bench.initiator.out->get_direct_mem_ptr(p, dmi));
    }));
    EXPECT_EQ(bench.checker.warnings(), 1u);
    EXPECT_EQ(bench.checker.violations(), 0u);
}

TEST_F(protocol_report_test, a_hint_may_be_withdrawn_by_an_invalidation)
{
    rogue_bench bench;
    bench.target.blocking = [](auto& t, auto&) {
        t.set_response_status(tlm::TLM_OK_RESPONSE);
        t.set_dmi_allowed(true);
    };
    EXPECT_TRUE(bench.run([&] {
        payload p = reading(8, 4);
        bench.send(p);
        bench.target.in->invalidate_direct_mem_ptr(0, 63);
        tlm::tlm_dmi dmi;
        EXPECT_FALSE(bench.initiator.out->get_direct_mem_ptr(p, dmi));
    }));
    EXPECT_EQ(bench.checker.warnings(), 0u);
}

TEST_F(protocol_report_test, an_exception_is_reported_and_goes_on)
{
    rogue_bench bench(on_violation::report_error);
    bench.target.blocking = [](auto&, auto&) { throw std::out_of_range("offset"); };
    EXPECT_TRUE(bench.run([&] {
        expected_report report(violation_id);
        payload p = writing(8, {1});
        EXPECT_THROW(bench.send(p), std::out_of_range);
        EXPECT_THAT(report.last_message(), HasSubstr("14.17.1: "));
    }));
    EXPECT_EQ(bench.checker.live(), 0u);
}

TEST_F(protocol_report_test, a_violation_is_reported_by_the_checker_next_to_it_alone)
{
    bus::protocol_checker<> outer("outer");
    bus::protocol_checker<> inner("inner");
    rogue_initiator initiator("initiator");
    rogue_target target("target");
    initiator.out.bind(outer.in);
    outer.out.bind(inner.in);
    inner.out.bind(target.in);
    target.blocking = [](auto&, auto&) {};
    initiator.program = [&] {
        expected_report report(violation_id);
        payload p = writing(8, {1});
        sc_core::sc_time delay;
        EXPECT_THROW(initiator.out->b_transport(p, delay), sc_core::sc_report);
        EXPECT_THAT(report.last_message(), StartsWith("inner: "));
    };
    sc_core::sc_start();
    EXPECT_EQ(inner.violations(), 1u);
    EXPECT_EQ(outer.violations(), 0u);
}

TEST_F(protocol_report_test, a_killed_process_is_no_violation)
{
    rogue_bench bench;
    bench.target.blocking = [](auto&, auto&) { sc_core::wait(ns(1000)); };
    EXPECT_TRUE(bench.run([&] {
        payload p = writing(8, {1});
        auto caller = sc_core::sc_spawn([&] { bench.send(p); });
        sc_core::wait(ns(1));
        EXPECT_EQ(bench.checker.live(), 1u);
        caller.kill();
        EXPECT_EQ(bench.checker.live(), 0u);
    }));
    EXPECT_EQ(bench.checker.violations(), 0u);
}

TEST_F(protocol_report_test, a_tolerated_rule_is_counted_and_no_more)
{
    rogue_bench bench(on_violation::report_error);
    bench.checker.tolerate(protocol_rule::address_changed);
    bench.target.blocking = [](auto& t, auto&) {
        t.set_response_status(tlm::TLM_OK_RESPONSE);
        t.set_address(0);
    };
    EXPECT_TRUE(bench.run([&] {
        payload p = writing(8, {1});
        bench.send(p);
    }));
    EXPECT_EQ(bench.checker.count(protocol_rule::address_changed), 1u);
    EXPECT_EQ(bench.checker.violations(), 0u);
    EXPECT_TRUE(bench.checker.kept().empty());
}

TEST_F(protocol_report_test, the_first_thousand_violations_are_kept)
{
    rogue_bench bench;
    EXPECT_TRUE(bench.run([&] {
        payload p = writing(8, {1});
        for (int i = 0; i < 1500; ++i) {
            sc_core::wait(ns(1));
            bench.send(p); // the status of the last time
        }
    }));
    EXPECT_EQ(bench.checker.count(protocol_rule::status_set_at_request), 1499u);
    ASSERT_EQ(bench.checker.kept().size(), 1000u);
    EXPECT_EQ(bench.checker.kept().back().time, ns(1001));
}

TEST_F(protocol_report_test, live_transactions_are_reported_when_asked)
{
    rogue_bench bench(on_violation::report_warning);
    managed_payload first(tlm::TLM_READ_COMMAND, 0x10), second(tlm::TLM_WRITE_COMMAND, 0x20);
    EXPECT_TRUE(bench.run([&] {
        bench.fw(first, tlm::BEGIN_REQ);
        bench.bw(first, tlm::END_REQ);
        bench.fw(second, tlm::BEGIN_REQ);
    }));
    EXPECT_EQ(bench.checker.live(), 2u);
    EXPECT_EQ(bench.checker.violations(), 0u);
    expected_report report(violation_id);
    bench.checker.report_live();
    EXPECT_EQ(report.count(), 2u);
    EXPECT_EQ(bench.checker.count(protocol_rule::left_live), 2u);
}

} // namespace
} // namespace tensorloom::test
