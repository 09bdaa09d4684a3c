// Targets of a router by the names of a memory map.
#include <gmock/gmock.h>
#include <tensorloom/tlm/mapped_targets.h>
#include "support/sim_test.h"
#include "tlm/byte_target.h"
#include "tlm/payload.h"
#include "tlm/thread_initiator.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;

isa::memory_map map_of_three()
{
    isa::memory_map map;
    map.platform = "board";
    map.devices = {{"near", "triada", 0x4000'0000, 1}, {"last", "mmv", UINT64_MAX - 0xfff, 2}};
    map.memories = {{"store", 0x8000'0000, 0x2000}};
    return map;
}

struct mapped_bench {
    thread_initiator<64> cpu{"cpu", [this](thread_initiator<64>&) { program(); }};
    bus::router<64> router{"router", {}};
    byte_target<64> near{"near", 4096};
    byte_target<64> last{"last", 4096};
    byte_target<64> store{"store", 8192};
    std::function<void()> program = [] {};

    tlm::tlm_response_status send(std::uint64_t address)
    {
        auto p = reading(address, 4);
        cpu.send(p);
        return p.get_response_status();
    }
};

class mapped_targets_test : public sim_test {};

TEST_F(mapped_targets_test, names_lead_to_the_addresses_of_the_map_in_any_order)
{
    mapped_bench b;
    b.cpu.out.bind(b.router.in);
    {
        const auto map = map_of_three(); // may end before the simulation begins
        bus::mapped_targets targets(b.router, map);
        targets.bind("store", b.store.in);
        targets.bind("last", b.last.in);
        targets.bind("near", b.near.in);
        targets.expect_all();
    }
    b.program = [&b] {
        EXPECT_EQ(b.send(0x4000'0024), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(b.send(0x8000'1ffc), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(b.send(UINT64_MAX - 3), tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(b.send(0x4000'1000), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(b.send(0x8000'2000), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    };
    sc_core::sc_start();
    EXPECT_THAT(b.near.addresses(), ElementsAre(0x24));
    EXPECT_THAT(b.store.addresses(), ElementsAre(0x1ffc));
    EXPECT_THAT(b.last.addresses(), ElementsAre(0xffc));
}

TEST_F(mapped_targets_test, wrong_names_are_refused_and_missing_ones_are_named)
{
    mapped_bench b;
    expected_report wrong("/tensorloom/mapped_targets/name");
    bus::mapped_targets targets(b.router, map_of_three());
    targets.bind("near", b.near.in);
    EXPECT_THROW(targets.bind("far", b.store.in), sc_core::sc_report);
    EXPECT_EQ(wrong.last_message(), "router: the memory map has no 'far'");
    EXPECT_THROW(targets.bind("near", b.store.in), sc_core::sc_report);
    EXPECT_EQ(wrong.last_message(), "router: 'near' has a target already");
    EXPECT_THROW(targets.expect_all(), sc_core::sc_report);
    EXPECT_EQ(wrong.last_message(), "router: no target is bound as 'last', 'store'");
}

} // namespace
} // namespace tensorloom::test
