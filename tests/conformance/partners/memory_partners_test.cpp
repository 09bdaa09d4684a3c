#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>
#include <SimpleBusAT.h>
#include <SimpleBusLT.h>
#include <gtest/gtest.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/protocol_checker.h>
#include "conformance/partners/partner_initiator.h"
#include "conformance/partners/partner_messages.h"
#include "conformance/partners/partner_traffic_check.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

constexpr std::size_t memory_bytes = 0x1000;
constexpr partner_traffic memory_traffic{0x100, 0x400, 4};

// The traffic generator hands a payload out again with the DMI hint of its last use, which only lt_dmi_initiator
// clears.
memory::sram_config settings(bool allow_dmi = false)
{
    memory::sram_config c;
    c.bytes = memory_bytes;
    c.latency = ns(29);
    c.clock_period = ns(1);
    c.allow_dmi = allow_dmi;
    return c;
}
const double access_ns = 30; // latency and one beat

/// A partner's initiator, our checker, our memory.
struct direct_bench {
    explicit direct_bench(initiator_kind kind, const memory::sram_config& config = settings())
        : initiator(partner_initiator::make(kind, "initiator", 101, memory_traffic)), checker("checker"),
          memory("memory", config)
    {
        hear_partners();
        initiator->out().bind(checker.in);
        checker.out.bind(memory.in);
    }
    void run()
    {
        sc_core::sc_start();
        expect_complete(*initiator, memory_traffic);
        expect_generators_done(1);
        std::vector<unsigned char> expected(memory_bytes);
        add_traffic(expected, memory_traffic);
        EXPECT_EQ(contents_behind(checker.out, memory_bytes), expected);
        expect_no_violations({&checker});
    }
    std::vector<double> response_times_ns() const
    {
        std::vector<double> times;
        for (const auto& r : initiator->responses()) { times.push_back(r.time / ns(1)); }
        return times;
    }

    std::unique_ptr<partner_initiator> initiator;
    bus::protocol_checker<32> checker;
    memory::sram<32> memory;
};

class memory_partner : public sim_test_with_param<initiator_kind> {};

TEST_P(memory_partner, reads_back_what_it_wrote)
{
    direct_bench bench(GetParam(), settings(GetParam() == initiator_kind::lt_dmi));
    bench.run();
    if (GetParam() != initiator_kind::lt_dmi) { EXPECT_EQ(bench.checker.transactions(), partner_traffic::transfers); }
}
INSTANTIATE_TEST_SUITE_P(, memory_partner,
                         testing::Values(initiator_kind::lt, initiator_kind::lt_dmi, initiator_kind::lt_td,
                                         initiator_kind::at_select, initiator_kind::at_annotated,
                                         initiator_kind::at_every_phase),
                         testing::PrintToStringParamName());

/// The generator hands payloads out with the DMI hint of their last use: no business of a memory's.
class memory_partner_hint : public sim_test_with_param<initiator_kind> {};

TEST_P(memory_partner_hint, left_on_in_requests_changes_nothing)
{
    direct_bench bench(GetParam(), settings(true));
    bench.checker.tolerate(bus::protocol_rule::dmi_hint_at_request);
    bench.run();
    EXPECT_EQ(bench.checker.transactions(), partner_traffic::transfers);
    // Each payload of the pool is clean when it is used first.
    EXPECT_EQ(bench.checker.count(bus::protocol_rule::dmi_hint_at_request),
              partner_traffic::transfers - memory_traffic.outstanding);
}
INSTANTIATE_TEST_SUITE_P(, memory_partner_hint,
                         testing::Values(initiator_kind::lt, initiator_kind::lt_td, initiator_kind::at_select,
                                         initiator_kind::at_annotated, initiator_kind::at_every_phase),
                         testing::PrintToStringParamName());

/// Two initiators, a bus of the partners, our memory at its port 0.
template <class Bus> void share_our_memory(initiator_kind kind)
{
    hear_partners();
    const partner_traffic work[] = {memory_traffic, {0x800, 0xa00, 2}};
    const auto first = partner_initiator::make(kind, "first", 101, work[0]);
    const auto second = partner_initiator::make(kind, "second", 102, work[1]);
    bus::protocol_checker<32> first_side("first_side"), second_side("second_side"), memory_side("memory_side");
    Bus bus("bus");
    memory::sram<32> memory("memory", settings());
    first->out().bind(first_side.in);
    second->out().bind(second_side.in);
    first_side.out.bind(bus.target_socket[0]);
    second_side.out.bind(bus.target_socket[1]);
    bus.initiator_socket[0].bind(memory_side.in);
    memory_side.out.bind(memory.in);

    sc_core::sc_start();
    expect_complete(*first, work[0]);
    expect_complete(*second, work[1]);
    expect_generators_done(2);
    std::vector<unsigned char> expected(memory_bytes);
    for (const auto& w : work) { add_traffic(expected, w); }
    EXPECT_EQ(contents_behind(memory_side.out, memory_bytes), expected);
    EXPECT_EQ(memory_side.transactions(), 2 * partner_traffic::transfers);
    expect_no_violations({&first_side, &second_side, &memory_side});
}

