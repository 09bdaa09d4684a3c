#include <tensorloom/models/costs/dram/dram_stream.h>
#include <vector>
#include <gtest/gtest.h>

namespace {

using namespace tensorloom::costs;

constexpr double request_cycles = 3;
constexpr unsigned outstanding = 8;

// Accesses of one burst at locations that f(i) gives.
template <class F> double stream(unsigned accesses, bool write, F f, double clock_ns = 1)
{
    const auto config = load_dram("lpddr4-3200");
    const dram_mapping mapping(config);
    std::vector<dram_stream::access> all;
    for (unsigned i = 0; i < accesses; ++i) { all.push_back({mapping.address(f(i)), 32}); }
    return dram_stream(config, clock_ns, request_cycles).cycles(all, write, outstanding);
}

// Clock periods of the DRAM: 0.625 ns.
constexpr double period = 0.625;

TEST(dram_stream, open_rows_take_the_latency_of_the_accesses_in_flight)
{
    const auto in_open_rows = [](unsigned i) { return dram_location{i % 4, 0, 0, i / 4 * 16}; };
    const double read = (28 + 6 + 8) * period + request_cycles, written = (14 + 1 + 8) * period + request_cycles;
    EXPECT_NEAR(stream(200, false, in_open_rows) / 199, read / outstanding, 0.15);
    EXPECT_NEAR(stream(200, true, in_open_rows) / 199, written / outstanding, 0.15);
    EXPECT_NEAR(stream(200, false, in_open_rows, 2) / 199, ((28 + 6 + 8) * period / 2 + request_cycles) / outstanding,
                0.15);
}

TEST(dram_stream, rows_of_one_bank_take_turns)
{
    const auto in_one_bank = [](unsigned i) { return dram_location{0, 5, i, 0}; };
    EXPECT_NEAR(stream(50, false, in_one_bank) / 49, 97 * period, 0.01);                         // tRCpb
    EXPECT_NEAR(stream(50, true, in_one_bank) / 49, (29 + 14 + 1 + 8 + 29 + 29) * period, 0.01); // to tWR, tRPpb
}

TEST(dram_stream, activates_of_a_channel_keep_their_window)
{
    const auto in_all_banks = [](unsigned i) { return dram_location{1, i % 8, i / 8, 0}; };
    EXPECT_NEAR(stream(160, false, in_all_banks) / 159, 64.0 / 4 * period, 0.5); // tFAW
}

TEST(dram_stream, data_takes_the_bus_of_its_channel)
{
    const auto config = load_dram("lpddr4-3200");
    std::vector<dram_stream::access> blocks;
    for (std::uint64_t i = 0; i < 64; ++i) { blocks.push_back({i * 4096, 4096}); }
    EXPECT_NEAR(dram_stream(config, 1, request_cycles).cycles(blocks, false, outstanding), 63 * 4096 / 25.6, 40);
}

TEST(dram_stream, one_access_takes_nothing_after_itself)
{
    EXPECT_EQ(stream(1, false, [](unsigned) { return dram_location{}; }), 0);
    EXPECT_EQ(dram_stream(load_dram("ddr5-4800"), 1, 3).cycles({}, true, 8), 0);
}

} // namespace
