#include <vector>
#include <extension_initiator_id.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
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

constexpr std::uint64_t target_base = 0x10000000;
constexpr std::size_t memory_bytes = 0x1000;
constexpr partner_traffic traffic{0x100, target_base + 0x200, 4};

memory::sram_config memory_settings()
{
    memory::sram_config c;
    c.bytes = memory_bytes;
    c.allow_dmi = false;
    return c;
}

/// Passes a non-blocking connection on, and counts the requests that carry the partners' extension.
class extension_watch : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<extension_watch> in{"in"};
    tlm_utils::simple_initiator_socket<extension_watch> out{"out"};
    unsigned of_initiator_101 = 0;

    explicit extension_watch(const sc_core::sc_module_name& name) : sc_core::sc_module(name)
    {
        in.register_nb_transport_fw(this, &extension_watch::forward);
        in.register_transport_dbg(this, &extension_watch::debug);
        out.register_nb_transport_bw(this, &extension_watch::backward);
    }

private:
    tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay)
    {
        const auto* extension = t.get_extension<extension_initiator_id>();
        if (phase == tlm::BEGIN_REQ && extension != nullptr && extension->m_initiator_id == "'Initiator ID: 101'") {
            ++of_initiator_101;
        }
        return out->nb_transport_fw(t, phase, delay);
    }
    tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay)
    {
        return in->nb_transport_bw(t, phase, delay);
    }
    unsigned debug(tlm::tlm_generic_payload& t) { return out->transport_dbg(t); }
};

/// The partners' initiator with an extension of theirs in each transaction.
class extension_partner : public sim_test_with_param<initiator_kind> {};

TEST_P(extension_partner, passes_router_and_memory_untouched)
{
    hear_partners();
    const auto initiator = partner_initiator::make(GetParam(), "initiator", 101, traffic);
    const auto target = partner_target::make(target_kind::at_four, "target", 201);
    bus::protocol_checker<32> initiator_side("initiator_side"), memory_side("memory_side"), target_side("target_side");
    bus::router<32> router("router", bus::router_config{});
    memory::sram<32> memory("memory", memory_settings());
    initiator->out().bind(initiator_side.in);
    initiator_side.out.bind(router.in);
    extension_watch memory_watch("memory_watch"), target_watch("target_watch");
    router.out.bind(memory_watch.in);
    router.out.bind(target_watch.in);
    memory_watch.out.bind(memory_side.in);
    target_watch.out.bind(target_side.in);
    memory_side.out.bind(memory.in);
    target_side.out.bind(target->in());
    router.map(0, memory_bytes - 1, 0);
    router.map(target_base, target_base + partner_target::bytes - 1, 1);

    sc_core::sc_start();
    expect_complete(*initiator, traffic);
    expect_generators_done(1);
    std::vector<unsigned char> expected(memory_bytes);
    add_traffic(expected, traffic);
    EXPECT_EQ(contents_behind(memory_side.out, memory_bytes), expected);
    expect_no_violations({&initiator_side, &memory_side, &target_side});
    EXPECT_EQ(memory_watch.of_initiator_101, partner_traffic::transfers / 2);
    EXPECT_EQ(target_watch.of_initiator_101, partner_traffic::transfers / 2);
}
INSTANTIATE_TEST_SUITE_P(, extension_partner,
                         testing::Values(initiator_kind::at_select, initiator_kind::at_annotated,
                                         initiator_kind::at_every_phase),
                         testing::PrintToStringParamName());

} // namespace
} // namespace tensorloom::test