class memory_in_their_platform : public sim_test_with_param<initiator_kind> {};

TEST_P(memory_in_their_platform, serves_two_initiators_through_their_bus)
{
    if (is_blocking(GetParam())) {
        share_our_memory<SimpleBusLT<2, 1>>(GetParam());
    } else {
        share_our_memory<SimpleBusAT<2, 1>>(GetParam());
    }
}
INSTANTIATE_TEST_SUITE_P(, memory_in_their_platform,
                         testing::Values(initiator_kind::lt, initiator_kind::lt_td, initiator_kind::at_select,
                                         initiator_kind::at_annotated, initiator_kind::at_every_phase),
                         testing::PrintToStringParamName());

class memory_partner_time : public sim_test {};

TEST_F(memory_partner_time, lt_takes_the_annotated_delay_of_each_access)
{
    direct_bench bench(initiator_kind::lt);
    bench.run();
    std::vector<double> expected;
    for (unsigned i = 1; i <= partner_traffic::transfers; ++i) { expected.push_back(i * access_ns); }
    EXPECT_EQ(bench.response_times_ns(), expected);
}

TEST_F(memory_partner_time, decoupled_initiator_runs_ahead_by_its_quantum)
{
    direct_bench bench(initiator_kind::lt_td);
    bench.run();
    // The partner never resets its quantum keeper, so its first access synchronises; from then on at multiples of 500
    // ns.
    std::vector<double> expected;
    double now = 0, ahead = 0, next = 0;
    for (unsigned i = 0; i < partner_traffic::transfers; ++i) {
        ahead += access_ns;
        if (now + ahead >= next) {
            now += ahead;
            ahead = 0;
            while (next <= now) { next += 500; }
        }
        expected.push_back(now);
    }
    EXPECT_EQ(bench.response_times_ns(), expected);
}

/// The phases that our memory goes through, and the initiator.
class memory_partner_phases : public sim_test_with_param<std::tuple<unsigned, initiator_kind>> {};

TEST_P(memory_partner_phases, reads_back_what_it_wrote)
{
    const auto [phases, kind] = GetParam();
    auto config = settings();
    config.phases = phases;
    direct_bench bench(kind, config);
    bench.run();
    EXPECT_EQ(bench.checker.transactions(), partner_traffic::transfers);
    // In the first half, until all has been written, the generator sends one request at a time: each takes the access
    // and then the partner's time for the response, whoever ends it and however.
    const double response_ns = partner_initiator::end_response_delay() / ns(1);
    // Both hand a response that they answer by TLM_COMPLETED on before that time; select_initiator does so when END_REQ
    // has come.
    const bool annotates =
        (kind == initiator_kind::at_annotated && phases != 1) || (kind == initiator_kind::at_select && phases == 4);
    for (unsigned i = 0; i < partner_traffic::words; ++i) {
        EXPECT_EQ(bench.response_times_ns()[i], annotates ? (i + 1) * access_ns : (i + 1) * (access_ns + response_ns))
            << "response " << i;
    }
}
std::string phases_name(const testing::TestParamInfo<memory_partner_phases::ParamType>& one)
{
    std::ostringstream name;
    name << std::get<1>(one.param) << "_phases_" << std::get<0>(one.param);
    return name.str();
}
INSTANTIATE_TEST_SUITE_P(, memory_partner_phases,
                         testing::Combine(testing::Values(4, 2, 1),
                                          testing::Values(initiator_kind::at_select, initiator_kind::at_annotated,
                                                          initiator_kind::at_every_phase)),
                         phases_name);

class memory_partner_dmi : public sim_test {};

TEST_F(memory_partner_dmi, one_access_over_the_bus_then_by_pointer)
{
    direct_bench bench(initiator_kind::lt_dmi, settings(true));
    bench.run();
    EXPECT_EQ(bench.checker.transactions(), 1u);
}

TEST_F(memory_partner_dmi, refused_dmi_leaves_all_accesses_on_the_bus)
{
    direct_bench bench(initiator_kind::lt_dmi);
    bench.run();
    EXPECT_EQ(bench.checker.transactions(), partner_traffic::transfers);
}

} // namespace
} // namespace tensorloom::test
