// Debug transport through the router.
#include <gmock/gmock.h>
#include "support/sim_test.h"
#include "tlm/router_bench.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using host = router_bench::initiator;

class router_debug_test : public sim_test {};

TEST_F(router_debug_test, works_before_the_simulation_starts_and_takes_no_time)
{
    router_bench bench({});
    bench.cpu.before_start = [](host& cpu) {
        auto p = writing(0x1004, {7, 8, 9});
        EXPECT_EQ(cpu.out->transport_dbg(p), 3u);
    };
    sc_core::sc_start();
    EXPECT_EQ(bench.near.bytes[6], 9);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
}

TEST_F(router_debug_test, is_cut_at_the_end_of_the_range)
{
    router_bench bench([](host& cpu) {
        auto p = reading(0x1ffe, 6);
        EXPECT_EQ(cpu.out->transport_dbg(p), 2u);
        EXPECT_THAT(p.data, ElementsAre(0xfe, 0xff, untouched, untouched, untouched, untouched));
        EXPECT_EQ(p.get_address(), 0x1ffeu);
        EXPECT_EQ(p.get_data_length(), 6u);
    });
    sc_core::sc_start();
    EXPECT_EQ(bench.near.log.at(0).length, 2u);
}

TEST_F(router_debug_test, refusal_of_a_part_is_the_status_of_the_access)
{
    router_bench bench([](host& cpu) {
        for (std::uint64_t address : {0x1ff0, 0x1ffe}) { // inside, and over the end
            auto p = writing(address, {1, 2, 3, 4, 5, 6});
            EXPECT_EQ(cpu.out->transport_dbg(p), 0u);
            EXPECT_EQ(p.get_response_status(), tlm::TLM_COMMAND_ERROR_RESPONSE) << address;
        }
    });
    bench.near.refuses_debug_writes = true;
    sc_core::sc_start();
}

TEST_F(router_debug_test, is_cut_at_the_last_address)
{
    router_bench bench([](host& cpu) {
        auto p = reading(UINT64_MAX - 1, 4);
        EXPECT_EQ(cpu.out->transport_dbg(p), 2u);
        EXPECT_THAT(p.data, ElementsAre(0x01, 0x00, untouched, untouched));
    });
    sc_core::sc_start();
}

TEST_F(router_debug_test, of_unmapped_addresses_moves_nothing)
{
    router_bench bench([](host& cpu) {
        auto p = reading(0x0fff, 4);
        EXPECT_EQ(cpu.out->transport_dbg(p), 0u);
        EXPECT_EQ(p.data, std::vector<unsigned char>(4, untouched));
    });
    sc_core::sc_start();
}

TEST_F(router_debug_test, is_not_counted)
{
    router_bench bench([](host& cpu) {
        auto p = reading(0x1000, 4);
        cpu.out->transport_dbg(p);
        auto q = reading(0, 4);
        cpu.out->transport_dbg(q);
    });
    sc_core::sc_start();
    EXPECT_THAT(std::vector<std::uint64_t>(bench.activity.counts, bench.activity.counts + 3), ElementsAre(0, 0, 0));
}

} // namespace
} // namespace tensorloom::test
