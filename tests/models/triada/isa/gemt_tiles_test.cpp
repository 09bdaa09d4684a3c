// How GEMT commands are cut into passes: by their orders, masks and meshes.
#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>
#include <gtest/gtest.h>

namespace tensorloom::test {
namespace {

using base::element_type;
using isa::mode_sizes;
using triada::gemt_command;

gemt_command command_of(const mode_sizes& n, const mode_sizes& k, const std::array<std::uint8_t, 3>& order,
                        std::uint8_t mask = 7)
{
    gemt_command c;
    c.order = order;
    c.stage_mask = mask;
    c.x = isa::dense_descriptor(0, element_type::f64, {n[0], n[1], n[2]});
    c.y = isa::dense_descriptor(0, element_type::f64, {k[0], k[1], k[2]});
    for (unsigned m = 0; m < 3; ++m) {
        if (!c.sums(m)) { c.y.size[m] = n[m]; }
    }
    return c;
}

TEST(gemt_tiles, of_random_products_follow_the_order_and_the_mask)
{
    std::mt19937 random(5);
    const auto draw = [&](std::uint32_t most) { return static_cast<std::uint32_t>(1 + random() % most); };
    for (int i = 0; i < 60; ++i) {
        SCOPED_TRACE(i);
        std::array<std::uint8_t, 3> order{1, 2, 3};
        std::shuffle(order.begin(), order.end(), random);
        const auto mask = static_cast<std::uint8_t>(draw(7));
        const mode_sizes mesh{draw(4), draw(4), draw(4)};
        const auto c = command_of({draw(7), draw(7), draw(7)}, {draw(7), draw(7), draw(7)}, order, mask);
        const auto plan = triada::plan_gemt(c, mesh);
        std::uint64_t steps = 0;
        mode_sizes shape{c.x.size[0], c.x.size[1], c.x.size[2]};
        mode_sizes active{};
        for (const auto& stage : plan.stages) {
            EXPECT_TRUE(c.runs(stage.position));
            EXPECT_EQ(stage.input, shape);
            EXPECT_EQ(stage.mode, c.order[stage.position] - 1u);
            shape[stage.mode] = c.y.size[stage.mode];
            EXPECT_EQ(stage.output, shape);
            for (std::uint64_t p = 0; p < stage.passes(); ++p) {
                const auto box = stage.pass(p).box();
                for (unsigned m = 0; m < 3; ++m) {
                    ASSERT_LE(box[m], mesh[m]);
                    active[m] = std::max(active[m], box[m]);
                }
            }
            steps += stage.rows();
        }
        EXPECT_EQ(shape, (mode_sizes{c.y.size[0], c.y.size[1], c.y.size[2]}));
        EXPECT_EQ(plan.box, active);
        EXPECT_EQ(plan.steps(), steps);
    }
}

TEST(gemt_tiles, come_in_c_order_of_the_output_with_the_summed_mode_innermost)
{
    const auto c = command_of({3, 4, 2}, {3, 5, 2}, {2, 1, 3}, 1);
    const auto plan = triada::plan_gemt(c, {2, 3, 2});
    ASSERT_EQ(plan.stages.size(), 1u);
    const auto& stage = plan.stages[0];
    ASSERT_EQ(stage.passes(), 8u); // 2 x 2 x 1 blocks of the output, 2 of the summed mode
    const mode_sizes operands[] = {{0, 0, 0}, {0, 3, 0}, {0, 0, 0}, {0, 3, 0},
                                   {2, 0, 0}, {2, 3, 0}, {2, 0, 0}, {2, 3, 0}};
    const mode_sizes results[] = {{0, 0, 0}, {0, 0, 0}, {0, 3, 0}, {0, 3, 0},
                                  {2, 0, 0}, {2, 0, 0}, {2, 3, 0}, {2, 3, 0}};
    for (std::uint64_t p = 0; p < 8; ++p) {
        EXPECT_EQ(stage.pass(p).operand.first, operands[p]) << p;
        EXPECT_EQ(stage.pass(p).result.first, results[p]) << p;
    }
    EXPECT_EQ(stage.pass(7).operand.size, (mode_sizes{1, 1, 2}));
    EXPECT_EQ(stage.pass(7).result.size, (mode_sizes{1, 2, 2}));
    EXPECT_EQ(stage.pass(7).box(), (mode_sizes{1, 2, 2}));
}

TEST(gemt_tiles, are_not_needed_while_the_larger_of_n_and_k_fits)
{
    const mode_sizes mesh{4, 5, 6};
    const auto fits = triada::plan_gemt(command_of({4, 2, 6}, {3, 5, 1}, {3, 1, 2}), mesh);
    EXPECT_TRUE(fits.fits);
    EXPECT_EQ(fits.box, (mode_sizes{4, 5, 6}));
    EXPECT_EQ(fits.steps(), 4u + 2 + 6);
    EXPECT_FALSE(triada::plan_gemt(command_of({4, 2, 6}, {5, 5, 1}, {3, 1, 2}), mesh).fits);
    EXPECT_FALSE(triada::plan_gemt(command_of({4, 6, 6}, {4, 5, 1}, {3, 1, 2}), mesh).fits);
    EXPECT_FALSE(triada::plan_gemt(command_of({4, 2, 7}, {4, 5, 7}, {3, 1, 2}, 6), mesh).fits); // not even summed
}

TEST(gemt_workspace, holds_every_tensor_between_two_stages)
{
    const mode_sizes n{4, 2, 6}, k{3, 5, 1}, mesh{2, 2, 2};
    EXPECT_EQ(triada::gemt_workspace_elements(command_of(n, k, {3, 1, 2}), mesh), 4u * 2 * 1 + 3 * 2 * 1);
    EXPECT_EQ(triada::gemt_workspace_elements(command_of(n, k, {2, 1, 3}), mesh), 4u * 5 * 6 + 3 * 5 * 6);
    EXPECT_EQ(triada::gemt_workspace_elements(command_of(n, k, {2, 1, 3}, 5), mesh), 4u * 5 * 6);
    EXPECT_EQ(triada::gemt_workspace_elements(command_of(n, k, {2, 1, 3}, 2), mesh), 0u);
    EXPECT_EQ(triada::gemt_workspace_elements(command_of(n, k, {2, 1, 3}), {4, 5, 6}), 0u);
    const auto plan = triada::plan_gemt(command_of(n, k, {2, 1, 3}), mesh);
    EXPECT_EQ(plan.workspace_offset(0), 0u);
    EXPECT_EQ(plan.workspace_offset(1), 4u * 5 * 6);
}

TEST(gemt_workspace, that_no_memory_could_hold_is_said_to_have_2_to_the_64_less_1_elements)
{
    const auto c = command_of({1u << 30, 1u << 20, 1u << 20}, {1u << 30, 1, 1}, {1, 2, 3});
    EXPECT_EQ(triada::gemt_workspace_elements(c, {1, 1, 1}), UINT64_MAX);
}

} // namespace
} // namespace tensorloom::test
