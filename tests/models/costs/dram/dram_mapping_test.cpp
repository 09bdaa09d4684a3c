#include <tensorloom/models/costs/dram/dram_mapping.h>

#include <array>
#include <random>
#include <set>
#include <tuple>
#include <gtest/gtest.h>
#include <tensorloom/models/costs/dram/dram_config.h>

namespace {

using namespace tensorloom::costs;

dram_config config_of(const std::string& mapping, unsigned interleave, dram_channel_hash hash = dram_channel_hash::none)
{
    auto c = load_dram("lpddr4-3200");
    c.controller.channel_hash = hash;
    c.controller.mapping = mapping;
    c.controller.interleave_bytes = interleave;
    return c;
}

auto as_tuple(const dram_location& l) { return std::make_tuple(l.channel, l.bank, l.row, l.column); }

TEST(dram_mapping, of_the_shipped_file_by_hand)
{
    const dram_mapping m(load_dram("lpddr4-3200"));
    // 5 bits within the burst, 1 of the column, 2 of the channel, 5 of the column, 3 of the bank, 16 of the row; the
    // channel XOR bits 8-9, 10-11, ..., 30-31
    EXPECT_EQ(as_tuple(m.locate(0)), std::make_tuple(0u, 0u, 0u, 0u));
    EXPECT_EQ(as_tuple(m.locate(31)), std::make_tuple(0u, 0u, 0u, 0u));
    EXPECT_EQ(as_tuple(m.locate(32)), std::make_tuple(0u, 0u, 0u, 16u));
    EXPECT_EQ(as_tuple(m.locate(64)), std::make_tuple(1u, 0u, 0u, 0u));
    EXPECT_EQ(as_tuple(m.locate(256)), std::make_tuple(1u, 0u, 0u, 32u));
    EXPECT_EQ(as_tuple(m.locate(8192)), std::make_tuple(2u, 1u, 0u, 0u));
    EXPECT_EQ(as_tuple(m.locate(65536)), std::make_tuple(1u, 0u, 1u, 0u));
    EXPECT_EQ(as_tuple(m.locate((std::uint64_t{4} << 30) - 1)), std::make_tuple(3u, 7u, 65535u, 1008u));
}

struct order {
    const char* mapping;
    unsigned interleave;
    dram_channel_hash hash = dram_channel_hash::none;
};
class dram_mapping_order : public ::testing::TestWithParam<order> {};
INSTANTIATE_TEST_SUITE_P(orders, dram_mapping_order,
                         ::testing::Values(order{"row:bank:column:channel", 32}, order{"row:bank:column:channel", 2048},
                                           order{"row:column:bank:channel", 64}, order{"channel:row:bank:column", 256},
                                           order{"column:channel:bank:row", 32}, order{"bank:row:channel:column", 1024},
                                           order{"row:bank:column:channel", 64, dram_channel_hash::xor_above},
                                           order{"row:channel:bank:column", 256, dram_channel_hash::xor_above},
                                           order{"channel:row:bank:column", 32, dram_channel_hash::xor_above}));

TEST_P(dram_mapping_order, is_a_bijection_of_small_memories)
{
    auto c = config_of(GetParam().mapping, GetParam().interleave, GetParam().hash);
    c.organisation.rows = 4;
    ASSERT_EQ(validate(c), std::nullopt);
    const dram_mapping m(c);
    std::set<std::tuple<unsigned, unsigned, unsigned, unsigned>> seen;
    for (std::uint64_t a = 0; a < c.organisation.bytes(); a += 32) {
        const auto l = m.locate(a);
        ASSERT_LT(l.channel, 4u);
        ASSERT_LT(l.bank, 8u);
        ASSERT_LT(l.row, 4u);
        ASSERT_LT(l.column, 1024u);
        ASSERT_TRUE(seen.insert(as_tuple(l)).second) << a;
        ASSERT_EQ(m.address(l), a);
    }
    EXPECT_EQ(seen.size(), 4u * 8 * 4 * 64);
}

TEST_P(dram_mapping_order, goes_back_and_forth_in_the_whole_memory)
{
    const auto c = config_of(GetParam().mapping, GetParam().interleave, GetParam().hash);
    const dram_mapping m(c);
    std::mt19937_64 random(1);
    for (unsigned i = 0; i < 10000; ++i) {
        const std::uint64_t address = random() % c.organisation.bytes();
        ASSERT_EQ(m.address(m.locate(address)), address / 32 * 32);
    }
}

TEST_P(dram_mapping_order, neighbours_within_the_interleave_share_channel_bank_and_row)
{
    const auto c = config_of(GetParam().mapping, GetParam().interleave, GetParam().hash);
    const dram_mapping m(c);
    for (std::uint64_t block = 0; block < 5000; ++block) {
        const auto first = m.locate(block * GetParam().interleave);
        const auto last = m.locate((block + 1) * GetParam().interleave - 1);
        ASSERT_EQ(std::tie(first.channel, first.bank, first.row), std::tie(last.channel, last.bank, last.row));
    }
}

TEST(dram_mapping, streaming_uses_every_channel_and_every_bank)
{
    const dram_mapping m(load_dram("lpddr4-3200"));
    std::set<unsigned> channels;
    std::set<std::pair<unsigned, unsigned>> banks;
    for (std::uint64_t a = 0; a < 256; a += 32) { channels.insert(m.locate(a).channel); }
    for (std::uint64_t a = 0; a < 65536; a += 32) { banks.insert({m.locate(a).channel, m.locate(a).bank}); }
    EXPECT_EQ(channels.size(), 4u);
    EXPECT_EQ(banks.size(), 32u);
}

// Powers of two apart, as columns of matrices are: runs of 32 from a block of 64 bytes on.
TEST(dram_mapping, hashed_channels_share_strides_evenly)
{
    const dram_mapping m(config_of("row:bank:column:channel", 64, dram_channel_hash::xor_above));
    for (unsigned stride = 64; stride <= 1u << 20; stride *= 2) {
        std::array<unsigned, 4> used{};
        for (std::uint64_t i = 0; i < 64; ++i) { ++used[m.locate(i * stride).channel]; }
        for (const unsigned n : used) { EXPECT_EQ(n, 16u) << stride; }
    }
}

TEST(dram_mapping, works_for_a_memory_of_one_of_everything)
{
    auto c = config_of("row:bank:column:channel", 32);
    c.organisation.channels = c.organisation.banks = c.organisation.rows = 1;
    c.organisation.columns = 16;
    ASSERT_EQ(validate(c), std::nullopt);
    EXPECT_EQ(as_tuple(dram_mapping(c).locate(31)), std::make_tuple(0u, 0u, 0u, 0u));
}

} // namespace
