// Which maps butterflies can do: every configuration of 4 and 8 ports through the switch functions, 16 ports by
// counting transfers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>
#include <gtest/gtest.h>
#include "models/blocks/butterfly_maps.h"

namespace {

using namespace tensorloom::blocks;
using namespace tensorloom::test;

bool is_permutation(const std::vector<unsigned>& map)
{
    unsigned seen = 0;
    for (const unsigned entry : map) { seen |= 1u << entry; }
    return seen == (1u << map.size()) - 1;
}

// Which inputs go together: for every input the lowest one of its sum.
std::vector<unsigned> partition(const std::vector<unsigned>& output_of)
{
    std::vector<unsigned> first(output_of.size());
    for (unsigned i = 0; i < first.size(); ++i) {
        first[i] =
            static_cast<unsigned>(std::find(output_of.begin(), output_of.end(), output_of[i]) - output_of.begin());
    }
    return first;
}

std::size_t partitions(const map_set& maps)
{
    std::set<std::vector<unsigned>> found;
    maps.count([&](const std::vector<unsigned>& map) { return found.insert(partition(map)).second; });
    return found.size();
}

TEST(butterfly_maps_test, four_ports_distribute_144_maps_of_which_16_are_permutations)
{
    for (const level_order order : level_orders) {
        const map_set found = all_distributions(butterfly::of_ports(4, order));
        EXPECT_EQ(found.count(), 144u);
        EXPECT_EQ(found.count(is_permutation), 16u);
    }
}

TEST(butterfly_maps_test, with_the_transpose_layer_four_ports_distribute_224_maps_and_all_24_permutations)
{
    const butterfly shape = butterfly::of_ports(4, level_order::far_first);
    map_set found = all_distributions(shape);
    const map_set transposed = all_distributions(shape, through_transpose(shape, straight_rows()));
    for (std::size_t n = 0; n < found.possible(); ++n) {
        if (transposed.has(n)) { found.insert(n); }
    }
    EXPECT_EQ(found.count(), 224u);
    EXPECT_EQ(found.count(is_permutation), 24u);
}

TEST(butterfly_maps_test, eight_ports_distribute_1032256_maps_of_which_4096_are_permutations)
{
    const map_set found = all_distributions(butterfly::of_ports(8, level_order::far_first));
    EXPECT_EQ(found.count(), 1032256u);
    EXPECT_EQ(found.count(is_permutation), 4096u);
}

TEST(butterfly_maps_test, four_ports_reduce_in_144_maps_and_all_15_partitions)
{
    for (const level_order order : level_orders) {
        const all_reductions all(butterfly::of_ports(4, order));
        EXPECT_EQ(all.settings, 256u);
        EXPECT_EQ(all.lost, 0u);
        EXPECT_EQ(all.found.count(), 144u);
        EXPECT_EQ(all.found.count(is_permutation), 16u);
        EXPECT_EQ(partitions(all.found), 15u);
    }
}

TEST(butterfly_maps_test, eight_ports_reduce_in_1032256_maps_and_3692_partitions)
{
    const all_reductions all(butterfly::of_ports(8, level_order::near_first));
    EXPECT_EQ(all.settings, 16777216u); // 4^12
    EXPECT_EQ(all.lost, 0u);
    EXPECT_EQ(all.found.count(), 1032256u);
    EXPECT_EQ(all.found.count(is_permutation), 4096u);
    EXPECT_EQ(partitions(all.found), 3692u); // of 4,140
}

// Reversed, a reduction map is a distribution map of the network with its levels reversed.
TEST(butterfly_maps_test, reduction_is_the_dual_of_distribution)
{
    const map_set rows = all_distributions(butterfly::of_ports(8, level_order::far_first));
    const all_reductions sums(butterfly::of_ports(8, level_order::near_first));
    for (std::size_t n = 0; n < rows.possible(); ++n) { ASSERT_EQ(rows.has(n), sums.found.has(n)) << n; }
}

// A network with its far level first is that level, and behind it two networks of half the size that share its inputs i
// and i + N/2. A map of one half and, for every input that it reads, one of two rows make a map of this half of the
// outputs; no two choices make the same.
std::uint64_t transfers(const map_set& half)
{
    std::uint64_t choices = 0;
    half.count([&](const std::vector<unsigned>& map) {
        choices += std::uint64_t{1} << std::set<unsigned>(map.begin(), map.end()).size();
        return true;
    });
    return choices;
}

TEST(butterfly_maps_test, sixteen_ports_distribute_1507922981376256_maps)
{
    // The transfer rule, where it can be checked.
    const std::uint64_t of_four = transfers(all_distributions(butterfly::of_ports(4, level_order::far_first)));
    EXPECT_EQ(of_four * of_four, 1032256u);
    const std::uint64_t of_eight = transfers(all_distributions(butterfly::of_ports(8, level_order::far_first)));
    EXPECT_EQ(of_eight * of_eight, 1507922981376256u);
}

// The halves of 16 ports are networks of 8, as the transfer count takes for granted.
TEST(butterfly_maps_test, behind_the_far_level_sixteen_ports_are_twice_eight)
{
    const butterfly whole = butterfly::of_ports(16, level_order::far_first);
    const butterfly half = butterfly::of_ports(8, level_order::far_first);
    std::uint64_t state = 1;
    for (unsigned trial = 0; trial < 1000; ++trial) {
        butterfly_controls controls;
        std::array<butterfly_controls, 2> of_half;
        for (unsigned q = 0; q < 4; ++q) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            controls.diagonal[q] = state >> 48;
            if (q == 3) { continue; }
            for (unsigned h = 0; h < 2; ++h) { of_half[h].diagonal[q] = controls.diagonal[q] >> 8 * h & 0xff; }
        }
        const row_map rows = distributed(whole, controls);
        for (unsigned port = 0; port < 16; ++port) {
            const unsigned node = distributed(half, of_half[port / 8])[port % 8] + port / 8 * 8;
            const unsigned crossed = static_cast<unsigned>(controls.diagonal[3] >> node & 1) * 8;
            ASSERT_EQ(rows[port], node ^ crossed);
        }
    }
}

} // namespace
