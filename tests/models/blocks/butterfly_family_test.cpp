// The regular patterns of a mask and an index: what they move and add, how many there are, and what the paper wants of
// them.
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <vector>
#include <gtest/gtest.h>
#include "models/blocks/butterfly_maps.h"
#include "support/message_of.h"

namespace {

using namespace tensorloom::blocks;
using namespace tensorloom::test;

class butterfly_family_test : public ::testing::TestWithParam<unsigned> {
protected:
    // f(controls, mask, index, transpose) for every pattern, with the transpose layer where there is one.
    template <class F> static void each_pattern(const butterfly& shape, const F& f)
    {
        for (unsigned transpose = 0; transpose < (shape.has_transpose() ? 2u : 1u); ++transpose) {
            for (unsigned mask = 0; mask < shape.ports(); ++mask) {
                for (unsigned index = 0; index < shape.ports(); ++index) {
                    f(xor_controls(shape, mask, index, transpose != 0), mask, index, transpose != 0);
                }
            }
        }
    }
    static unsigned exchanged_halves(const butterfly& shape, unsigned port, bool transpose)
    {
        const unsigned root = 1u << shape.levels / 2;
        return transpose ? port % root * root + port / root : port;
    }
};

TEST_P(butterfly_family_test, a_port_gets_the_row_of_its_number_without_the_mask_exclusive_or_the_index)
{
    for (const level_order order : {level_order::far_first, level_order::near_first}) {
        const butterfly shape = butterfly::of_ports(GetParam(), order);
        each_pattern(shape, [&](const butterfly_controls& controls, unsigned mask, unsigned index, bool transpose) {
            const row_map rows = distributed(shape, controls);
            for (unsigned j = 0; j < shape.ports(); ++j) {
                ASSERT_EQ(rows[j], exchanged_halves(shape, (j & ~mask) ^ index, transpose)) << mask << " " << index;
            }
        });
    }
}

TEST_P(butterfly_family_test, inputs_that_differ_in_the_mask_are_added_at_their_port)
{
    for (const level_order order : {level_order::far_first, level_order::near_first}) {
        const butterfly shape = butterfly::of_ports(GetParam(), order);
        each_pattern(shape, [&](const butterfly_controls& controls, unsigned mask, unsigned index, bool transpose) {
            sum_map expected{};
            for (unsigned i = 0; i < shape.ports(); ++i) {
                const unsigned port = ((i & ~mask) ^ (index & ~mask)) | (index & mask);
                expected[exchanged_halves(shape, port, transpose)] |= std::uint64_t{1} << i;
            }
            ASSERT_EQ(reduced(shape, controls, shape.all_ports()), expected) << mask << " " << index;
        });
    }
}

TEST_P(butterfly_family_test, has_ports_squared_patterns_and_more_with_the_transpose_layer)
{
    const butterfly shape = butterfly::of_ports(GetParam(), level_order::far_first);
    std::set<row_map> plain;
    std::set<row_map> all;
    std::set<sum_map> sums;
    std::map<std::size_t, unsigned> by_fan_out;
    each_pattern(shape, [&](const butterfly_controls& controls, unsigned, unsigned, bool transpose) {
        const row_map rows = distributed(shape, controls);
        all.insert(rows);
        if (transpose) { return; }
        sums.insert(reduced({shape.levels, level_order::near_first}, controls, shape.all_ports()));
        if (!plain.insert(rows).second) { return; }
        const std::set<unsigned> used(rows.begin(), rows.begin() + shape.ports());
        ++by_fan_out[shape.ports() / used.size()];
    });
    EXPECT_EQ(plain.size(), std::size_t{GetParam()} * GetParam());
    EXPECT_EQ(sums.size(), std::size_t{GetParam()} * GetParam());
    const std::map<unsigned, std::size_t> with_transpose{{2, 4}, {4, 28}, {8, 64}, {16, 496}};
    EXPECT_EQ(all.size(), with_transpose.at(GetParam()));
    const std::map<unsigned, std::map<std::size_t, unsigned>> fan_outs{
        {2, {{1, 2}, {2, 2}}},
        {4, {{1, 4}, {2, 8}, {4, 4}}},
        {8, {{1, 8}, {2, 24}, {4, 24}, {8, 8}}},
        {16, {{1, 16}, {2, 64}, {4, 96}, {8, 64}, {16, 16}}}};
    EXPECT_EQ(by_fan_out, fan_outs.at(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(ports, butterfly_family_test, ::testing::Values(2, 4, 8, 16));

TEST(butterfly_controls_test, an_index_inverts_the_selection_vectors)
{
    const butterfly shape = butterfly::of_ports(16, level_order::far_first);
    const select_vectors select{0x1234, 0xfedc, 0x0f0f, 0xf0018001}; // bits beyond the ports do not count
    const butterfly_controls controls = raw_controls(shape, select, 0b0101, true);
    EXPECT_TRUE(controls.transpose);
    EXPECT_EQ(controls.diagonal[0], 0xedcbu);
    EXPECT_EQ(controls.diagonal[1], 0xfedcu);
    EXPECT_EQ(controls.diagonal[2], 0xf0f0u);
    EXPECT_EQ(controls.diagonal[3], 0x8001u);
    EXPECT_EQ(controls.diagonal[4], 0u);
    EXPECT_EQ(controls.diagonal[5], 0u);
}

TEST(butterfly_controls_test, what_the_network_does_not_have_is_refused)
{
    const butterfly eight = butterfly::of_ports(8, level_order::far_first);
    const auto refusal = [&](unsigned mask, unsigned index, bool transpose) {
        return message_of([&] { xor_controls(eight, mask, index, transpose); });
    };
    EXPECT_EQ(refusal(7, 7, false), "");
    EXPECT_EQ(refusal(8, 0, false), "butterfly: mask 8, not below its 8 ports");
    EXPECT_EQ(refusal(0, 8, false), "butterfly: index 8, not below its 8 ports");
    EXPECT_EQ(refusal(0, 0, true), "butterfly: transposed, but its 8 ports are not a square");
}

} // namespace
