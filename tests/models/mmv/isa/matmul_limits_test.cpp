// Every reason for which a MATMUL is refused, one change to a fine one at a time; what is taken.
#include "refusal_case.h"

namespace tensorloom::test {
namespace {

using namespace mmv_check_errors;

class matmul_check_error : public testing::TestWithParam<change<matmul_command>> {};
TEST_P(matmul_check_error, has_its_code_and_text)
{
    auto c = fine_matmul();
    GetParam().make(c);
    expect_check_error(check(c, 0, int64_device), GetParam().error, GetParam().text);
}

using m = matmul_command;
constexpr auto mm = scalar_opcode::matmul;
INSTANTIATE_TEST_SUITE_P(
    fields, matmul_check_error,
    testing::Values(
        change<m>{"no_words", mm, [](m& c) { c.words = 0; }, bad_field, "words 0 is not 1 to 4294967295"},
        change<m>{"no_left_columns", mm, [](m& c) { c.left_columns = 0; }, bad_field, "left_columns 0 is not 1 to 4"},
        change<m>{"many_left_columns", mm, [](m& c) { c.left_columns = 5; }, bad_field, "left_columns 5"},
        change<m>{"no_result_columns", mm, [](m& c) { c.result_columns = 0; }, bad_field, "result_columns 0"},
        change<m>{"many_result_columns", mm, [](m& c) { c.result_columns = 5; }, bad_field, "result_columns 5"},
        change<m>{"reserved", mm, [](m& c) { c.reserved = 1; }, bad_field, "reserved"}),
    name_of<m>);
INSTANTIATE_TEST_SUITE_P(
    places, matmul_check_error,
    testing::Values(
        change<m>{"misaligned_result", mm, [](m& c) { c.result.address += 4; }, bad_field,
                  "result: address 4100 is not a multiple of 8 bytes"},
        change<m>{"misaligned_left", mm, [](m& c) { c.left.address += 1; }, bad_field, "left: address"},
        change<m>{"misaligned_weights", mm, [](m& c) { c.weights.address += 7; }, bad_field, "weights: address"},
        change<m>{"misaligned_step", mm, [](m& c) { c.left.step[1] = -12; }, bad_field, "left: step -12"},
        change<m>{"result_outside", mm, [](m& c) { c.result.address = kib64 - 8 * (9 * 8 + 1); }, too_large,
                  "result leaves"},
        change<m>{"left_outside", mm, [](m& c) { c.left.address = kib64 - 8 * (9 * 8 + 1); }, too_large, "left leaves"},
        change<m>{"weights_outside", mm, [](m& c) { c.weights.address = kib64 - 8 * 15; }, too_large, "weights leaves"},
        change<m>{"result_below_0", mm,
                  [](m& c) {
                      c.result = {8 * 8 * 9 - 8, -8, {}};
                  },
                  too_large, "result leaves"},
        change<m>{"left_below_0", mm, [](m& c) { c.left.row_stride = -200; }, too_large, "left leaves"},
        change<m>{"weights_below_0", mm,
                  [](m& c) {
                      c.weights = {16, -1, {}};
                  },
                  too_large, "weights leaves"},
        change<m>{"product_beyond_64_bits", mm, [](m& c) { c.words = 0xffffffff, c.left.row_stride = INT32_MIN; },
                  too_large, "leaves the scratchpad of 65536 bytes"},
        change<m>{"rows_of_result_overlap", mm, [](m& c) { c.result.row_stride = 3; }, bad_field, "rows of the result"},
        change<m>{"rows_of_result_overlap_downwards", mm, [](m& c) { c.result.row_stride = -3; }, bad_field,
                  "rows of the result"},
        change<m>{"result_in_weights", mm, [](m& c) { c.weights.address = 0x1000 + 8 * 36; }, bad_field,
                  "overlaps the weights"},
        change<m>{"result_in_left", mm, [](m& c) { c.left.address = 0x1000 + 8 * 3; }, bad_field, "overlaps the left"},
        change<m>{"in_place_with_another_stride", mm,
                  [](m& c) {
                      c.left = {0x1000, 9, {}};
                  },
                  bad_field, "overlaps the left"},
        change<m>{"in_place_with_overlapping_rows", mm,
                  [](m& c) {
                      c.left = c.result = {0x1000, 3, {}}, c.result_columns = 3;
                  },
                  bad_field, "overlaps the left"}),
    name_of<m>);

TEST(mmv_check, matmul_knows_no_flags)
{
    expect_check_error(check(fine_matmul(), 1, int64_device), error_code::bad_command, "flags");
}

TEST(mmv_check, matmul_may_update_in_place_and_fill_a_neighbouring_block_of_columns)
{
    auto c = fine_matmul();
    c.left = c.result;
    EXPECT_FALSE(check(c, 0, int64_device));
    c.left.address = c.result.address + 8 * 4;
    EXPECT_FALSE(check(c, 0, int64_device));
    c.left = c.result = {0x1000, 0, {}}; // one row has no stride
    c.words = 4;
    c.left.row_stride = 7;
    EXPECT_FALSE(check(c, 0, int64_device));
}

TEST(mmv_check, matmul_of_int8_is_not_in_place_since_its_results_are_wider)
{
    auto c = fine_matmul();
    EXPECT_FALSE(check(c, 0, device(element_type::int8)));
    c.left = c.result;
    expect_check_error(check(c, 0, device(element_type::int8)), bad_field, "overlaps the left");
}

} // namespace
} // namespace tensorloom::test
