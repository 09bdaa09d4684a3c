// Area of a FETTA against the rows of the paper's Table III, and how it goes with sizes.
#include <string>
#include <utility>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::test {
namespace {

using namespace base;
using namespace costs;
using fetta::device_area;

TEST(fetta_area, of_the_paper_is_the_sum_of_the_rows_of_its_table_3)
{
    const auto areas = fetta::device_area(load_technology("fetta-7nm"), {}, 64).areas;
    const std::pair<const char*, double> rows[] = {{"engines", 26685.70},
                                                   {"distribution_network", 1283.16},
                                                   {"reduction_network", 7756.40},
                                                   {"unified_memory", 113942.40},
                                                   {"accumulation_unit", 25820.96},
                                                   {"vector_unit", 13904.87},
                                                   {"others", 2461.57}};
    ASSERT_EQ(areas.size(), 8u);
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_EQ(areas[i].component, rows[i].first);
        EXPECT_NEAR(areas[i].um2, rows[i].second, 1e-9);
        EXPECT_FALSE(areas[i].estimate);
    }
    const auto& buffers = areas.back();
    EXPECT_NEAR(total_um2(areas) - buffers.um2, 191855.06, 1e-6);
    EXPECT_NEAR(total_um2(areas) - buffers.um2 - areas[6].um2, 189393.49, 1e-6); // what the paper prints as the total
    // 64 rows of 4 elements of two gather buffers and of float32 sums; a switch for every element, lane and bit.
    EXPECT_EQ(buffers.component, "buffers");
    EXPECT_NEAR(buffers.um2, (64 * 4 * 4 * 1.2 * 0.05832 + 64 * 4 * 64 * 0.192 * 0.192) * (16 + 16 + 32), 1e-6);
    EXPECT_TRUE(buffers.estimate);
}

TEST(fetta_area, goes_with_what_a_block_is_made_of)
{
    const auto paper = fetta::device_area(load_technology("fetta-7nm"), {}, 64).areas;
    fetta::device_limits g{64, 8, 65536, 16384, element_type::f32, element_type::f32};
    const auto found = fetta::device_area(load_technology("fetta-7nm"), g, 128).areas;
    const double element =
        find_gates("engine_element", "f32")->nand2 / (1.0 * find_gates("engine_element", "bf16")->nand2);
    const double factors[] = {4 * 4 * element, 8 * 7 / 5.0 * 2, 8 * 6 / 4.0, 8, 8, 2, 1};
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_NEAR(found[i].um2, factors[i] * paper[i].um2, 1e-9 * found[i].um2) << paper[i].component;
        EXPECT_EQ(found[i].estimate, factors[i] != 1) << paper[i].component;
    }
}

// A multiply-add of 3 cycles has registers of 2 operands and 2 sums more, of 16 and 32 bits.
TEST(fetta_area, of_the_engines_has_the_registers_of_a_longer_multiply_add)
{
    const auto paper = fetta::device_area(load_technology("fetta-7nm"), {}, 64).areas;
    fetta::device_limits g;
    g.mac_latency = 3;
    const auto found = fetta::device_area(load_technology("fetta-7nm"), g, 64).areas;
    EXPECT_NEAR(found[0].um2, paper[0].um2 + 256 * 2 * (16 + 32) * 4 * 1.2 * 0.05832, 1e-6);
    EXPECT_TRUE(found[0].estimate);
    for (std::size_t i = 1; i < 8; ++i) { EXPECT_EQ(found[i].um2, paper[i].um2) << paper[i].component; }
}

TEST(fetta_area, shrinks_by_one_rule_for_logic_and_one_for_memory)
{
    const auto at_45 = fetta::device_area(load_technology("45nm"), {}, 64).areas;
    const auto at_7 = fetta::device_area(load_technology("7nm"), {}, 64).areas;
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_NEAR(at_45[i].um2 / at_7[i].um2, at_7[i].sram ? 0.346 / 0.027 : 0.798 / 0.05832, 1e-7)
            << at_7[i].component;
    }
}

TEST(fetta_area, of_45_nm_is_that_of_gates_where_there_are_some)
{
    const auto small = fetta::device_area(load_technology("fetta-7nm"), {}, 64).areas;
    const auto large = fetta::device_area(load_technology("45nm"), {}, 64).areas;
    const auto nand2 = [](const char* block, const char* format) { return 1.0 * find_gates(block, format)->nand2; };
    const double gates[] = {16 * nand2("contraction_engine", "bf16"), 2 * nand2("distribution_network", "bf16"),
                            4 * nand2("reduction_network", "f32")};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(large[i].um2, 1.2 * 0.798 * gates[i], 1e-3);
        EXPECT_TRUE(large[i].synthesized);
        EXPECT_FALSE(large[i].estimate);
    }
    for (std::size_t i = 3; i < 7; ++i) {
        EXPECT_NEAR(large[i].um2 / small[i].um2, i < 5 ? 0.346 / 0.027 : 0.798 / 0.05832, 1e-7);
        EXPECT_TRUE(large[i].estimate);
    }
    EXPECT_NEAR(large[7].um2, (64 * 4 * 4 * 1.2 * 0.798 + 64 * 4 * 64 * 0.64 * 0.64) * 64, 1e-3);
    fetta::device_limits narrow;
    narrow.psum = element_type::bf16;
    const auto narrow_sums = fetta::device_area(load_technology("45nm"), narrow, 64).areas;
    EXPECT_TRUE(narrow_sums[0].estimate && narrow_sums[2].estimate);
    EXPECT_TRUE(narrow_sums[1].synthesized);
    fetta::device_limits wide;
    wide.operand = element_type::f32;
    EXPECT_TRUE(fetta::device_area(load_technology("45nm"), wide, 64).areas[0].estimate);
}

TEST(fetta_area, of_a_device_that_does_not_exist_is_refused)
{
    EXPECT_THROW(fetta::device_area(load_technology("fetta-7nm"), {3, 4}, 64), input_error);
}

} // namespace
} // namespace tensorloom::test
