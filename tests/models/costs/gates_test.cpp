// Gates that synthesis has counted, and what is derived from them.
#include <tensorloom/models/costs/gates.h>
#include <tensorloom/models/costs/area.h>
#include <gtest/gtest.h>

namespace tensorloom::test {
namespace {

using namespace base;
using namespace costs;

double nand2(const char* block, const char* format) { return find_gates(block, format)->nand2; }

TEST(gates, have_a_row_for_a_block_and_a_format)
{
    EXPECT_EQ(find_gates("mac", "f16"), nullptr);
    EXPECT_EQ(find_gates("adder", "int8"), nullptr);
    ASSERT_NE(find_gates("stage_control", "any"), nullptr);
    for (const auto* format : {"int8", "bf16", "f32", "f64"}) {
        ASSERT_NE(find_gates("mesh_cell", format), nullptr);
        EXPECT_GT(nand2("mesh_cell", format), nand2("mac", format) + 4 * find_gates("mesh_cell", format)->flip_flops);
        EXPECT_GT(find_gates("mesh_cell", format)->levels, find_gates("mac", format)->levels);
    }
}

TEST(gates, of_a_multiply_add_are_synthesized_or_lie_between_those_that_are)
{
    for (const auto format : {element_type::int8, element_type::bf16, element_type::f32, element_type::f64}) {
        EXPECT_EQ(multiply_add_gates(format).nand2, nand2("mac", std::string(element_type_name(format)).c_str()));
        EXPECT_FALSE(multiply_add_gates(format).estimate);
    }
    const auto half = multiply_add_gates(element_type::f16);
    EXPECT_TRUE(half.estimate);
    EXPECT_NEAR(half.nand2, nand2("mac", "bf16") + 57.0 / 512 * (nand2("mac", "f32") - nand2("mac", "bf16")), 1e-9);
    const double multiplier = nand2("mac", "int8") - 224;
    EXPECT_NEAR(multiply_add_gates(element_type::int32).nand2, 8 * multiplier + 224, 1e-9);
    EXPECT_NEAR(multiply_add_gates(element_type::int64).nand2, 32 * multiplier + 448, 1e-9);
    EXPECT_EQ(multiply_add_gates(element_type::c128).nand2, 4 * nand2("mac", "f64"));
    EXPECT_TRUE(multiply_add_gates(element_type::c64).estimate);
}

TEST(gates, of_a_cell_are_its_multiply_add_and_what_its_width_needs)
{
    const double rest = nand2("mesh_cell", "f32") - nand2("mac", "f32");
    EXPECT_EQ(mesh_cell_gates(element_type::f32, 4).nand2, nand2("mesh_cell", "f32"));
    EXPECT_NEAR(mesh_cell_gates(element_type::int32, 4).nand2, multiply_add_gates(element_type::int32).nand2 + rest,
                1e-9);
    EXPECT_NEAR(mesh_cell_gates(element_type::c64, 4).nand2, 4 * nand2("mac", "f32") + 2 * rest, 1e-9);
    EXPECT_NEAR(mesh_cell_gates(element_type::c64, 5).nand2 - mesh_cell_gates(element_type::c64, 4).nand2, 64 * 7,
                1e-9);
    EXPECT_TRUE(mesh_cell_gates(element_type::f32, 3).estimate);
    EXPECT_FALSE(mesh_cell_gates(element_type::int8, 4).estimate);
    EXPECT_EQ(systolic_element_gates(element_type::bf16).nand2, nand2("systolic_element", "bf16"));
}

TEST(gates, in_a_row_make_a_latency)
{
    EXPECT_EQ(multiply_add_levels(element_type::f32), find_gates("mac", "f32")->levels);
    EXPECT_EQ(multiply_add_levels(element_type::c64), 2 * find_gates("mac", "f32")->levels);
    EXPECT_EQ(multiply_add_levels(element_type::int32), 2 * find_gates("mac", "int8")->levels);
    EXPECT_EQ(mesh_cell_levels(element_type::bf16), find_gates("mesh_cell", "bf16")->levels);
    EXPECT_EQ(mesh_cell_levels(element_type::c128) - mesh_cell_levels(element_type::f64),
              find_gates("mac", "f64")->levels);
}

} // namespace
} // namespace tensorloom::test
