// Direct memory pointers through the router: narrowed to the range, in the initiator's addresses, and taken back.
#include <gmock/gmock.h>
#include "support/sim_test.h"
#include "tlm/router_bench.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using initiator = router_bench::initiator;

class router_dmi_test : public sim_test {
protected:
    static void grant(byte_target<64>& target, unsigned char* pointer, std::uint64_t start, std::uint64_t end)
    {
        target.grants_dmi = true;
        target.dmi.set_dmi_ptr(pointer);
        target.dmi.set_start_address(start);
        target.dmi.set_end_address(end);
        target.dmi.allow_read_write();
        target.dmi.set_read_latency(ns(3));
    }
};

TEST_F(router_dmi_test, grant_of_the_whole_target_is_translated)
{
    router_bench bench([](initiator& cpu) {
        auto p = reading(0x1800, 4);
        tlm::tlm_dmi dmi;
        ASSERT_TRUE(cpu.out->get_direct_mem_ptr(p, dmi));
        EXPECT_EQ(dmi.get_start_address(), 0x1000u);
        EXPECT_EQ(dmi.get_end_address(), 0x1fffu);
        EXPECT_EQ(dmi.get_dmi_ptr()[0x7ff], 0xff);
        EXPECT_EQ(dmi.get_read_latency(), ns(3));
        EXPECT_EQ(p.get_address(), 0x1800u);
    });
    grant(bench.near, bench.near.bytes.data(), 0, 0xfff);
    sc_core::sc_start();
    EXPECT_THAT(bench.near.addresses(), ElementsAre(0x800));
}

TEST_F(router_dmi_test, grant_of_a_part_is_kept)
{
    router_bench bench([](initiator& cpu) {
        auto p = reading(0x1105, 4);
        tlm::tlm_dmi dmi;
        ASSERT_TRUE(cpu.out->get_direct_mem_ptr(p, dmi));
        EXPECT_EQ(dmi.get_start_address(), 0x1100u);
        EXPECT_EQ(dmi.get_end_address(), 0x11ffu);
        EXPECT_EQ(dmi.get_dmi_ptr()[5], 0x05);
    });
    grant(bench.near, bench.near.bytes.data() + 0x100, 0x100, 0x1ff);
    sc_core::sc_start();
}

TEST_F(router_dmi_test, grant_beyond_the_range_is_narrowed)
{
    router_bench bench([](initiator& cpu) {
        auto p = reading(0x1000, 4);
        tlm::tlm_dmi dmi;
        ASSERT_TRUE(cpu.out->get_direct_mem_ptr(p, dmi));
        EXPECT_EQ(dmi.get_start_address(), 0x1000u);
        EXPECT_EQ(dmi.get_end_address(), 0x1fffu);
    });
    grant(bench.near, bench.near.bytes.data(), 0, UINT64_MAX);
    sc_core::sc_start();
}

TEST_F(router_dmi_test, pointer_moves_with_a_start_below_an_absolute_range)
{
    router_bench bench([](initiator& cpu) {
        auto p = reading(router_bench::far_at + 1, 4);
        tlm::tlm_dmi dmi;
        ASSERT_TRUE(cpu.out->get_direct_mem_ptr(p, dmi));
        EXPECT_EQ(dmi.get_start_address(), router_bench::far_at);
        EXPECT_EQ(dmi.get_end_address(), UINT64_MAX);
        EXPECT_EQ(dmi.get_dmi_ptr()[1], static_cast<unsigned char>(~17));
    });
    grant(bench.far, bench.far.bytes.data(), router_bench::far_at - 16, UINT64_MAX);
    sc_core::sc_start();
}

TEST_F(router_dmi_test, refusal_for_everything_is_narrowed_to_the_range)
{
    router_bench bench([](initiator& cpu) {
        auto p = reading(0x1234, 4);
        tlm::tlm_dmi dmi;
        EXPECT_FALSE(cpu.out->get_direct_mem_ptr(p, dmi));
        EXPECT_EQ(dmi.get_start_address(), 0x1000u);
        EXPECT_EQ(dmi.get_end_address(), 0x1fffu);
    });
    sc_core::sc_start();
}

TEST_F(router_dmi_test, unmapped_address_is_refused_with_itself_as_range)
{
    router_bench bench([](initiator& cpu) {
        auto p = reading(0x0fff, 4);
        tlm::tlm_dmi dmi;
        dmi.allow_read_write();
        EXPECT_FALSE(cpu.out->get_direct_mem_ptr(p, dmi));
        EXPECT_EQ(dmi.get_start_address(), 0x0fffu);
        EXPECT_EQ(dmi.get_end_address(), 0x0fffu);
        EXPECT_TRUE(dmi.is_none_allowed());
    });
    sc_core::sc_start();
}

TEST_F(router_dmi_test, invalidation_reaches_every_initiator_translated)
{
    router_bench bench({});
    sc_core::sc_start();
    bench.near.in->invalidate_direct_mem_ptr(0x10, 0x1f);
    EXPECT_THAT(bench.cpu.invalidations(), ElementsAre(Pair(0x1010, 0x101f)));
    EXPECT_THAT(bench.other.invalidations(), ElementsAre(Pair(0x1010, 0x101f)));
}

TEST_F(router_dmi_test, invalidation_of_everything_is_narrowed_to_the_range)
{
    router_bench bench({});
    sc_core::sc_start();
    bench.far.in->invalidate_direct_mem_ptr(0, UINT64_MAX);
    EXPECT_THAT(bench.cpu.invalidations(), ElementsAre(Pair(router_bench::far_at, UINT64_MAX)));
}

TEST_F(router_dmi_test, invalidation_of_a_target_in_two_ranges_reaches_both)
{
    router_bench bench({});
    bench.router.map(0x8000, 0x80ff, 0);
    sc_core::sc_start();
    bench.near.in->invalidate_direct_mem_ptr(0x80, 0x17f);
    EXPECT_THAT(bench.cpu.invalidations(), ElementsAre(Pair(0x1080, 0x117f), Pair(0x8080, 0x80ff)));
}

TEST_F(router_dmi_test, invalidation_outside_of_the_range_goes_nowhere)
{
    router_bench bench({});
    sc_core::sc_start();
    bench.near.in->invalidate_direct_mem_ptr(0x1000, 0x1fff);
    EXPECT_THAT(bench.cpu.invalidations(), IsEmpty());
}

} // namespace
} // namespace tensorloom::test
