// Direct memory pointers through the router: narrowed to the range, in the initiator's addresses, and taken back.
#include <ostream>
#include <string>
#include <gmock/gmock.h>
#include "support/sim_test.h"
#include "tlm/router_bench.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using host = router_bench::initiator;

/// What a target grants, in its own addresses, and what an initiator gets that asks for this address.
struct grant_case {
    const char* name;
    bool far;                   // which target
    std::uint64_t pointer;      // index of the byte that is granted first
    std::uint64_t start, end;   // granted
    std::uint64_t asked;        // by the initiator
    std::uint64_t got, got_end; // in the initiator's addresses
    std::uint64_t at;           // offset of a byte from the pointer
    unsigned char byte;         // that lies there
};
void PrintTo(const grant_case& c, std::ostream* out) { *out << c.name; }

constexpr auto far_at = router_bench::far_at;
const grant_case grant_cases[] = {
    {"of_the_whole_target_is_translated", false, 0, 0, 0xfff, 0x1800, 0x1000, 0x1fff, 0x7ff, 0xff},
    {"of_a_part_is_kept", false, 0x100, 0x100, 0x1ff, 0x1105, 0x1100, 0x11ff, 5, 0x05},
    {"beyond_the_range_is_narrowed", false, 0, 0, UINT64_MAX, 0x1000, 0x1000, 0x1fff, 0, 0x00},
    {"with_a_start_below_an_absolute_range_moves_the_pointer", true, 0, far_at - 16, UINT64_MAX, far_at + 1, far_at,
     UINT64_MAX, 1, static_cast<unsigned char>(~17)}};

class dmi_grant : public sim_test_with_param<grant_case> {};

TEST_P(dmi_grant, through_the_router)
{
    const auto& c = GetParam();
    router_bench bench([&](host& cpu) {
        auto p = reading(c.asked, 4);
        tlm::tlm_dmi dmi;
        ASSERT_TRUE(cpu.out->get_direct_mem_ptr(p, dmi));
        EXPECT_EQ(dmi.get_start_address(), c.got);
        EXPECT_EQ(dmi.get_end_address(), c.got_end);
        EXPECT_EQ(dmi.get_dmi_ptr()[c.at], c.byte);
        EXPECT_EQ(dmi.get_read_latency(), ns(3));
        EXPECT_EQ(p.get_address(), c.asked);
    });
    auto& target = c.far ? bench.far : bench.near;
    target.grants_dmi = true;
    target.dmi.set_dmi_ptr(target.bytes.data() + c.pointer);
    target.dmi.set_start_address(c.start);
    target.dmi.set_end_address(c.end);
    target.dmi.allow_read_write();
    target.dmi.set_read_latency(ns(3));
    sc_core::sc_start();
    EXPECT_THAT(target.addresses(), ElementsAre(c.far ? c.asked : c.asked - 0x1000));
}
INSTANTIATE_TEST_SUITE_P(grants, dmi_grant, testing::ValuesIn(grant_cases),
                         [](const auto& of) { return std::string(of.param.name); });

class router_dmi_test : public sim_test {
protected:
    // The range with which an address is refused, although the initiator's descriptor allows all.
    static void expect_check_error(std::uint64_t address, std::uint64_t start, std::uint64_t end)
    {
        router_bench bench([=](host& cpu) {
            auto p = reading(address, 4);
            tlm::tlm_dmi dmi;
            dmi.allow_read_write();
            EXPECT_FALSE(cpu.out->get_direct_mem_ptr(p, dmi));
            EXPECT_EQ(dmi.get_start_address(), start);
            EXPECT_EQ(dmi.get_end_address(), end);
            EXPECT_TRUE(dmi.is_none_allowed());
        });
        sc_core::sc_start();
    }
};

TEST_F(router_dmi_test, refusal_for_everything_is_narrowed_to_the_range) { expect_check_error(0x1234, 0x1000, 0x1fff); }
TEST_F(router_dmi_test, unmapped_address_is_refused_with_itself_as_range)
{
    expect_check_error(0x0fff, 0x0fff, 0x0fff);
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
