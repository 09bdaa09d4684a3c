// Bandwidth, latency and refresh of the shipped DRAM against numbers worked out by hand.
#include <set>
#include <gtest/gtest.h>
#include "models/memory/dram_traffic.h"

namespace tensorloom::test {
namespace {

using costs::dram_event;
using costs::dram_page;
using costs::dram_refresh;
using kind = memory::dram_command_kind;

constexpr double tck_ns = 0.625;
constexpr double peak = 25.6; // bytes per ns

/// GB/s of neighbouring accesses of 256 bytes that all wait from time 0.
double streaming(const costs::dram_config& config, bool write, std::uint64_t bytes = 8 << 20)
{
    memory::dram_controller dram(config);
    std::uint64_t done = 0;
    for (std::uint64_t a = 0; a < bytes; a += 256) { done = std::max(done, dram.access(a, 256, write, 0)); }
    return static_cast<double>(bytes) / (static_cast<double>(done) * config.tCK_ps * 1e-3);
}

class shipped_dram_bandwidth : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(parts, shipped_dram_bandwidth, testing::ValuesIn(costs::shipped_dram_names()),
                         [](const auto& tested) { return part_in_test_name(tested.param); });

TEST_P(shipped_dram_bandwidth, of_streams_is_at_least_eight_tenths_of_what_refreshes_leave)
{
    const auto config = costs::load_dram(GetParam());
    const double left = (1 - double(config.timing.tRFCab) / config.timing.tREFI) * config.peak_bytes_per_ns();
    const std::uint64_t bytes = 32 << 20; // twenty refreshes and more
    for (const bool write : {false, true}) {
        EXPECT_LE(streaming(config, write, bytes), 1.005 * left) << write;
        EXPECT_GE(streaming(config, write, bytes), 0.8 * left) << write;
    }
}

TEST(dram_bandwidth, peak_of_the_shipped_configuration_is_25_6)
{
    EXPECT_DOUBLE_EQ(shipped_dram().peak_bytes_per_ns(), peak);
}

TEST(dram_bandwidth, streaming_reads_reach_nine_tenths_of_peak)
{
    EXPECT_GE(streaming(costs::load_dram("lpddr4-3200"), false), 0.9 * peak);
    EXPECT_LE(streaming(costs::load_dram("lpddr4-3200"), false), (1 - 448.0 / 6246) * peak); // what refresh leaves
}

TEST(dram_bandwidth, streaming_writes_reach_nine_tenths_of_peak)
{
    EXPECT_GE(streaming(costs::load_dram("lpddr4-3200"), true), 0.9 * peak);
    EXPECT_LE(streaming(costs::load_dram("lpddr4-3200"), true), (1 - 448.0 / 6246) * peak);
}

TEST(dram_bandwidth, streaming_without_refresh_reaches_peak)
{
    auto config = shipped_dram();
    config.controller.refresh = dram_refresh::off;
    EXPECT_GE(streaming(config, false), 0.999 * peak);
    EXPECT_LE(streaming(config, false), peak);
    EXPECT_GE(streaming(config, true), 0.999 * peak);
}

TEST(dram_bandwidth, streaming_with_bank_refresh_reaches_nine_tenths_of_peak)
{
    auto config = shipped_dram();
    config.controller.refresh = dram_refresh::per_bank;
    EXPECT_GE(streaming(config, false), 0.9 * peak);
    EXPECT_GE(streaming(config, true), 0.9 * peak);
}

TEST(dram_bandwidth, bank_changes_are_hidden_only_as_far_as_the_queue_looks)
{
    auto config = shipped_dram();
    config.controller.refresh = dram_refresh::off;
    config.controller.queue_bursts = 1;
    // The first of 64 bursts to a row waits for its precharge and activate, 29 each, behind the command of the burst
    // before, 4.
    EXPECT_NEAR(streaming(config, false), peak * (64 * 8) / (63 * 8 + 4 + 29 + 29), 0.002 * peak);
}

TEST(dram_bandwidth, bursts_that_each_need_a_row_run_at_the_activate_rate)
{
    auto config = shipped_dram();
    config.controller.refresh = dram_refresh::off;
    config.controller.page = dram_page::closed;
    config.controller.mapping = "row:column:bank:channel";
    config.controller.interleave_bytes = 32;
    memory::dram_controller dram(config);
    std::uint64_t done = 0;
    const std::uint64_t bytes = 4 << 20;
    for (std::uint64_t a = 0; a < bytes; a += 32) { done = std::max(done, dram.access(a, 32, false, 0)); }
    // tRRD 16 and tFAW 64 / 4 per burst of 8: half of peak, but for activates that give way to reads on the command bus
    const double found = static_cast<double>(bytes) / (static_cast<double>(done) * tck_ns);
    EXPECT_LE(found, peak / 2);
    EXPECT_GE(found, 0.95 * peak / 2);
}

TEST(dram_latency, of_a_closed_bank_an_open_row_and_another_row)
{
    auto config = shipped_dram();
    config.controller.refresh = dram_refresh::off;
    memory::dram_controller dram(config);
    const std::uint64_t row = 65536; // the next row of bank 0 of channel 0
    EXPECT_EQ(dram.access(0, 32, false, 1000), 1000u + 29 + 28 + 6 + 8);
    EXPECT_EQ(dram.access(32, 32, false, 2000), 2000u + 28 + 6 + 8);
    EXPECT_EQ(dram.access(row, 32, false, 3000), 3000u + 29 + 29 + 28 + 6 + 8);
    EXPECT_EQ(dram.access(row, 32, true, 4000), 4000u + 14 + 1 + 8);
    EXPECT_EQ(dram.counts()[dram_event::row_miss], 1u);
    EXPECT_EQ(dram.counts()[dram_event::row_hit], 2u);
    EXPECT_EQ(dram.counts()[dram_event::row_conflict], 1u);
}

TEST(dram_latency, closed_page_makes_every_access_a_miss)
{
    auto config = shipped_dram();
    config.controller.refresh = dram_refresh::off;
    config.controller.page = dram_page::closed;
    memory::dram_controller dram(config);
    for (std::uint64_t at = 1000; at < 5000; at += 1000) {
        EXPECT_EQ(dram.access(at / 1000 * 65536, 64, false, at), at + 29 + 8 + 28 + 6 + 8);
    }
    EXPECT_EQ(dram.counts()[dram_event::row_miss], 4u);
    EXPECT_EQ(dram.counts()[dram_event::row_hit], 4u); // the second burst of each access
    EXPECT_EQ(dram.counts()[dram_event::precharge], 4u);
}

TEST(dram_rows, of_an_access_are_each_closed_behind_it_in_a_closed_page)
{
    auto config = shipped_dram();
    config.controller.page = dram_page::closed;
    memory::dram_controller dram(config);
    dram.access(8192 - 512, 1024, true, 0); // the end of a row and the beginning of the next, in four channels
    EXPECT_EQ(dram.counts()[dram_event::activate], 8u);
    EXPECT_EQ(dram.counts()[dram_event::precharge], 8u);
    EXPECT_EQ(dram.counts()[dram_event::row_hit], 24u);
}

TEST(dram_rows, misses_in_one_bank_come_at_tRC)
{
    auto config = shipped_dram();
    config.controller.refresh = dram_refresh::off;
    memory::dram_controller dram(config);
    std::vector<std::uint64_t> activates;
    dram.log_to([&](const memory::dram_command& c) {
        if (c.kind == kind::activate) { activates.push_back(c.tick); }
    });
    for (std::uint64_t row = 0; row < 1000; ++row) { dram.access(row * 65536, 32, false, 0); }
    ASSERT_EQ(activates.size(), 1000u);
    for (std::size_t i = 1; i < activates.size(); ++i) { ASSERT_EQ(activates[i] - activates[i - 1], 97u) << i; }
}

TEST(dram_rows, written_ones_are_closed_after_their_data)
{
    auto config = shipped_dram();
    config.controller.refresh = dram_refresh::off;
    memory::dram_controller dram(config);
    std::vector<std::uint64_t> activates;
    dram.log_to([&](const memory::dram_command& c) {
        if (c.kind == kind::activate) { activates.push_back(c.tick); }
    });
    for (std::uint64_t row = 0; row < 100; ++row) { dram.access(row * 65536, 32, true, 0); }
    for (std::size_t i = 1; i < activates.size(); ++i) {
        ASSERT_EQ(activates[i] - activates[i - 1], 29u + 14 + 1 + 8 + 29 + 29) << i; // tRCD WL tDQSS data tWR tRPpb
    }
}

TEST(dram_refresh_share, of_all_banks_matches_tRFC_over_tREFI)
{
    for (const bool busy : {true, false}) {
        memory::dram_controller dram(shipped_dram());
        std::uint64_t end = 0;
        if (busy) {
            for (std::uint64_t a = 0; a < 8 << 20; a += 256) { end = std::max(end, dram.access(a, 256, false, 0)); }
        } else {
            end = 500000;
        }
        dram.settle(end);
        const double share =
            static_cast<double>(dram.counts()[dram_event::refresh]) / 4 * 448 / static_cast<double>(end);
        EXPECT_NEAR(share, 448.0 / 6246, 1.5 * 448 / static_cast<double>(end)) << busy; // the last one may lie behind
    }
}

TEST(dram_refresh_share, of_single_banks_matches_tRFCpb_over_tREFIpb)
{
    auto config = shipped_dram();
    config.controller.refresh = dram_refresh::per_bank;
    memory::dram_controller dram(config);
    std::vector<unsigned> order;
    dram.log_to([&](const memory::dram_command& c) {
        if (c.kind == kind::bank_refresh && c.channel == 0) { order.push_back(c.bank); }
    });
    std::uint64_t end = 0;
    for (std::uint64_t a = 0; a < 8 << 20; a += 256) { end = std::max(end, dram.access(a, 256, false, 0)); }
    dram.settle(end);
    const double share =
        static_cast<double>(dram.counts()[dram_event::bank_refresh]) / 4 * 224 / static_cast<double>(end);
    EXPECT_NEAR(share, 224.0 / 780, 1.5 * 224 / static_cast<double>(end));
    for (std::size_t round = 0; round + 8 <= order.size(); round += 8) {
        const auto at = order.begin() + static_cast<std::ptrdiff_t>(round);
        ASSERT_EQ(std::set<unsigned>(at, at + 8).size(), 8u) << "each bank once in a round";
    }
}

TEST(dram_refresh_share, each_comes_in_its_interval)
{
    memory::dram_controller dram(shipped_dram());
    std::vector<std::uint64_t> refreshes;
    dram.log_to([&](const memory::dram_command& c) {
        if (c.kind == kind::refresh && c.channel == 2) { refreshes.push_back(c.tick); }
    });
    for (const auto& a : random_traffic(11, 20000, dram.config().organisation.bytes())) {
        dram.access(a.address, a.bytes, a.write, a.arrival);
    }
    ASSERT_GT(refreshes.size(), 20u);
    for (std::size_t i = 0; i < refreshes.size(); ++i) {
        EXPECT_GE(refreshes[i], 6246 * (i + 1));
        EXPECT_LT(refreshes[i], 6246 * (i + 1) + 2000); // the bursts before it, of which the queue holds 16
    }
}

TEST(dram_turnaround, reads_and_writes_in_turns_lose_both_turns)
{
    auto config = shipped_dram();
    config.controller.refresh = dram_refresh::off;
    memory::dram_controller dram(config);
    std::uint64_t done = 0;
    for (unsigned i = 0; i < 1000; ++i) { done = dram.access(32 * (i % 2), 32, i % 2 == 1, 0); }
    EXPECT_EQ(dram.counts()[dram_event::read_to_write], 500u);
    EXPECT_EQ(dram.counts()[dram_event::write_to_read], 499u);
    // 30 from read to write and 39 back; first the row, last the data of a write
    EXPECT_EQ(done, 29u + 500 * 30 + 499 * 39 + 14 + 1 + 8);
    EXPECT_EQ(dram.counts()[dram_event::turnaround_stall_cycle], 500u * (30 - 8) + 499 * (39 - 8));
    EXPECT_EQ(dram.counts()[dram_event::row_stall_cycle], 29u);
}

TEST(dram_stalls, with_data_make_the_whole_time_of_a_saturated_channel)
{
    auto config = shipped_dram();
    config.organisation.channels = 1;
    memory::dram_controller dram(config);
    std::uint64_t last_command = 0;
    dram.log_to([&](const memory::dram_command& c) {
        if (c.kind == kind::read || c.kind == kind::write) { last_command = c.tick; }
    });
    for (auto a : random_traffic(4, 5000, config.organisation.bytes())) { dram.access(a.address, a.bytes, a.write, 0); }
    const auto& counts = dram.counts();
    EXPECT_GT(counts[dram_event::refresh_stall_cycle], 0u);
    EXPECT_EQ(counts[dram_event::data_cycle] + counts[dram_event::row_stall_cycle] +
                  counts[dram_event::turnaround_stall_cycle] + counts[dram_event::refresh_stall_cycle],
              last_command + 8);
}

TEST(dram_channels, work_side_by_side)
{
    auto config = shipped_dram();
    config.controller.refresh = dram_refresh::off;
    memory::dram_controller dram(config);
    EXPECT_EQ(dram.access(0, 256, false, 0), 29u + 8 + 28 + 6 + 8); // two bursts in each of four channels
    memory::dram_controller one([&] {
        auto c = config;
        c.organisation.channels = 1;
        return c;
    }());
    EXPECT_EQ(one.access(0, 256, false, 0), 29u + 7 * 8 + 28 + 6 + 8);
}

TEST(dram_bursts, that_are_touched_in_part_cost_whole_ones)
{
    memory::dram_controller dram(shipped_dram());
    dram.access(31, 2, true, 0); // the end of one burst and the beginning of the next
    EXPECT_EQ(dram.counts()[dram_event::write_burst], 2u);
    dram.access(64, 1, false, 1000);
    EXPECT_EQ(dram.counts()[dram_event::read_burst], 1u);
    dram.access(100, 32, false, 2000);
    EXPECT_EQ(dram.counts()[dram_event::read_burst], 3u);
}

} // namespace
} // namespace tensorloom::test
