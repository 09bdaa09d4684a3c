// A switch by itself: modes, their coding, absent inputs, idle outputs; the shape of a network and its transpose layer.
#include <array>
#include <cstdint>
#include <vector>
#include <gtest/gtest.h>
#include "models/blocks/butterfly_maps.h"
#include "support/message_of.h"

namespace {

using namespace tensorloom::blocks;
using namespace tensorloom::test;

// The left and the right output of one switch whose inputs are 1 (left) and 2 (right); 3 is their sum, 0 nothing.
std::array<std::uint64_t, 2> outputs(adder_mode mode, std::uint64_t valid, idle_output idle)
{
    butterfly_controls controls;
    set_mode(controls, 0, 0, mode);
    const sum_map sums = reduced({1, level_order::near_first}, controls, valid, idle);
    return {sums[0], sums[1]};
}

using pair = std::array<std::uint64_t, 2>;

TEST(adder_switch_test, has_four_modes)
{
    constexpr idle_output idle = idle_output::invalid;
    EXPECT_EQ(outputs(adder_mode::pass, 3, idle), (pair{1, 2}));
    EXPECT_EQ(outputs(adder_mode::swap, 3, idle), (pair{2, 1}));
    EXPECT_EQ(outputs(adder_mode::add_left, 3, idle), (pair{3, 0}));
    EXPECT_EQ(outputs(adder_mode::add_right, 3, idle), (pair{0, 3}));
}

TEST(adder_switch_test, adding_passes_the_only_valid_input)
{
    constexpr idle_output idle = idle_output::invalid;
    for (const std::uint64_t valid : {0, 1, 2}) {
        EXPECT_EQ(outputs(adder_mode::add_left, valid, idle), (pair{valid, 0}));
        EXPECT_EQ(outputs(adder_mode::add_right, valid, idle), (pair{0, valid}));
        EXPECT_EQ(outputs(adder_mode::pass, valid, idle), (pair{valid & 1, valid & 2}));
        EXPECT_EQ(outputs(adder_mode::swap, valid, idle), (pair{valid & 2, valid & 1}));
    }
}

TEST(adder_switch_test, a_forwarding_idle_output_carries_its_own_input)
{
    constexpr idle_output idle = idle_output::forward;
    for (const std::uint64_t valid : {0, 1, 2, 3}) {
        EXPECT_EQ(outputs(adder_mode::add_left, valid, idle), (pair{valid, valid & 2}));
        EXPECT_EQ(outputs(adder_mode::add_right, valid, idle), (pair{valid & 1, valid}));
        EXPECT_EQ(outputs(adder_mode::pass, valid, idle), (pair{valid & 1, valid & 2}));
        EXPECT_EQ(outputs(adder_mode::swap, valid, idle), (pair{valid & 2, valid & 1}));
    }
}

TEST(adder_switch_test, the_commands_are_those_of_feather)
{
    EXPECT_EQ(static_cast<unsigned>(adder_mode::pass), 0b00u);
    EXPECT_EQ(static_cast<unsigned>(adder_mode::swap), 0b11u);
    EXPECT_EQ(static_cast<unsigned>(adder_mode::add_left), 0b10u);
    EXPECT_EQ(static_cast<unsigned>(adder_mode::add_right), 0b01u);
}

TEST(adder_switch_test, a_mode_is_set_without_touching_other_switches)
{
    butterfly_controls controls;
    controls.diagonal[4] = 0xdeadbeefcafef00du;
    const butterfly_controls before = controls;
    for (const adder_mode mode : {adder_mode::pass, adder_mode::add_right, adder_mode::add_left, adder_mode::swap}) {
        set_mode(controls, 4, 37, mode); // ports 37 and 53
        EXPECT_EQ(mode_of(controls, 4, 37), mode);
        constexpr std::uint64_t others = ~(std::uint64_t{1} << 37 | std::uint64_t{1} << 53);
        EXPECT_EQ(controls.diagonal[4] & others, before.diagonal[4] & others);
    }
}

TEST(adder_switch_test, the_left_operand_is_the_lower_port_wherever_the_sum_goes)
{
    constexpr butterfly shape{6, level_order::near_first};
    for (unsigned q = 0; q < shape.levels; ++q) {
        for (const bool goes_left : {false, true}) {
            const std::uint64_t diagonal = goes_left ? shape.with_bit(q) : ~shape.with_bit(q);
            unsigned sums = 0;
            for_arrivals(
                switch_adders(shape.all_ports(), diagonal, q, idle_output::invalid), q,
                [](unsigned, unsigned) { ADD_FAILURE(); },
                [&](unsigned left, unsigned right, unsigned to) {
                    EXPECT_EQ(right, left + (1u << q));
                    EXPECT_EQ(to, goes_left ? left : right);
                    ++sums;
                });
            EXPECT_EQ(sums, 32u);
        }
    }
}

TEST(multiplexer_test, selects_the_vertical_or_the_diagonal_input)
{
    for (std::uint64_t valid = 0; valid < 256; ++valid) {
        for (std::uint64_t diagonal = 0; diagonal < 256; ++diagonal) {
            for (unsigned q = 0; q < 3; ++q) {
                std::uint64_t arrived = 0;
                for_arrivals(multiplex(valid, diagonal, q), q, [&](unsigned from, unsigned to) {
                    ASSERT_EQ(from, (diagonal >> to & 1) != 0 ? to ^ 1u << q : to);
                    arrived |= std::uint64_t{1} << to;
                });
                for (unsigned j = 0; j < 8; ++j) {
                    const unsigned from = (diagonal >> j & 1) != 0 ? j ^ 1u << q : j;
                    ASSERT_EQ(arrived >> j & 1, valid >> from & 1);
                }
            }
        }
    }
}

TEST(butterfly_shape_test, levels_stand_in_their_order)
{
    const butterfly far = butterfly::of_ports(16, level_order::far_first);
    const butterfly near = butterfly::of_ports(16, level_order::near_first);
    for (unsigned level = 0; level < 4; ++level) {
        EXPECT_EQ(1u << far.bit(level), 8u >> level);
        EXPECT_EQ(1u << near.bit(level), 1u << level);
    }
}

TEST(butterfly_shape_test, only_squares_have_a_transpose_layer_which_undoes_itself)
{
    for (unsigned ports = 2; ports <= 64; ports *= 2) {
        const butterfly shape = butterfly::of_ports(ports, level_order::far_first);
        EXPECT_EQ(shape.ports(), ports);
        EXPECT_EQ(shape.has_transpose(), ports == 4 || ports == 16 || ports == 64);
        if (!shape.has_transpose()) { continue; }
        const unsigned half = ports == 4 ? 2 : ports == 16 ? 4 : 8;
        for (unsigned port = 0; port < ports; ++port) {
            EXPECT_EQ(shape.transposed(port), port % half * half + port / half);
            EXPECT_EQ(shape.transposed(shape.transposed(port)), port);
        }
    }
}

TEST(butterfly_shape_test, other_numbers_of_ports_are_refused)
{
    for (const unsigned ports : {0u, 1u, 3u, 12u, 65u, 128u}) {
        EXPECT_EQ(message_of([&] { butterfly::of_ports(ports, level_order::far_first); }),
                  "butterfly: " + std::to_string(ports) + " ports, not a power of two from 2 to 64");
    }
}

} // namespace
