// Every reason for which an instruction over words at strides is refused, one change to a fine one at a time; what is
// taken.
#include "refusal_case.h"

namespace tensorloom::test {
namespace {

using namespace mmv_check_errors;

class strided_check_error : public testing::TestWithParam<change<strided_command>> {};
TEST_P(strided_check_error, has_its_code_and_text)
{
    auto c = fine_strided(GetParam().code);
    GetParam().make(c);
    expect_check_error(check_strided(GetParam().code, c, 0, device_for(GetParam().code)), GetParam().error,
                       GetParam().text);
}

using s = strided_command;
INSTANTIATE_TEST_SUITE_P(
    fields, strided_check_error,
    testing::Values(
        change<s>{"size_0", scalar_opcode::move, [](s& c) { c.size[1] = 0; }, bad_field,
                  "size[1] 0 is not 1 to 4294967295"},
        change<s>{"too_many_elements", scalar_opcode::s_mac,
                  [](s& c) {
                      c.size = {1u << 16, 1u << 16, 2}, c.result = {};
                  },
                  too_large, "more than 4294967296 elements"},
        change<s>{"elements_beyond_64_bits", scalar_opcode::s_mac,
                  [](s& c) {
                      c.size = {1u << 31, 1u << 31, 4};
                  },
                  too_large, "more than 4294967296 elements"},
        change<s>{"repl_of_more_elements_than_words", opcode::repl,
                  [](s& c) {
                      c.size = {8193, 1, 1}, c.valid = {1, 1, 1}, c.result.stride = {};
                  },
                  too_large, "more than 8192 elements"},
        change<s>{"too_many_products", scalar_opcode::s_mac,
                  [](s& c) {
                      c.size = {(1u << 31) + 1, 1, 1}, c.result.stride = c.a.stride = c.b.stride = {};
                  },
                  too_large, "more than 4294967296 operations"},
        change<s>{"long_elimination", scalar_opcode::eliminate_diagonal,
                  [](s& c) {
                      c.size = {1, 1u << 16, 1u << 16}, c.result.stride = {};
                  },
                  too_large, "more than 4294967296 operations"},
        change<s>{"closure_beyond_64_bits", scalar_opcode::close_row,
                  [](s& c) {
                      c.size = {1, 0xffffffff, 1}, c.result.stride = c.a.stride = {};
                  },
                  too_large, "more than 4294967296 operations"},
        change<s>{"cpu_ops_beyond_a_day", scalar_opcode::charge, [](s& c) { c.cpu_ops = (1ull << 40) + 1; }, bad_field,
                  "cpu_ops 1099511627777 is not 0 to 1099511627776"},
        change<s>{"cpu_ops_beyond_64_bits_of_time", scalar_opcode::charge, [](s& c) { c.cpu_ops = 1ull << 61; },
                  bad_field, "cpu_ops"},
        change<s>{"cpu_ops_of_another", scalar_opcode::move, [](s& c) { c.cpu_ops = UINT64_MAX; }, bad_field,
                  "cpu_ops"},
        change<s>{"charge_with_size", scalar_opcode::charge, [](s& c) { c.size[2] = 1; }, bad_field,
                  "size[2] is not used"},
        change<s>{"charge_with_result", scalar_opcode::charge, [](s& c) { c.result.address = 8; }, bad_field,
                  "result is not used"},
        change<s>{"matrix_of_three_modes", scalar_opcode::close_row, [](s& c) { c.size[0] = 2; }, bad_field,
                  "size[0] 2 is not 1"},
        change<s>{"digits_of_two_modes", scalar_opcode::s_carry, [](s& c) { c.size[1] = 2; }, bad_field,
                  "size[1] 2 is not 1"},
        change<s>{"diagonal_not_square", scalar_opcode::eliminate_diagonal, [](s& c) { c.size[2] = 4; }, bad_field,
                  "differ"},
        change<s>{"valid_beyond_size", opcode::repl, [](s& c) { c.valid[1] = 4; }, bad_field, "valid 4 is not 0 to 3"},
        change<s>{"valid_unused", scalar_opcode::move, [](s& c) { c.valid[0] = 1; }, bad_field, "valid 1 is not 0"},
        change<s>{"a_unused", scalar_opcode::set, [](s& c) { c.a.stride[1] = 1; }, bad_field, "a is not used"},
        change<s>{"a_of_diagonal", scalar_opcode::close_diagonal, [](s& c) { c.a.address = 8; }, bad_field,
                  "a is not used"},
        change<s>{"b_unused", scalar_opcode::move, [](s& c) { c.b.address = 8; }, bad_field, "b is not used"},
        change<s>{"b_unused_step", opcode::repl, [](s& c) { c.b.step[1] = 8; }, bad_field, "b is not used"},
        change<s>{"reserved", scalar_opcode::move, [](s& c) { c.reserved = 1; }, bad_field, "reserved"},
        change<s>{"immediate_unused", scalar_opcode::move, [](s& c) { c.immediate[0] = 1; }, bad_field, "immediate[0]"},
        change<s>{"immediate_too_wide", scalar_opcode::set, [](s& c) { c.immediate[1] = 1; }, bad_field,
                  "immediate[1]"},
        change<s>{"no_modulus", scalar_opcode::s_mul_mod, [](s& c) { c.immediate[0] = 0; }, bad_field, "modulus 0"},
        change<s>{"modulus_beyond_words", scalar_opcode::s_mac_mod, [](s& c) { c.immediate[0] = 1ull << 63; },
                  bad_field, "modulus"},
        change<s>{"no_digit", scalar_opcode::s_carry, [](s& c) { c.immediate[0] = 0; }, bad_field, "bits of a digit 0"},
        change<s>{"digit_too_wide", scalar_opcode::s_carry, [](s& c) { c.immediate[0] = 63; }, bad_field, "1 to 62"}),
    name_of<s>);
INSTANTIATE_TEST_SUITE_P(
    places, strided_check_error,
    testing::Values(
        change<s>{"misaligned", scalar_opcode::move, [](s& c) { c.a.address = 4; }, bad_field, "a: address 4"},
        change<s>{"misaligned_step", scalar_opcode::move, [](s& c) { c.result.step[0] = 2; }, bad_field,
                  "result: step 2"},
        change<s>{"result_outside", scalar_opcode::move, [](s& c) { c.result.address = kib64 - 8 * 26; }, too_large,
                  "result leaves"},
        change<s>{"a_outside", scalar_opcode::move, [](s& c) { c.a.address = kib64 - 8; }, too_large, "a leaves"},
        change<s>{"b_outside", scalar_opcode::s_add, [](s& c) { c.b.stride[1] = INT32_MAX; }, too_large, "b leaves"},
        change<s>{"a_below_0", scalar_opcode::move,
                  [](s& c) {
                      c.a = {8 * 15, {-16, 4, 1}, {}};
                  },
                  too_large, "a leaves"},
        change<s>{"diagonal_block_outside", scalar_opcode::close_row,
                  [](s& c) { c.size[2] = 1, c.a.address = kib64 - 80; }, too_large, "a leaves"},
        change<s>{"eliminated_b_outside", scalar_opcode::eliminate_row, [](s& c) { c.b.address = kib64 - 80; },
                  too_large, "b leaves"},
        change<s>{"repl_onto_itself_shifted", opcode::repl, [](s& c) { c.a.address = 0x1008; }, bad_field,
                  "overlaps a"},
        change<s>{"repl_onto_itself_transposed", opcode::repl,
                  [](s& c) {
                      c.a = {0x1000, {16, 1, 4}, {}};
                  },
                  bad_field, "overlaps a"}),
    name_of<s>);

TEST(mmv_check, strided_instructions_know_no_flags)
{
    expect_check_error(check(scalar_opcode::move, fine_strided(scalar_opcode::move), 2, int64_device),
                       error_code::bad_command, "flags");
}

TEST(mmv_check, immediates_are_words)
{
    auto c = fine_strided(scalar_opcode::set);
    c.immediate[0] = UINT64_MAX;
    EXPECT_FALSE(check(scalar_opcode::set, c, 0, int64_device));
    expect_check_error(check(scalar_opcode::set, c, 0, device(element_type::int8)), bad_field,
                       "is not 0 to 4294967295");
    c.immediate[1] = UINT64_MAX;
    EXPECT_FALSE(check(scalar_opcode::set, c, 0, device(element_type::c128)));
}

TEST(mmv_check, strided_instructions_update_in_place)
{
    auto c = fine_strided(opcode::repl);
    c.a = c.result;
    EXPECT_FALSE(check(opcode::repl, c, 0, int64_device));
    c = fine_strided(scalar_opcode::s_add); // and the scalar unit goes element by element
    c.a.address = c.b.address = 0x1008;
    EXPECT_FALSE(check(scalar_opcode::s_add, c, 0, int64_device));
    c = fine_strided(scalar_opcode::close_row); // the diagonal block of the same matrix
    c.result = {0x1000 + 8 * 3, {0, 12, 1}, {}};
    c.a = {0x1000, {0, 12, 1}, {}};
    EXPECT_FALSE(check(scalar_opcode::close_row, c, 0, int64_device));
}

TEST(mmv_check, repl_may_copy_nothing)
{
    auto c = fine_strided(opcode::repl);
    c.valid = {0, 3, 3};
    c.a.address = 0xfffffff8;
    EXPECT_FALSE(check(opcode::repl, c, 0, int64_device));
}

// From the first element to the last: 2^31 x 2^30 words of 8 bytes, which is 0 in 64 bits.
TEST(mmv_check, extents_beyond_64_bits_are_not_taken_for_small_ones)
{
    auto c = fine_strided(scalar_opcode::move);
    c.size = {1, 1, (1u << 31) + 1};
    c.result.stride = c.a.stride = {};
    EXPECT_FALSE(check(scalar_opcode::move, c, 0, int64_device));
    c.a.stride[2] = 1 << 30;
    expect_check_error(check(scalar_opcode::move, c, 0, int64_device), too_large, "a leaves");
}

} // namespace
} // namespace tensorloom::test
