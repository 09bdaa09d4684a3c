#include <memory>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/memory/dram.h>
#include <tensorloom/tlm/protocol_checker.h>
#include "conformance/partners/partner_initiator.h"
#include "conformance/partners/partner_messages.h"
#include "conformance/partners/partner_traffic_check.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

constexpr std::size_t looked_at = 0x8000; // of the memory's bytes
constexpr partner_traffic dram_traffic{0x100, 0x4100, 4};

/// A partner's initiator, our checker, our DRAM.
class dram_partner : public sim_test_with_param<initiator_kind> {};

TEST_P(dram_partner, reads_back_what_it_wrote)
{
    hear_partners();
    memory::dram_settings settings;
    settings.allow_dmi = GetParam() == initiator_kind::lt_dmi;
    const auto initiator = partner_initiator::make(GetParam(), "initiator", 101, dram_traffic);
    bus::protocol_checker<32> checker("checker");
    memory::dram<32> memory("memory", settings);
    initiator->out().bind(checker.in);
    checker.out.bind(memory.in);

    sc_core::sc_start();
    expect_complete(*initiator, dram_traffic);
    expect_generators_done(1);
    std::vector<unsigned char> expected(looked_at);
    add_traffic(expected, dram_traffic);
    EXPECT_EQ(contents_behind(checker.out, looked_at), expected);
    EXPECT_EQ(checker.transactions(), settings.allow_dmi ? 1u : partner_traffic::transfers);
    expect_no_violations({&checker});
    EXPECT_EQ(memory.protocol_errors(), 0u);
}
INSTANTIATE_TEST_SUITE_P(, dram_partner,
                         testing::Values(initiator_kind::lt, initiator_kind::lt_dmi, initiator_kind::lt_td,
                                         initiator_kind::at_select, initiator_kind::at_annotated,
                                         initiator_kind::at_every_phase),
                         testing::PrintToStringParamName());

} // namespace
} // namespace tensorloom::test
