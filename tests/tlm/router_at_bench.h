#pragma once
#include <gmock/gmock.h>
#include <tensorloom/tlm/router.h>
#include "tlm/at_initiator.h"
#include "tlm/at_responder.h"
#include "tlm/payload.h"

namespace tensorloom::test {

inline constexpr std::uint64_t near_at = 0x1000;
inline constexpr std::uint64_t far_at = 0x8000;

/// Two AT initiators, one router, two AT targets of 4 KiB (`far` with absolute addresses would start at far_at; both
/// are relative).
struct at_bench {
    explicit at_bench(const bus::router_config& config)
        : a("a"), b("b"), router("router", config), near("near", 4096), far("far", 4096)
    {
        a.out.bind(router.in);
        b.out.bind(router.in);
        router.out.bind(near.in);
        router.out.bind(far.in);
        router.map(near_at, near_at + 0xfff, 0);
        router.map(far_at, far_at + 0xfff, 1);
        for (auto* initiator : {&a, &b}) { initiator->one_order_on_the_way_back = false; } // END_REQ is annotated
        for (std::size_t i = 0; i < 4096; ++i) { near.bytes[i] = static_cast<unsigned char>(i * 3 + 1); }
    }

    void expect_nothing_left() const
    {
        EXPECT_TRUE(a.finished() && b.finished());
        EXPECT_EQ(a.pool.taken, a.pool.freed);
        EXPECT_EQ(b.pool.taken, b.pool.freed);
        EXPECT_THAT(a.errors, testing::IsEmpty());
        EXPECT_THAT(b.errors, testing::IsEmpty());
        EXPECT_EQ(router.live(), 0u);
        EXPECT_EQ(near.live() + far.live(), 0u);
        EXPECT_THAT(near.wrongs, testing::IsEmpty());
        EXPECT_THAT(far.wrongs, testing::IsEmpty());
    }

    at_initiator<32> a;
    at_initiator<32> b;
    bus::router<32> router;
    at_responder<32> near;
    at_responder<32> far;
};

/// A router of 2 ns.
inline bus::router_config routed_at(unsigned bytes_per_cycle = 0,
                                    bus::arbitration_kind kind = bus::arbitration_kind::round_robin)
{
    bus::router_config c;
    c.latency = ns(2);
    c.bytes_per_cycle = bytes_per_cycle;
    c.arbitration = kind;
    return c;
}

} // namespace tensorloom::test
