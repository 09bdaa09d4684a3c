// Ports and banks against a simulation of every cycle, in which the older access has priority.
#include <random>
#include <set>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/memory/sram_timing.h>

namespace tensorloom::test {
namespace {

using memory::sram_geometry;
using memory::sram_timing;

struct simulated_access {
    sram_timing::access what;
    std::uint64_t arrival; ///< cycle
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint64_t bank_waits = 0;
    std::uint64_t beats_done = 0;
    std::uint64_t lead = 0;   ///< cycles to read what it changes, still to come
    unsigned* port = nullptr; ///< the kind of the one it holds
    bool done = false;
};

std::set<std::uint64_t> banks_of_beat(const sram_geometry& g, const sram_timing::access& a, std::uint64_t beat)
{
    std::set<std::uint64_t> banks;
    for (std::uint64_t i = beat * g.bytes_per_cycle; i < (beat + 1) * g.bytes_per_cycle && i < a.length; ++i) {
        banks.insert((a.address + i % a.width) / g.interleave_bytes % g.banks);
    }
    return banks;
}

/// Cycle by cycle; the accesses are in the order of their arrival.
void simulate(const sram_geometry& g, std::vector<simulated_access>& accesses)
{
    unsigned both = g.ports, for_reads = g.read_ports, for_writes = g.write_ports; // that are free
    std::size_t done = 0;
    for (std::uint64_t cycle = 0; done < accesses.size(); ++cycle) {
        for (auto& a : accesses) {
            if (a.port != nullptr || a.done || a.arrival > cycle) { continue; }
            unsigned& own = a.what.reads ? for_reads : for_writes;
            unsigned& kind = own > 0 ? own : both;
            if (kind > 0) {
                --kind;
                a.port = &kind;
                a.start = cycle;
                const bool parts = a.what.address % g.modify_bytes != 0 || a.what.length % g.modify_bytes != 0;
                a.lead = !a.what.reads && parts ? g.modify_cycles : 0;
            }
        }
        std::vector<simulated_access*> ended;
        std::vector<unsigned> taken(g.banks, 0);
        for (auto& a : accesses) {
            if (a.port == nullptr) { continue; }
            if (a.lead > 0) {
                --a.lead;
                continue;
            }
            const auto banks = banks_of_beat(g, a.what, a.beats_done);
            bool free = true;
            for (const auto b : banks) { free = free && taken[b] < g.accesses_per_bank; }
            if (!free) {
                ++a.bank_waits;
                continue;
            }
            for (const auto b : banks) { ++taken[b]; }
            if (++a.beats_done * g.bytes_per_cycle >= a.what.length) { ended.push_back(&a); }
        }
        for (auto* a : ended) {
            ++*std::exchange(a->port, nullptr);
            a->done = true;
            a->end = cycle + 1;
            ++done;
        }
    }
}

TEST(sram_timing, is_that_of_a_simulation_of_every_cycle)
{
    std::mt19937 random(11);
    const auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
    std::uint64_t port_waits = 0;
    std::uint64_t bank_waits = 0;
    for (int round = 0; round < 400; ++round) {
        sram_geometry g;
        g.ports = 1 + below(3);
        g.read_ports = below(3);
        g.write_ports = below(2);
        g.banks = 1u << below(5);
        g.interleave_bytes = 1u << below(6);
        g.accesses_per_bank = 1 + below(2);
        g.bytes_per_cycle = 1 + below(40);
        g.modify_bytes = 1u << below(7);
        g.modify_cycles = below(9);
        constexpr std::uint64_t period = 3; // ticks
        sram_timing timing(g, period);
        std::vector<simulated_access> accesses;
        std::uint64_t cycle = 0;
        const unsigned pause = 1 + below(12);
        for (int i = 0; i < 60; ++i) {
            cycle += below(pause);
            const std::uint64_t length = 1 + below(200);
            const std::uint64_t width = below(3) == 0 ? 1 + below(static_cast<unsigned>(length)) : length;
            accesses.push_back({{below(2) == 0, below(2048), length, width}, cycle});
        }
        simulate(g, accesses);
        std::uint64_t latest = 0;
        for (std::size_t i = 0; i < accesses.size(); ++i) {
            const auto& a = accesses[i];
            if (below(8) == 0) { timing.forget_before(latest); }
            latest = a.arrival * period;
            const auto b = timing.book(a.what, a.arrival * period);
            ASSERT_EQ(b.start, a.start * period) << "round " << round << ", access " << i;
            ASSERT_EQ(b.end, a.end * period) << "round " << round << ", access " << i;
            ASSERT_EQ(b.port_conflict_cycles, a.start - a.arrival);
            ASSERT_EQ(b.bank_conflict_cycles, a.bank_waits);
            port_waits += a.start - a.arrival;
            bank_waits += a.bank_waits;
        }
    }
    EXPECT_GT(port_waits, 1000u); // there was something to see
    EXPECT_GT(bank_waits, 1000u);
}

sram_geometry two_ports_four_banks()
{
    sram_geometry g;
    g.bytes_per_cycle = 8;
    g.ports = 2;
    g.banks = 4;
    g.interleave_bytes = 8;
    return g;
}

TEST(sram_timing, conflict_by_hand)
{
    // Both ports walk over banks 0, 1, 2, 3; the second starts in the same cycle and follows one bank behind.
    sram_timing timing(two_ports_four_banks(), 1);
    EXPECT_EQ(timing.book({true, 0, 32, 32}, 10).end, 14u);
    const auto second = timing.book({true, 32, 32, 32}, 10);
    EXPECT_EQ(second.start, 10u);
    EXPECT_EQ(second.end, 15u);
    EXPECT_EQ(second.port_conflict_cycles, 0u);
    EXPECT_EQ(second.bank_conflict_cycles, 1u);
    const auto third = timing.book({true, 0, 8, 8}, 10); // both ports are taken until 14
    EXPECT_EQ(third.start, 14u);
    EXPECT_EQ(third.end, 15u);
    EXPECT_EQ(third.port_conflict_cycles, 4u);
}

TEST(sram_timing, conflicts_off_the_clock_count_begun_periods)
{
    sram_geometry g;
    g.bytes_per_cycle = 8;
    sram_timing timing(g, 10);
    timing.book({true, 0, 8, 8}, 0);
    const auto next = timing.book({true, 0, 8, 8}, 9); // 1 tick early
    EXPECT_EQ(next.start, 10u);
    EXPECT_EQ(next.port_conflict_cycles, 1u);
}

TEST(sram_timing, access_called_late_uses_the_gap_before_those_called_ahead_of_time)
{
    sram_geometry g;
    g.bytes_per_cycle = 8;
    sram_timing timing(g, 1);
    timing.book({true, 0, 80, 80}, 100); // 100 to 110
    timing.book({true, 0, 80, 80}, 120); // 120 to 130
    EXPECT_EQ(timing.book({true, 0, 80, 80}, 50).start, 50u);
    EXPECT_EQ(timing.book({true, 0, 80, 80}, 95).start, 110u); // fits between the two
    EXPECT_EQ(timing.book({true, 0, 80, 80}, 95).start, 130u); // fits no more
}

TEST(sram_timing, gap_of_a_port_must_hold_the_waits_for_banks_as_well)
{
    auto g = two_ports_four_banks();
    g.ports = 0;
    g.read_ports = 1;
    g.write_ports = 1;
    sram_timing timing(g, 1);
    timing.book({false, 0, 40, 8}, 10); // the write port is at bank 0 from 10 to 15
    timing.book({true, 0, 8, 8}, 16);   // a read called ahead of time: 16 to 17
    // A read of two beats at banks 0 and 1 from 10 on would end at 17 and is in the way of the other: it goes behind.
    const auto late = timing.book({true, 0, 16, 16}, 10);
    EXPECT_EQ(late.start, 17u);
    EXPECT_EQ(late.end, 19u);
}

TEST(sram_timing, cleared_timing_is_free)
{
    sram_timing timing(two_ports_four_banks(), 1);
    timing.book({true, 0, 800, 800}, 0);
    timing.book({true, 0, 800, 800}, 0);
    timing.clear();
    const auto b = timing.book({true, 0, 8, 8}, 1);
    EXPECT_EQ(b.start, 1u);
    EXPECT_EQ(b.end, 2u);
}

TEST(sram_timing, geometries_that_cannot_be_built_are_refused)
{
    const auto wrong = [](auto spoil, bool read_only = false) {
        sram_geometry g;
        spoil(g);
        return validate(g, read_only).has_value();
    };
    EXPECT_FALSE(wrong([](auto&) {}));
    EXPECT_TRUE(wrong([](auto& g) { g.bytes_per_cycle = 0; }));
    EXPECT_TRUE(wrong([](auto& g) { g.ports = 0; }));
    EXPECT_TRUE(wrong([](auto& g) { g.ports = 65; }));
    EXPECT_TRUE(wrong([](auto& g) { g.ports = 0, g.write_ports = 1; }));
    EXPECT_TRUE(wrong([](auto& g) { g.ports = 0, g.read_ports = 1; }));
    EXPECT_FALSE(wrong([](auto& g) { g.ports = 0, g.read_ports = 1; }, true));
    for (unsigned banks : {0u, 3u, 8192u}) {
        EXPECT_TRUE(wrong([&](auto& g) { g.banks = banks; })) << banks;
    }
    for (unsigned bytes : {0u, 12u, 131072u}) {
        EXPECT_TRUE(wrong([&](auto& g) { g.interleave_bytes = bytes; })) << bytes;
    }
    for (unsigned bytes : {0u, 24u, 131072u}) {
        EXPECT_TRUE(wrong([&](auto& g) { g.modify_bytes = bytes; })) << bytes;
    }
    for (unsigned n : {0u, 65u}) {
        EXPECT_TRUE(wrong([&](auto& g) { g.accesses_per_bank = n; })) << n;
    }
}

} // namespace
} // namespace tensorloom::test
