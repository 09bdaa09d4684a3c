// Every reason for which an instruction over vectors is refused, one change to a fine one at a time; what is taken.
#include "models/mmv/isa/refusal_case.h"

namespace tensorloom::test {
namespace {

using namespace mmv_check_errors;

class vector_check_error : public testing::TestWithParam<change<vector_command>> {};
TEST_P(vector_check_error, has_its_code_and_text)
{
    auto c = fine_vector(GetParam().code);
    GetParam().make(c);
    expect_check_error(check(GetParam().code, c, vector_unit_of(GetParam().code)), GetParam().error, GetParam().text);
}

using v = vector_command;
INSTANTIATE_TEST_SUITE_P(
    fields, vector_check_error,
    testing::Values(
        change<v>{"unknown_flag", opcode::add, [](v& c) { c.flags = 4; }, error_code::bad_command, "flags"},
        change<v>{"no_length", opcode::add, [](v& c) { c.length = 0; }, bad_field, "length 0"},
        change<v>{"no_block", opcode::fill_first, [](v& c) { c.block = 0; }, bad_field, "block 0"},
        change<v>{"block_unused", opcode::add, [](v& c) { c.block = 4; }, bad_field, "block is not used"},
        change<v>{"table_unused", opcode::add, [](v& c) { c.table = 4; }, bad_field, "table is not used"},
        change<v>{"bits_unused", opcode::add, [](v& c) { c.bits = 4; }, bad_field, "bits is not used"},
        change<v>{"bit_beyond_word", opcode::bit, [](v& c) { c.bits = 64; }, bad_field, "bits 64 is not 0 to 63"},
        change<v>{"no_operand_bits", opcode::expand, [](v& c) { c.bits = 0; }, bad_field, "bits 0 is not 1 to 4"},
        change<v>{"operand_bits_beyond_block", opcode::expand, [](v& c) { c.bits = 5; }, bad_field, "bits 5"},
        change<v>{"operand_bits_beyond_word", opcode::expand, [](v& c) { c.block = 100, c.bits = 65; }, bad_field,
                  "bits 65 is not 1 to 64"},
        change<v>{"a_all_0_with_address", opcode::add, [](v& c) { c.flags = v::flag_zero_a; }, bad_field,
                  "a is not used"},
        change<v>{"b_unused", opcode::not_, [](v& c) { c.b.address = 8; }, bad_field, "b is not used"},
        change<v>{"b_unused_shift", opcode::not_, [](v& c) { c.b.shift = 1; }, bad_field, "b is not used"},
        change<v>{"b_unused_step", opcode::not_, [](v& c) { c.b.step[0] = 8; }, bad_field, "b is not used"},
        change<v>{"c_unused", opcode::add, [](v& c) { c.c.address = 8; }, bad_field, "c is not used"},
        change<v>{"table_all_0", opcode::gather_idx, [](v& c) { c.flags = v::flag_zero_a, c.a = {}; }, bad_field,
                  "a is a table"},
        change<v>{"indices_all_0", opcode::flags, [](v& c) { c.flags = v::flag_zero_a, c.a = {}; }, bad_field,
                  "a is a table"},
        change<v>{"no_broadcast", opcode::revspec, [](v& c) { c.flags = v::flag_broadcast_b; }, bad_field,
                  "b cannot be broadcast"},
        change<v>{"broadcast_shifted", opcode::add, [](v& c) { c.flags = v::flag_broadcast_b, c.b.shift = 1; },
                  bad_field, "b cannot be shifted"},
        change<v>{"table_shifted", opcode::gather_prev, [](v& c) { c.a.shift = 1; }, bad_field, "a cannot be shifted"},
        change<v>{"c_shifted", opcode::revert, [](v& c) { c.c.shift = 1; }, bad_field, "c cannot be shifted"},
        change<v>{"odd_row_of_packed_words", opcode::pack_bf16, [](v& c) { c.block = 5; }, bad_field, "block 5 is odd"},
        change<v>{"no_row_of_packed_words", opcode::unpack_bf16, [](v& c) { c.block = 0; }, bad_field, "block 0"},
        change<v>{"no_rows_side_by_side", opcode::pack_bf16, [](v& c) { c.table = 0; }, bad_field, "table 0"},
        change<v>{"packed_words_all_0", opcode::unpack_bf16, [](v& c) { c.flags = v::flag_zero_a, c.a = {}; },
                  bad_field, "a is a table"},
        change<v>{"packed_words_shifted", opcode::unpack_bf16, [](v& c) { c.a.shift = 1; }, bad_field,
                  "a cannot be shifted"},
        change<v>{"shift_beyond_word", opcode::pack_int8, [](v& c) { c.bits = 32; }, bad_field,
                  "bits 32 is not 0 to 31"},
        change<v>{"packed_halves_shifted", opcode::unpack_f16, [](v& c) { c.a.shift = 1; }, bad_field,
                  "a cannot be shifted"},
        change<v>{"packed_bytes_all_0", opcode::unpack_int8, [](v& c) { c.flags = v::flag_zero_a, c.a = {}; },
                  bad_field, "a is a table"},
        change<v>{"factor_shifted", opcode::mul_add, [](v& c) { c.c.shift = 1; }, bad_field, "c cannot be shifted"},
        change<v>{"factor_with_a_table", opcode::mul_add, [](v& c) { c.table = 1; }, bad_field, "table is not used"},
        change<v>{"key_shifted", opcode::random_mask, [](v& c) { c.c.shift = 1; }, bad_field, "c cannot be shifted"},
        change<v>{"mask_with_a_block", opcode::random_mask, [](v& c) { c.block = 2; }, bad_field, "block is not used"},
        change<v>{"function_with_b", opcode::tanh, [](v& c) { c.b.address = 8; }, bad_field, "b is not used"},
        change<v>{"sum_of_no_block", opcode::sum_block, [](v& c) { c.block = 0; }, bad_field, "block 0"},
        change<v>{"rows_of_no_words", opcode::scatter_add, [](v& c) { c.block = 0; }, bad_field, "block 0"},
        change<v>{"rows_all_0", opcode::scatter_add, [](v& c) { c.flags = v::flag_zero_a, c.a = {}; }, bad_field,
                  "a is a table"},
        change<v>{"rows_shifted", opcode::scatter_add, [](v& c) { c.a.shift = 1; }, bad_field, "a cannot be shifted"},
        change<v>{"one_index_for_all_rows", opcode::scatter_add, [](v& c) { c.flags = v::flag_broadcast_b; }, bad_field,
                  "b cannot be broadcast"},
        change<v>{"result_shifted", opcode::add, [](v& c) { c.result.shift = 1; }, bad_field,
                  "result cannot be shifted"}),
    name_of<v>);
INSTANTIATE_TEST_SUITE_P(
    places, vector_check_error,
    testing::Values(
        change<v>{"misaligned_result", opcode::add, [](v& c) { c.result.address = 4; }, bad_field, "result: address 4"},
        change<v>{"misaligned_step", opcode::add, [](v& c) { c.b.step[0] = 4; }, bad_field, "b: step 4"},
        change<v>{"result_outside", opcode::add, [](v& c) { c.result.address = kib64 - 72; }, too_large,
                  "result leaves"},
        change<v>{"a_outside", opcode::add, [](v& c) { c.a.address = kib64 - 72; }, too_large, "a leaves"},
        change<v>{"b_outside", opcode::add, [](v& c) { c.b.address = 0xfffffff8; }, too_large, "b leaves"},
        change<v>{"c_outside", opcode::revert, [](v& c) { c.c.address = kib64 - 48; }, too_large, "c leaves"},
        change<v>{"table_outside", opcode::gather_idx, [](v& c) { c.table = 0xffffffff; }, too_large, "a leaves"},
        change<v>{"expansion_beyond_64_bits", opcode::expand, [](v& c) { c.length = c.block = 0xffffffff; }, too_large,
                  "result leaves"},
        change<v>{"more_words_than_the_scratchpad", opcode::compact,
                  [](v& c) { c.length = c.a.shift = c.b.shift = 0xffffffff; }, too_large,
                  "more than 8192 words of an operand or of the result"},
        change<v>{"one_word_more_than_the_scratchpad", opcode::gather_last,
                  [](v& c) { c.length = 8193, c.a.shift = 8193; }, too_large, "more than 8192 words"},
        change<v>{"result_on_shifted_a", opcode::add,
                  [](v& c) {
                      c.a = {0x1000, 1, {}};
                  },
                  bad_field, "overlaps a"},
        change<v>{"result_beside_a", opcode::add, [](v& c) { c.a.address = 0x1008; }, bad_field, "overlaps a"},
        change<v>{"result_on_b", opcode::compact, [](v& c) { c.b.address = 0x1000; }, bad_field, "overlaps b"},
        change<v>{"result_on_shorter_a", opcode::gather_last, [](v& c) { c.a.address = 0x1000; }, bad_field,
                  "overlaps a"},
        change<v>{"result_on_broadcast_b", opcode::add,
                  [](v& c) { c.b.address = 0x1008, c.flags = v::flag_broadcast_b; }, bad_field, "overlaps b"},
        change<v>{"factor_outside", opcode::mul_add, [](v& c) { c.c.address = kib64; }, too_large, "c leaves"},
        change<v>{"result_on_the_factor", opcode::mul_add, [](v& c) { c.c.address = 0x1000; }, bad_field, "overlaps c"},
        change<v>{"rows_beyond_the_scratchpad", opcode::pack_bf16, [](v& c) { c.block = 128, c.table = 129; },
                  too_large, "more than 16384 words of rows side by side"},
        change<v>{"rows_beyond_64_bits", opcode::unpack_bf16, [](v& c) { c.block = 0xfffffffe, c.table = 0xffffffff; },
                  too_large, "more than 16384 words"},
        change<v>{"packed_words_outside", opcode::unpack_bf16,
                  [](v& c) {
                      c.a.address = kib64 - 4 * 15;
                      c.length = 17;
                  },
                  too_large, "a leaves"},
        change<v>{"result_beside_packed_words", opcode::unpack_bf16, [](v& c) { c.a.address = 0x1000; }, bad_field,
                  "overlaps a"},
        change<v>{"rows_outside", opcode::scatter_add, [](v& c) { c.a.address = kib64 - 4 * 39; }, too_large,
                  "a leaves"},
        change<v>{"rows_of_the_result_outside", opcode::scatter_add, [](v& c) { c.result.address = kib64 - 4 * 27; },
                  too_large, "result leaves"},
        change<v>{"rows_of_the_result_beyond_64_bits", opcode::scatter_add,
                  [](v& c) { c.table = c.block = 0xffffffff; }, too_large, "result leaves"},
        change<v>{"result_on_rows_of_the_same_length", opcode::scatter_add,
                  [](v& c) { c.table = c.length, c.a.address = c.result.address; }, bad_field, "overlaps a"},
        change<v>{"result_on_indices_of_the_same_length", opcode::scatter_add,
                  [](v& c) { c.table = c.length, c.block = 1, c.b.address = c.result.address; }, bad_field,
                  "overlaps b"},
        change<v>{"result_beside_indices", opcode::scatter_add, [](v& c) { c.b.address = 0x1000 + 4 * 27; }, bad_field,
                  "overlaps b"},
        change<v>{"result_on_c", opcode::revert, [](v& c) { c.c.address = 0x1000; }, bad_field, "overlaps c"}),
    name_of<v>);

TEST(mmv_check, vectors_may_be_updated_in_place)
{
    for (const auto code : {opcode::add, opcode::mask, opcode::scatter_last, opcode::revspec, opcode::revert}) {
        auto c = fine_vector(code);
        c.a.address = c.result.address;
        EXPECT_FALSE(check(code, c, int64_device));
    }
    auto c = fine_vector(opcode::gather_idx);
    c.b.address = c.result.address;
    EXPECT_FALSE(check(opcode::gather_idx, c, int64_device));
    c = fine_vector(opcode::gather_last);
    c.block = 1; // as many results as elements
    c.a.address = c.result.address;
    EXPECT_FALSE(check(opcode::gather_last, c, int64_device));
}

TEST(mmv_check, packed_words_take_whole_rows)
{
    auto c = fine_vector(opcode::pack_bf16); // 10 elements: one layer of 2 x 4, and one of 2; 8 words for both
    c.result.address = kib64 - 4 * 8;
    EXPECT_FALSE(check(opcode::pack_bf16, c, f32_device));
    c.length = 16;
    EXPECT_FALSE(check(opcode::pack_bf16, c, f32_device));
    c.length = 17;
    expect_check_error(check(opcode::pack_bf16, c, f32_device), too_large, "result leaves");
    c = fine_vector(opcode::unpack_bf16);
    c.a.address = kib64 - 4 * 8;
    EXPECT_FALSE(check(opcode::unpack_bf16, c, f32_device));
    c.length = 8; // as many results as words: in place
    c.a.address = c.result.address;
    EXPECT_FALSE(check(opcode::unpack_bf16, c, f32_device));
}

TEST(mmv_check, vectors_that_touch_do_not_overlap)
{
    auto c = fine_vector(opcode::add);
    c.a.address = 0x1000 + 80;
    c.b.address = 0x1000 - 80;
    EXPECT_FALSE(check(opcode::add, c, int64_device));
    c.a = {0x1000 - 8, 9, {}}; // reads one word
    EXPECT_FALSE(check(opcode::add, c, int64_device));
}

TEST(mmv_check, empty_tables_are_taken)
{
    for (const auto code : {opcode::compact, opcode::gather_prev, opcode::revert, opcode::flags}) {
        auto c = fine_vector(code);
        c.table = 0;
        EXPECT_FALSE(check(code, c, int64_device));
    }
}

} // namespace
} // namespace tensorloom::test
