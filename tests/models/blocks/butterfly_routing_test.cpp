// Routes of any map: found exactly where a butterfly can do it, right where found, refused where not.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/blocks/butterfly_routing.h>
#include "models/blocks/butterfly_maps.h"
#include "support/message_of.h"

namespace {

using namespace tensorloom::blocks;
using namespace tensorloom::test;

using request = std::vector<unsigned>;

bool is_found(const butterfly_route& route) { return std::holds_alternative<butterfly_controls>(route); }
bool is_plain(const butterfly_route& route)
{
    return is_found(route) && !std::get<butterfly_controls>(route).transpose;
}

::testing::AssertionResult brings(const butterfly& shape, const butterfly_route& route, const request& from)
{
    const row_map rows = distributed(shape, std::get<butterfly_controls>(route));
    for (unsigned j = 0; j < shape.ports(); ++j) {
        if (from[j] != no_port && rows[j] != from[j]) {
            return ::testing::AssertionFailure()
                   << "output " << j << " got " << unsigned{rows[j]} << ", not " << from[j];
        }
    }
    return ::testing::AssertionSuccess();
}

// What leaves at ports that nobody asked for counts only where idle outputs carry nothing.
::testing::AssertionResult adds(const butterfly& shape, const butterfly_route& route, const request& to,
                                idle_output idle = idle_output::invalid)
{
    sum_map expected{};
    std::uint64_t valid = 0;
    for (unsigned i = 0; i < shape.ports(); ++i) {
        if (to[i] == no_port) { continue; }
        expected[to[i]] |= std::uint64_t{1} << i;
        valid |= std::uint64_t{1} << i;
    }
    const sum_map sums = reduced(shape, std::get<butterfly_controls>(route), valid, idle);
    for (unsigned port = 0; port < shape.ports(); ++port) {
        if (expected[port] == 0 && idle == idle_output::forward) { continue; }
        if (sums[port] != expected[port]) {
            return ::testing::AssertionFailure()
                   << "output " << port << " has inputs " << sums[port] << ", not " << expected[port];
        }
    }
    return ::testing::AssertionSuccess();
}

// ---- exactness ----

// Every map of 4 ports in which some ports may want nothing: found exactly when a whole map that can be done agrees
// with it.
TEST(butterfly_routing_test, every_request_of_four_ports_is_found_or_impossible)
{
    for (const level_order order : level_orders) {
        const butterfly shape = butterfly::of_ports(4, order);
        const auto settings = all_distributions(shape);
        const auto transposed = all_distributions(shape, through_transpose(shape, straight_rows()));
        unsigned found = 0;
        for (unsigned n = 0; n < 5 * 5 * 5 * 5; ++n) {
            request asked;
            for (unsigned rest = n, j = 0; j < 4; ++j, rest /= 5) {
                asked.push_back(rest % 5 == 4 ? no_port : rest % 5);
            }
            bool is_possible = false;
            for (std::size_t whole = 0; whole < settings.possible(); ++whole) {
                if (!settings.has(whole) && !transposed.has(whole)) { continue; }
                const auto map = settings.map(whole);
                bool agrees = true;
                for (unsigned j = 0; j < 4; ++j) { agrees = agrees && (asked[j] == no_port || asked[j] == map[j]); }
                is_possible = is_possible || agrees;
            }
            const auto route = route_distribution(shape, asked);
            ASSERT_EQ(is_found(route), is_possible) << n;
            if (!is_found(route)) { continue; }
            ++found;
            ASSERT_TRUE(brings(shape, route, asked)) << n;
        }
        EXPECT_LT(found, 625u);
        EXPECT_GT(found, 224u);
    }
}

TEST(butterfly_routing_test, every_map_of_eight_ports_is_distributed_or_impossible)
{
    const butterfly shape = butterfly::of_ports(8, level_order::far_first);
    const map_set possible = all_distributions(shape);
    for (std::size_t n = 0; n < possible.possible(); ++n) {
        const auto route = route_distribution(shape, possible.map(n));
        ASSERT_EQ(is_found(route), possible.has(n)) << n;
        if (is_found(route)) { ASSERT_TRUE(brings(shape, route, possible.map(n))) << n; }
    }
}

TEST(butterfly_routing_test, every_map_of_eight_ports_is_reduced_or_impossible)
{
    const all_reductions all(butterfly::of_ports(8, level_order::near_first));
    for (std::size_t n = 0; n < all.found.possible(); ++n) {
        const auto route = route_reduction(all.shape, all.found.map(n));
        ASSERT_EQ(is_found(route), all.found.has(n)) << n;
        if (is_found(route)) { ASSERT_TRUE(adds(all.shape, route, all.found.map(n))) << n; }
    }
}

// ---- what the paper's networks are for ----

// A partition of 16 ports into contiguous groups: bit i of `cuts`, a group begins at port i + 1. By port: its group.
request groups(unsigned cuts)
{
    request group(16, 0);
    for (unsigned i = 1; i < 16; ++i) { group[i] = group[i - 1] + (cuts >> (i - 1) & 1); }
    return group;
}

TEST(butterfly_routing_test, near_levels_first_reduce_and_compact_all_contiguous_partitions)
{
    const butterfly near = butterfly::of_ports(16, level_order::near_first);
    const butterfly far = butterfly::of_ports(16, level_order::far_first);
    unsigned plain_of_far = 0;
    for (unsigned cuts = 0; cuts < 32768; ++cuts) {
        const request to = groups(cuts);
        const auto route = route_reduction(near, to);
        ASSERT_TRUE(is_plain(route)) << cuts;
        ASSERT_TRUE(adds(near, route, to)) << cuts;
        plain_of_far += is_plain(route_reduction(far, to)) ? 1 : 0;
    }
    EXPECT_EQ(plain_of_far, 5u);
}

TEST(butterfly_routing_test, far_levels_first_send_compact_banks_to_all_contiguous_groups)
{
    const butterfly near = butterfly::of_ports(16, level_order::near_first);
    const butterfly far = butterfly::of_ports(16, level_order::far_first);
    unsigned plain_of_near = 0;
    for (unsigned cuts = 0; cuts < 32768; ++cuts) {
        const request from = groups(cuts);
        const auto route = route_distribution(far, from);
        ASSERT_TRUE(is_plain(route)) << cuts;
        ASSERT_TRUE(brings(far, route, from)) << cuts;
        plain_of_near += is_plain(route_distribution(near, from)) ? 1 : 0;
    }
    EXPECT_EQ(plain_of_near, 5u);
    const request four_each = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
    EXPECT_FALSE(is_plain(route_distribution(near, four_each)));
    EXPECT_TRUE(is_found(route_distribution(near, four_each))); // only through the transpose layer
}

TEST(butterfly_routing_test, idle_outputs_that_forward_spoil_no_wanted_sum)
{
    const butterfly shape = butterfly::of_ports(16, level_order::near_first);
    for (unsigned cuts = 0; cuts < 32768; cuts += 3) {
        request to = groups(cuts);
        ASSERT_TRUE(adds(shape, route_reduction(shape, to), to, idle_output::forward)) << cuts;
        for (unsigned i = cuts % 5; i < 16; i += 5) { to[i] = no_port; }
        ASSERT_TRUE(adds(shape, route_reduction(shape, to), to, idle_output::forward)) << cuts;
    }
}

request permutation(unsigned (*bank)(unsigned))
{
    request from(16);
    for (unsigned j = 0; j < 16; ++j) { from[j] = bank(j); }
    return from;
}

TEST(butterfly_routing_test, a_port_transpose_needs_the_transpose_layer)
{
    const butterfly shape = butterfly::of_ports(16, level_order::far_first);
    const request from = permutation([](unsigned j) { return j % 4 * 4 + j / 4; });
    const auto route = route_distribution(shape, from);
    ASSERT_TRUE(is_found(route));
    EXPECT_FALSE(is_plain(route));
    EXPECT_TRUE(brings(shape, route, from));
    const butterfly sums = butterfly::of_ports(16, level_order::near_first);
    const auto reduction = route_reduction(sums, from);
    ASSERT_TRUE(is_found(reduction));
    EXPECT_FALSE(is_plain(reduction));
    EXPECT_TRUE(adds(sums, reduction, from));
}

TEST(butterfly_routing_test, cyclic_shifts_and_the_complement_are_routed_and_bit_reversal_is_not)
{
    const butterfly shape = butterfly::of_ports(16, level_order::far_first);
    for (unsigned shift = 0; shift < 16; ++shift) {
        request from(16);
        for (unsigned j = 0; j < 16; ++j) { from[j] = (j + shift) % 16; }
        const auto route = route_distribution(shape, from);
        ASSERT_TRUE(is_plain(route)) << shift;
        EXPECT_TRUE(brings(shape, route, from)) << shift;
    }
    const request complement = permutation([](unsigned j) { return 15 - j; });
    ASSERT_TRUE(is_plain(route_distribution(shape, complement)));
    EXPECT_TRUE(brings(shape, route_distribution(shape, complement), complement));
    const request reversal =
        permutation([](unsigned j) { return (j & 1) << 3 | (j & 2) << 1 | (j & 4) >> 1 | j >> 3; });
    EXPECT_FALSE(is_found(route_distribution(shape, reversal)));
}

// ---- sizes ----

TEST(butterfly_routing_test, what_a_setting_of_64_ports_does_is_routed_again)
{
    std::mt19937_64 random(5);
    for (unsigned trial = 0; trial < 300; ++trial) {
        butterfly_controls controls;
        for (auto& word : controls.diagonal) { word = random(); }
        controls.transpose = trial % 2 != 0;
        const butterfly far = butterfly::of_ports(64, level_order::far_first);
        const row_map rows = distributed(far, controls);
        request asked(rows.begin(), rows.end());
        ASSERT_TRUE(is_found(route_distribution(far, asked)));
        ASSERT_TRUE(brings(far, route_distribution(far, asked), asked));
        const butterfly near = butterfly::of_ports(64, level_order::near_first);
        const sum_map sums = reduced(near, controls, ~std::uint64_t{0});
        for (unsigned port = 0; port < 64; ++port) {
            for (unsigned i = 0; i < 64; ++i) {
                if ((sums[port] >> i & 1) != 0) { asked[i] = port; }
            }
        }
        ASSERT_TRUE(is_found(route_reduction(near, asked)));
        ASSERT_TRUE(adds(near, route_reduction(near, asked), asked));
    }
}

// ---- refusals ----

TEST(butterfly_routing_test, a_refusal_names_what_meets_where)
{
    const butterfly shape = butterfly::of_ports(4, level_order::far_first);
    // Banks 0 and 2 both cross, or keep, bit 1 at port 0; transposed they are 0 and 1.
    ASSERT_TRUE(is_found(route_distribution(shape, {0, 2, no_port, no_port})));
    const auto none = route_distribution(shape, {0, 2, 1, 0});
    ASSERT_FALSE(is_found(none));
    EXPECT_EQ(
        std::get<butterfly_blockage>(none).text(),
        "no route: outputs 0 and 1 need different rows at port 0 after level 0 (distance 2); transposed, outputs 2 "
        "and 3 need different rows at port 2 after level 0 (distance 2)");
    const auto sums = route_reduction(butterfly::of_ports(8, level_order::near_first), {0, 2, 7, 7, 7, 7, 7, 7});
    ASSERT_FALSE(is_found(sums));
    EXPECT_EQ(std::get<butterfly_blockage>(sums).text(),
              "no route: inputs 0 and 1, of different sums, meet at port 0 after level 0 (distance 1)");
}

TEST(butterfly_routing_test, requests_for_ports_that_do_not_exist_are_errors)
{
    const butterfly shape = butterfly::of_ports(4, level_order::far_first);
    const auto error = [&](const request& asked) { return message_of([&] { route_distribution(shape, asked); }); };
    EXPECT_EQ(error({0, 1, 2}), "butterfly: a request for 3 ports, not 4");
    EXPECT_EQ(error({0, 1, 2, 4}), "butterfly: port 4 requested, not below 4");
    EXPECT_EQ(error({0, 1, 2, no_port}), "");
}

} // namespace
