// Accesses that come out of the order of time, as from initiators that run ahead of it.
#include <gtest/gtest.h>
#include "models/memory/dram_traffic.h"

namespace tensorloom::test {
namespace {

using costs::dram_event;

/// When each of two initiators is through: each reads `block` bytes after `block` bytes, and computes `pause` clock
/// periods after each. An initiator runs ahead until it has left the quantum behind, then the other one runs.
struct pair_of_initiators {
    std::uint64_t pause;
    std::uint64_t block;
    std::uint64_t end[2] = {};
    std::uint64_t late = 0;

    void run(std::uint64_t quantum)
    {
        memory::dram_controller dram(shipped_dram());
        std::uint64_t time[2] = {0, 3}, blocks[2] = {0, 0};
        const auto read = [&](unsigned i) {
            const std::uint64_t base = i * ((std::uint64_t{1} << 30) + 4 * 8192); // four banks on
            time[i] = dram.access(base + block * blocks[i]++, block, false, time[i]) + pause;
        };
        while (quantum == 0 && blocks[0] + blocks[1] < 2 * all) { // the one whose time has come
            const bool second = blocks[0] == all || (blocks[1] < all && time[1] < time[0]);
            read(second ? 1 : 0);
        }
        for (std::uint64_t until = quantum; blocks[0] + blocks[1] < 2 * all; until += quantum) {
            for (unsigned i = 0; i < 2; ++i) {
                while (blocks[i] < all && time[i] < until) { read(i); }
            }
        }
        end[0] = time[0];
        end[1] = time[1];
        late = dram.counts()[dram_event::late_burst];
    }
    static constexpr std::uint64_t all = 4000;
};

struct load {
    const char* name;
    std::uint64_t pause, block;
    double bound_of_each, bound_of_last; ///< of the time without a quantum
};
class dram_quantum : public testing::TestWithParam<load> {};
INSTANTIATE_TEST_SUITE_P(loads, dram_quantum,
                         testing::Values(load{"light", 500, 256, 0.05, 0.05}, load{"heavy", 0, 256, 0.1, 0.05},
                                         // who is called first in a quantum has the bandwidth
                                         load{"saturating", 0, 4096, 0.5, 0.1}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(dram_quantum, keeps_the_times_of_two_initiators)
{
    pair_of_initiators exact{GetParam().pause, GetParam().block};
    exact.run(0);
    EXPECT_EQ(exact.late, 0u);
    for (const std::uint64_t quantum : {2, 1600, 1600000}) { // 1 ns, 1 us, 1 ms
        pair_of_initiators ahead = exact;
        ahead.run(quantum);
        EXPECT_EQ(ahead.late > 0, quantum > 2) << quantum;
        for (unsigned i = 0; i < 2; ++i) {
            EXPECT_NEAR(static_cast<double>(ahead.end[i]) / static_cast<double>(exact.end[i]), 1,
                        GetParam().bound_of_each)
                << quantum;
        }
        EXPECT_NEAR(static_cast<double>(std::max(ahead.end[0], ahead.end[1])) /
                        static_cast<double>(std::max(exact.end[0], exact.end[1])),
                    1, GetParam().bound_of_last)
            << quantum;
    }
}

TEST(dram_late, up_to_tRC_behind_queues_up)
{
    memory::dram_controller dram(shipped_dram());
    const auto first = dram.access(0, 32, false, 1000);
    EXPECT_EQ(dram.access(32, 32, false, 1000 - 97), first + 8);
    EXPECT_EQ(dram.counts()[dram_event::late_burst], 0u);
}

TEST(dram_late, further_behind_takes_what_room_the_past_has)
{
    memory::dram_controller dram(shipped_dram());
    dram.access(0, 32, false, 100000);
    EXPECT_EQ(dram.access(1 << 20, 32, false, 2000), 2000u + 29 + 28 + 6 + 8);
    EXPECT_EQ(dram.access(1 << 20, 32, true, 3000), 3000u + 14 + 1 + 8); // its row is open now
    EXPECT_EQ(dram.counts()[dram_event::late_burst], 2u);
    EXPECT_EQ(dram.counts()[dram_event::read_burst], 2u);
    EXPECT_EQ(dram.counts()[dram_event::write_burst], 1u);
}

TEST(dram_late, a_full_past_sends_it_to_the_end)
{
    auto config = shipped_dram();
    config.controller.refresh = costs::dram_refresh::off;
    memory::dram_controller dram(config);
    std::uint64_t end = 0;
    for (std::uint64_t a = 0; a < 1 << 20; a += 256) { end = dram.access(a, 256, false, a * 8 / 128); }
    const std::uint64_t bytes = 1 << 18;
    EXPECT_GE(dram.access(0, bytes, false, 5000), end); // the data bus had carried nearly as much as it can
    EXPECT_LT(dram.counts()[dram_event::late_burst], bytes / 32 / 10);
}

TEST(dram_late, bursts_of_the_past_share_the_data_bus)
{
    auto config = shipped_dram();
    config.controller.refresh = costs::dram_refresh::off;
    memory::dram_controller dram(config);
    dram.access(0, 256, false, 1000000);
    std::uint64_t done = 0;
    const std::uint64_t bytes = 1 << 18;
    for (std::uint64_t a = 0; a < bytes; a += 256) { done = std::max(done, dram.access(a, 256, false, 5)); }
    EXPECT_EQ(dram.counts()[dram_event::late_burst], bytes / 32);
    EXPECT_GE(done, bytes / 4 / 32 * 8); // no quicker than the bus
    EXPECT_LE(done, bytes / 4 / 32 * 12);
}

TEST(dram_late, an_age_that_is_forgotten_counts_as_idle)
{
    auto config = shipped_dram();
    config.controller.refresh = costs::dram_refresh::off;
    memory::dram_controller dram(config);
    for (std::uint64_t a = 0; a < 1 << 20; a += 256) { dram.access(a, 256, false, std::uint64_t{1} << 32); }
    EXPECT_EQ(dram.access(0, 32, false, 5000), 5000u + 29 + 28 + 6 + 8);
}

} // namespace
} // namespace tensorloom::test
