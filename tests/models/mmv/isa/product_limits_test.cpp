// Every reason for which a PRODUCT is refused, one change to a fine one at a time; what is taken.
#include "refusal_case.h"

namespace tensorloom::test {
namespace {

using namespace mmv_check_errors;

class product_check_error : public testing::TestWithParam<change<product_command>> {};
TEST_P(product_check_error, has_its_code_and_text)
{
    auto c = fine_product();
    GetParam().make(c);
    expect_check_error(check(c, 0, int64_device), GetParam().error, GetParam().text);
}

using p = product_command;
constexpr auto pp = scalar_opcode::product;
INSTANTIATE_TEST_SUITE_P(
    fields, product_check_error,
    testing::Values(
        change<p>{"no_rows", pp, [](p& c) { c.rows = 0; }, bad_field, "rows 0 is not 1 to 4294967295"},
        change<p>{"no_depth", pp, [](p& c) { c.depth = 0; }, bad_field, "depth 0 is not 1 to 4294967295"},
        change<p>{"no_columns", pp, [](p& c) { c.columns = 0; }, bad_field, "columns 0 is not 1 to 4294967295"},
        change<p>{"wide_tiles", pp, [](p& c) { c.tile_columns = 5; }, bad_field, "tile_columns 5 is not 0 to 4"},
        change<p>{"large_left", pp, [](p& c) { c.rows = 1171; }, too_large, "more than 8192 elements"},
        change<p>{"large_weights", pp, [](p& c) { c.columns = 1171, c.rows = 1; }, too_large,
                  "more than 8192 elements"},
        change<p>{"large_result", pp, [](p& c) { c.columns = 128, c.rows = 65, c.depth = 1; }, too_large,
                  "more than 8192 words"},
        change<p>{"products_of_32_bits", pp, [](p& c) { c.rows = c.depth = 0xffffffff; }, too_large, "elements"}),
    name_of<p>);
INSTANTIATE_TEST_SUITE_P(
    places, product_check_error,
    testing::Values(
        change<p>{"misaligned_result", pp, [](p& c) { c.result.address += 4; }, bad_field,
                  "result: address 4100 is not a multiple of 8 bytes"},
        change<p>{"misaligned_left", pp, [](p& c) { c.left.address += 1; }, bad_field, "left: address"},
        change<p>{"misaligned_weights", pp, [](p& c) { c.weights.address += 7; }, bad_field, "weights: address"},
        change<p>{"misaligned_step", pp, [](p& c) { c.weights.step[0] = 4; }, bad_field, "weights: step 4"},
        change<p>{"result_outside", pp, [](p& c) { c.result.address = kib64 - 8 * (4 * 8 + 5); }, too_large,
                  "result leaves"},
        change<p>{"left_outside", pp, [](p& c) { c.left.address = kib64 - 8 * (4 * 8 + 6); }, too_large, "left leaves"},
        change<p>{"weights_outside", pp, [](p& c) { c.weights.address = kib64 - 8 * (6 * 6 + 5); }, too_large,
                  "weights leaves"},
        change<p>{"left_below_0", pp, [](p& c) { c.left.row_stride = -300; }, too_large, "left leaves"},
        change<p>{"far_strides", pp, [](p& c) { c.weights.row_stride = INT32_MIN; }, too_large, "weights leaves"},
        change<p>{"rows_of_result_overlap", pp, [](p& c) { c.result.row_stride = 5; }, bad_field, "rows of the result"},
        change<p>{"rows_of_result_overlap_downwards", pp, [](p& c) { c.result.row_stride = -5; }, bad_field,
                  "rows of the result"},
        change<p>{"result_in_left", pp, [](p& c) { c.left.address = 0x1000 + 8 * 3; }, bad_field, "overlaps the left"},
        change<p>{"result_in_weights", pp, [](p& c) { c.weights.address = 0x1000 + 8 * 36; }, bad_field,
                  "overlaps the weights"}),
    name_of<p>);

TEST(mmv_check, product_knows_one_flag)
{
    EXPECT_FALSE(check(fine_product(), product_command::flag_accumulate, int64_device));
    expect_check_error(check(fine_product(), 2, int64_device), error_code::bad_command, "flags");
}

TEST(mmv_check, product_may_read_rows_that_overlap_and_lie_between_those_of_the_result)
{
    auto c = fine_product();
    c.left.row_stride = 0;
    c.weights.row_stride = -6, c.weights.address = 0x3000 + 8 * 36;
    EXPECT_FALSE(check(c, 0, int64_device));
    c = fine_product();
    c.result = {0x1000, 14, {}}, c.left = {0x1000 + 8 * 6, 14, {}};
    EXPECT_FALSE(check(c, 0, int64_device));
}

TEST(mmv_check, a_product_that_accumulates_reads_its_result)
{
    const auto c = fine_product();
    const auto read = [&](std::uint16_t flags) {
        std::size_t ranges = 0;
        for (const auto& range : reads(c, flags, int64_device)) { ranges += range.bytes != 0 ? 1 : 0; }
        return ranges;
    };
    EXPECT_EQ(read(0), 2u);
    EXPECT_EQ(read(product_command::flag_accumulate), 3u);
    EXPECT_EQ(writes(c, int64_device).begin()->first, 0x1000u);
    EXPECT_EQ(writes(c, int64_device).begin()->end(), 0x1000u + 8 * (4 * 8 + 6));
}

} // namespace
} // namespace tensorloom::test
