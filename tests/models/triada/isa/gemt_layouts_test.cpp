// How tensors of products larger than the mesh may lie in memory: what is refused, the workspace, the choice of passes,
// the least that must move.
#include <tensorloom/models/triada/isa/gemt_estimate.h>
#include <cstdint>
#include <gtest/gtest.h>

namespace tensorloom::test {
namespace {

using base::element_type;
using triada::gemt_command;

// 9 x 8 x 7 to 6 x 8 x 10 on a mesh of 4 x 4 x 2, in the order 312.
gemt_command tiled_command(element_type type = element_type::f64, element_type of_y = element_type::f64)
{
    gemt_command c;
    c.x = isa::dense_descriptor(0x10000, type, {9, 8, 7});
    c.y = isa::dense_descriptor(0x20000, of_y, {6, 8, 10});
    const std::uint32_t rows[] = {9, 8, 7}, columns[] = {6, 8, 10};
    for (unsigned m = 0; m < 3; ++m) { c.matrix[m] = isa::dense_descriptor(0x30000, type, {rows[m], columns[m]}); }
    c.workspace = isa::dense_descriptor(0x40000, type, {100000});
    return c;
}

triada::gemt_limits limits(element_type type = element_type::f64)
{
    triada::gemt_limits device;
    device.mesh = {4, 4, 2};
    device.format = type;
    device.partials = 3;
    return device;
}

std::string refusal(const gemt_command& c, const triada::gemt_limits& device = limits())
{
    const auto error = triada::check(c, device);
    return error ? error->text : "";
}

TEST(gemt_layouts, that_contradict_each_other_are_refused)
{
    auto c = tiled_command();
    EXPECT_EQ(refusal(c), "");
    c.flags = gemt_command::flag_x_tiles | gemt_command::flag_convert_y | gemt_command::flag_work_tiles;
    EXPECT_EQ(refusal(c), "");
    c.flags = gemt_command::flag_x_tiles | gemt_command::flag_convert_x;
    EXPECT_EQ(refusal(c), "X is in tiles already, and is to be converted");
    c.flags = gemt_command::flag_y_tiles | gemt_command::flag_convert_y;
    EXPECT_EQ(refusal(c), "Y is in tiles already, and is to be converted");
    c.flags = gemt_command::flag_x_tiles;
    c.x.stride[0] += 8;
    EXPECT_EQ(refusal(c), "X: in tiles, but its strides are not those of a contiguous tensor");
    c.flags = gemt_command::flag_convert_x;
    EXPECT_EQ(refusal(c), "");
    c = tiled_command();
    c.flags = gemt_command::flag_y_tiles | gemt_command::flag_accumulate;
    c.initial_y = c.y;
    EXPECT_EQ(refusal(c), "");
    std::swap(c.initial_y.stride[0], c.initial_y.stride[1]);
    EXPECT_EQ(refusal(c), "initial Y: in tiles, but its strides are not those of a contiguous tensor");
}

TEST(gemt_layouts, copies_are_in_the_workspace)
{
    constexpr std::uint64_t x = 9 * 8 * 7, y = 6 * 8 * 10, between = 9 * 8 * 10 + 6 * 8 * 10;
    const isa::mode_sizes mesh{4, 4, 2};
    auto c = tiled_command();
    EXPECT_EQ(triada::gemt_workspace_elements(c, mesh), between);
    c.flags = gemt_command::flag_convert_x;
    EXPECT_EQ(triada::gemt_workspace_elements(c, mesh), between + x);
    c.flags = gemt_command::flag_convert_x | gemt_command::flag_convert_y;
    EXPECT_EQ(triada::gemt_workspace_elements(c, mesh), between + x + y);
    EXPECT_EQ(triada::gemt_workspace_elements(c, {16, 16, 16}), 0u); // it fits
    c.workspace.size[0] = between + x + y - 1;
    EXPECT_NE(refusal(c), "");
    c = tiled_command(element_type::int8, element_type::int32);
    c.flags = gemt_command::flag_convert_y;
    EXPECT_EQ(triada::gemt_workspace_elements(c, mesh), between + 4 * y);
    c = tiled_command(element_type::bf16, element_type::f32);
    c.flags = gemt_command::flag_convert_y;
    EXPECT_EQ(triada::gemt_workspace_elements(c, mesh), between + 2 * y);
}

triada::gemt_rates rates_of_cells(unsigned partials)
{
    triada::gemt_rates r;
    r.mesh = {4, 4, 2};
    r.partials = partials;
    return r;
}

// Order 3, 1, 2: 72 fibres of 7 to 10, 80 of 9 to 6, 60 of 8 to 8.
TEST(gemt_bound, is_what_goes_in_and_out_or_what_a_line_of_cells_cannot_keep)
{
    const auto c = tiled_command();
    EXPECT_EQ(triada::least_elements(c, rates_of_cells(1)), 72u * 17 + 80u * 15 + 60u * 16);
    auto large = c;
    large.x = isa::dense_descriptor(0, element_type::f64, {4, 4, 1000});
    large.y = isa::dense_descriptor(0, element_type::f64, {4, 4, 1000});
    large.stage_mask = 1;
    // 6 words on a line along mode 3: 1,000,000 / 6 - 6 of each fibre, rounded up first
    EXPECT_EQ(triada::least_elements(large, rates_of_cells(1)), 16u * (166667 - 6));
    auto rates = rates_of_cells(1);
    rates.mesh = {16, 16, 16};
    EXPECT_EQ(triada::least_elements(c, rates), 9u * 8 * 7 + 6u * 8 * 10);
}

// Eight blocks of 4 x 4 x 5 in each stage, loaded twice and unloaded once, three elements per cycle from a memory that
// takes no time. A copy moves two blocks of 4 x 4 x 10 at a time.
TEST(gemt_estimates, port_without_aligner_moves_rows)
{
    auto rates = rates_of_cells(2);
    rates.mesh = {4, 4, 5};
    rates.load_elements = 3;
    rates.bytes_per_cycle = 1e12;
    rates.latency_cycles = 0;
    auto c = tiled_command();
    c.x = c.y = isa::dense_descriptor(0, element_type::f64, {8, 8, 10});
    EXPECT_NEAR(triada::estimate_gemt(c, rates).port, 72 * 80 / 3.0, 1e-6);
    rates.port_aligner = false;
    EXPECT_NEAR(triada::estimate_gemt(c, rates).port, 72 * 16 * 2, 1e-6);
    rates.mesh = {4, 4, 10};
    c.x = c.y = isa::dense_descriptor(0, element_type::f64, {8, 8, 20});
    c.flags = gemt_command::flag_convert_x;
    EXPECT_NEAR(triada::estimate_gemt(c, rates).port, 72 * 16 * 4 + 4 * 2 * 16 * 2 * 4, 1e-6);
    EXPECT_EQ(triada::port_elements(rates), 3u);
    rates.load_elements = 16;
    EXPECT_EQ(triada::port_elements(rates), 10u); // a row of the mesh
    rates.port_aligner = true;
    EXPECT_EQ(triada::port_elements(rates), 16u);
}

TEST(gemt_choice, takes_what_the_estimate_finds_fastest)
{
    auto c = tiled_command();
    c.x = isa::dense_descriptor(0, element_type::f64, {64, 64, 64});
    c.y = c.x;
    c.flags = gemt_command::flag_work_tiles;
    const auto rates = rates_of_cells(4);
    const auto chosen = triada::choose_gemt(c, rates, true);
    const double best = triada::estimate_gemt(chosen, rates).cycles;
    for (unsigned partials = 1; partials <= 4; ++partials) {
        for (unsigned converts = 0; converts < 4; ++converts) {
            auto other = c;
            other.partials = static_cast<std::uint8_t>(partials);
            other.flags |= (converts & 1u) != 0 ? gemt_command::flag_convert_x : 0;
            other.flags |= (converts & 2u) != 0 ? gemt_command::flag_convert_y : 0;
            EXPECT_GE(triada::estimate_gemt(other, rates).cycles, best);
        }
    }
    EXPECT_EQ(chosen.partials, 4u); // the port takes longer than the passes
    c.partials = 2;
    EXPECT_EQ(triada::choose_gemt(c, rates, false).partials, 2u); // given
    auto fitting = rates;
    fitting.mesh = {64, 64, 64};
    c.partials = 0;
    EXPECT_EQ(triada::choose_gemt(c, fitting, true).flags, c.flags);
}

} // namespace
} // namespace tensorloom::test
