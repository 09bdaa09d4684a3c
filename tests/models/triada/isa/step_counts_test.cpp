#include <tensorloom/models/triada/isa/step_counts.h>

#include <array>

#include <gtest/gtest.h>

namespace tensorloom::test {
namespace {

using triada::counts_of_step;
using triada::event;

// Mode 3 of a box of 2 x 3 x 4 cells is summed first, mode 2 last: slices along mode 2, X lines along mode 1.
triada::stage_lines first_stage(bool esop)
{
    return {{2, 3, 4}, {8, 9, 10}, 2, triada::x_mode_of(std::array{3u, 1u, 2u}, 0), esop};
}

TEST(step_counts, x_lines_run_along_the_mode_that_is_neither_summed_nor_sliced)
{
    const std::array order{3u, 1u, 2u};
    EXPECT_EQ(triada::x_mode_of(order, 0), 0u);
    EXPECT_EQ(triada::x_mode_of(order, 1), 2u);
    EXPECT_EQ(triada::x_mode_of(order, 2), 0u);
}

TEST(step_counts, a_sparse_step_does_what_its_operands_and_coefficients_ask_for)
{
    const auto c = counts_of_step(first_stage(true), {3, 2, 5, 1, 0}); // 2 coefficients and a zero with the tag
    EXPECT_EQ(c[event::coefficient_read], 3u);
    EXPECT_EQ(c[event::coefficient_send], 3u * 3);            // in each of 3 slices
    EXPECT_EQ(c[event::lateral_coefficient_hop], 3u * 3 * 8); // past 8 cells of a line along mode 1
    EXPECT_EQ(c[event::operand_send], 5u);
    EXPECT_EQ(c[event::horizontal_operand_hop], 5u * 10);
    EXPECT_EQ(c[event::mac], 2u * 5);
    EXPECT_EQ(c[event::mac_skipped], 24u - 10);
    EXPECT_EQ(c[event::register_read], 5u + 2 * 10);      // by pivots; coefficient and sum of a multiply-add
    EXPECT_EQ(c[event::register_write], 3u * 3 * 2 + 10); // latched by the 2 cells of each X line; sums
    EXPECT_EQ(c[event::operand_saturated], 1u);
    EXPECT_EQ(c[event::step], 1u);
}

TEST(step_counts, a_dense_step_multiplies_in_every_active_cell)
{
    const auto c = counts_of_step(first_stage(false), {4, 1, 6, 0, 0});
    EXPECT_EQ(c[event::mac], 24u);
    EXPECT_EQ(c[event::mac_skipped], 0u);
}

TEST(step_counts, a_step_without_coefficients_and_a_skipped_row_multiply_nothing)
{
    const auto empty = counts_of_step(first_stage(true), {});
    EXPECT_EQ(empty[event::step], 1u);
    EXPECT_EQ(empty[event::mac_skipped], 24u);
    const auto skipped = triada::counts_of_skipped_row(24);
    EXPECT_EQ(skipped[event::step], 0u);
    EXPECT_EQ(skipped[event::step_skipped], 1u);
    EXPECT_EQ(skipped[event::mac_skipped], 24u);
}

TEST(step_counts, the_memory_port_moves_elements_or_parts_of_rows)
{
    EXPECT_EQ(triada::port_cycles({{2, 3, 5}, {1, 1, 3}}, 4, true), 9u); // 33 elements
    EXPECT_EQ(triada::port_cycles({{2, 3, 5}, {1, 1, 3}}, 4, false),
              13u); // 2 cycles for each of 6 rows, 1 for the last
}

} // namespace
} // namespace tensorloom::test
