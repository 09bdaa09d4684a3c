#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/protocol_checker.h>
#include <tensorloom/tlm/router.h>
#include "conformance/partners/partner_initiator.h"
#include "conformance/partners/partner_messages.h"
#include "conformance/partners/partner_target.h"
#include "conformance/partners/partner_traffic_check.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

// Our memory at the first base, the partner's target at the second; both see addresses from 0.
constexpr std::uint64_t target_base = 0x10000000;
constexpr std::size_t router_memory_bytes = 0x1000;
constexpr partner_traffic router_traffic{0x100, target_base + 0x200, 4};
const double router_ns = 1;
const double memory_ns = 30;

memory::sram_config router_memory_settings(bool allow_dmi)
{
    memory::sram_config c;
    c.bytes = router_memory_bytes;
    c.latency = ns(memory_ns - 1);
    c.clock_period = ns(1);
    c.allow_dmi = allow_dmi; // only lt_dmi_initiator clears the hint before it hands a payload out again
    return c;
}
bus::router_config router_settings()
{
    bus::router_config c;
    c.latency = ns(router_ns);
    return c;
}

/// A partner's initiator, our router, our memory and a partner's target, with a checker on each connection.
struct routed_bench {
    routed_bench(initiator_kind initiates, target_kind answers)
        : initiator(partner_initiator::make(initiates, "initiator", 101, router_traffic)),
          target(partner_target::make(answers, "target", 201)), initiator_side("initiator_side"),
          memory_side("memory_side"), target_side("target_side"), router("router", router_settings()),
          memory("memory", router_memory_settings(initiates == initiator_kind::lt_dmi))
    {
        hear_partners();
        initiator->out().bind(initiator_side.in);
        initiator_side.out.bind(router.in);
        router.out.bind(memory_side.in);
        router.out.bind(target_side.in);
        memory_side.out.bind(memory.in);
        target_side.out.bind(target->in());
        router.map(0, router_memory_bytes - 1, 0);
        router.map(target_base, target_base + partner_target::bytes - 1, 1);
    }
    void run()
    {
        sc_core::sc_start();
        expect_complete(*initiator, router_traffic);
        expect_generators_done(1);
        std::vector<unsigned char> expected(router_memory_bytes);
        add_traffic(expected, router_traffic);
        EXPECT_EQ(contents_behind(memory_side.out, router_memory_bytes), expected);
        expect_no_violations({&initiator_side, &memory_side, &target_side});
    }

    std::unique_ptr<partner_initiator> initiator;
    std::unique_ptr<partner_target> target;
    bus::protocol_checker<32> initiator_side;
    bus::protocol_checker<32> memory_side;
    bus::protocol_checker<32> target_side;
    bus::router<32> router;
    memory::sram<32> memory;
};

class router_partner : public sim_test_with_param<std::tuple<initiator_kind, target_kind>> {};

TEST_P(router_partner, reads_back_what_it_wrote)
{
    const auto [initiates, answers] = GetParam();
    routed_bench bench(initiates, answers);
    bench.run();
    if (initiates == initiator_kind::lt_dmi) { return; }
    EXPECT_EQ(bench.initiator_side.transactions(), partner_traffic::transfers);
    EXPECT_EQ(bench.memory_side.transactions(), partner_traffic::transfers / 2);
    EXPECT_EQ(bench.target_side.transactions(), partner_traffic::transfers / 2);
}
std::string pair_name(const testing::TestParamInfo<router_partner::ParamType>& pair)
{
    std::ostringstream name;
    name << std::get<0>(pair.param) << "_to_" << std::get<1>(pair.param);
    return name.str();
}

INSTANTIATE_TEST_SUITE_P(loosely_timed, router_partner,
                         testing::Combine(testing::Values(initiator_kind::lt, initiator_kind::lt_td),
                                          testing::Values(target_kind::lt, target_kind::lt_synch, target_kind::at_one,
                                                          target_kind::at_two, target_kind::at_four,
                                                          target_kind::at_unordered)),
                         pair_name);
INSTANTIATE_TEST_SUITE_P(approximately_timed, router_partner,
                         testing::Combine(testing::Values(initiator_kind::at_select, initiator_kind::at_annotated,
                                                          initiator_kind::at_every_phase),
                                          testing::Values(target_kind::lt, target_kind::lt_synch, target_kind::at_one,
                                                          target_kind::at_two, target_kind::at_four,
                                                          target_kind::at_unordered)),
                         pair_name);
INSTANTIATE_TEST_SUITE_P(direct, router_partner,
                         testing::Combine(testing::Values(initiator_kind::lt_dmi),
                                          testing::Values(target_kind::lt, target_kind::lt_synch, target_kind::lt_dmi,
                                                          target_kind::at_one, target_kind::at_two,
                                                          target_kind::at_four, target_kind::at_unordered)),
                         pair_name);

class router_partner_time : public sim_test_with_param<target_kind> {};

TEST_P(router_partner_time, lt_takes_the_time_of_router_and_target)
{
    routed_bench bench(initiator_kind::lt, GetParam());
    bench.run();
    double now = 0;
    for (unsigned i = 0; i < partner_traffic::transfers; ++i) {
        const bool to_memory = i < partner_traffic::transfers / 2;
        const bool writes = i / partner_traffic::words % 2 == 0;
        const auto in_target =
            partner_target::accept_delay() + (writes ? partner_target::write_delay() : partner_target::read_delay());
        now += router_ns + (to_memory ? memory_ns : in_target / ns(1));
        EXPECT_EQ(bench.initiator->responses()[i].time, ns(now)) << "transfer " << i;
    }
}
INSTANTIATE_TEST_SUITE_P(, router_partner_time,
                         testing::Values(target_kind::lt, target_kind::lt_synch, target_kind::at_one,
                                         target_kind::at_two, target_kind::at_four),
                         testing::PrintToStringParamName());

class router_partner_dmi : public sim_test {};

TEST_F(router_partner_dmi, pointer_to_our_memory_ends_where_the_router_maps_it)
{
    routed_bench bench(initiator_kind::lt_dmi, target_kind::lt);
    bench.run();
    EXPECT_EQ(bench.memory_side.transactions(), 1u);
    EXPECT_EQ(bench.target_side.transactions(), partner_traffic::transfers / 2); // beyond the pointer
}

/// Three initiators, one of each style, at work on the same three targets at the same time.
class router_partners : public sim_test_with_param<bus::arbitration_kind> {};

TEST_P(router_partners, blocking_and_non_blocking_ones_share_memory_and_targets)
{
    hear_partners();
    constexpr std::uint64_t other_base = 0x20000000;
    // In each target each initiator has words of its own.
    const partner_traffic work[] = {
        {0x100, target_base + 0x100, 4}, {0x200, other_base + 0x200, 4}, {other_base + 0x300, 0x300, 4}};
    const initiator_kind kinds[] = {initiator_kind::lt, initiator_kind::at_select, initiator_kind::at_every_phase};
    const char* const names[] = {"lt", "at_select", "at_every_phase"};
    const char* const sides[] = {"lt_side", "at_select_side", "at_every_phase_side"};

    auto settings = router_settings();
    settings.bytes_per_cycle = 1; // 4 ns for a word
    settings.arbitration = GetParam();
    settings.ranks = {{0, 2, 1}, {1, 2, 3}};
    bus::router<32> router("router", settings);
    std::vector<std::unique_ptr<partner_initiator>> initiators;
    std::vector<std::unique_ptr<bus::protocol_checker<32>>> initiator_sides;
    for (unsigned i = 0; i < 3; ++i) {
        initiators.push_back(partner_initiator::make(kinds[i], names[i], 101 + i, work[i]));
        initiator_sides.push_back(std::make_unique<bus::protocol_checker<32>>(sides[i]));
        // select_initiator goes on to its next request at any BEGIN_RESP of a transaction that was accepted by
        // TLM_UPDATED.
        if (kinds[i] == initiator_kind::at_select) {
            initiator_sides[i]->tolerate(bus::protocol_rule::request_exclusion);
        }
        initiators[i]->out().bind(initiator_sides[i]->in);
        initiator_sides[i]->out.bind(router.in);
    }
    memory::sram<32> memory("memory", router_memory_settings(false));
    const auto two = partner_target::make(target_kind::at_two, "two", 201);
    const auto four = partner_target::make(target_kind::at_four, "four", 202);
    bus::protocol_checker<32> memory_side("memory_side"), two_side("two_side"), four_side("four_side");
    memory_side.out.bind(memory.in);
    two_side.out.bind(two->in());
    four_side.out.bind(four->in());
    for (auto* side : {&memory_side, &two_side, &four_side}) { router.out.bind(side->in); }
    router.map(0, router_memory_bytes - 1, 0);
    router.map(target_base, target_base + partner_target::bytes - 1, 1);
    router.map(other_base, other_base + partner_target::bytes - 1, 2);

    sc_core::sc_start();
    std::vector<unsigned char> expected(router_memory_bytes);
    for (unsigned i = 0; i < 3; ++i) {
        expect_complete(*initiators[i], work[i]);
        add_traffic(expected, work[i]);
        expect_no_violations({initiator_sides[i].get()});
        EXPECT_EQ(router.initiator_traffic(i).transactions, partner_traffic::transfers);
    }
    expect_generators_done(3);
    EXPECT_EQ(contents_behind(memory_side.out, router_memory_bytes), expected);
    expect_no_violations({&memory_side, &two_side, &four_side});
    EXPECT_EQ(router.target_traffic(0).transactions, 3 * partner_traffic::transfers / 2);
    EXPECT_EQ(router.target_traffic(1).transactions, partner_traffic::transfers / 2);
    EXPECT_EQ(router.target_traffic(2).transactions, partner_traffic::transfers);
    EXPECT_GT(router.target_traffic(0).contended, 0u);
    EXPECT_EQ(router.live(), 0u);
}
std::string policy_name(const testing::TestParamInfo<bus::arbitration_kind>& policy)
{
    std::string name = bus::arbitration_name(policy.param);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(, router_partners, testing::ValuesIn(bus::arbitration_kinds), policy_name);

} // namespace
} // namespace tensorloom::test
