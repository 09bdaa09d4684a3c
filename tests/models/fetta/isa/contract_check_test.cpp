// Each reason to refuse a CONTRACT, made by one change to a command with nothing wrong.
#include <functional>
#include <ostream>
#include <string>
#include <gmock/gmock.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include "fine_contraction.h"

namespace tensorloom::test {
namespace {

using namespace base;
using namespace isa;
using namespace fetta;
using namespace contractions;
using testing::HasSubstr;

struct change {
    const char* name;
    contract_command (*from)();
    std::function<void(contract_command&)> make;
    error_code error;
    const char* text;
};
std::ostream& operator<<(std::ostream& to, const change& c) { return to << c.name; }

class contract_check_error : public testing::TestWithParam<change> {};

TEST_P(contract_check_error, says_why)
{
    const change& p = GetParam();
    contract_command c = p.from();
    const auto before = check(c, paper);
    ASSERT_FALSE(before) << before->text;
    p.make(c);
    const auto found = check(c, paper);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->code, p.error) << found->text;
    EXPECT_THAT(found->text, HasSubstr(p.text));
    EXPECT_THAT(found->text, HasSubstr(": found "));
    EXPECT_THAT(found->text, HasSubstr(", expected "));
    EXPECT_EQ(found->text.find('\n'), std::string::npos);
}

constexpr auto bad_field = error_code::bad_field;
constexpr auto too_large = error_code::too_large;
using cmd = contract_command;

INSTANTIATE_TEST_SUITE_P(
    sizes, contract_check_error,
    testing::Values(
        change{"flags", fine, [](cmd& c) { c.flags = 0x200; }, error_code::bad_command,
               "flags: found 0x200, expected none outside of 0x1ff"},
        change{"mapping", fine, [](cmd& c) { c.mapping = 6; }, bad_field, "mapping: found 6, expected 0 to 5"},
        change{"batch", fine, [](cmd& c) { c.batch = 0; }, bad_field, "batch: found 0, expected 1 or more"},
        change{"contracted", fine, [](cmd& c) { c.contracted = 0; }, bad_field, "contracted: found 0"},
        change{"ia_free", fine, [](cmd& c) { c.ia_free = 0; }, bad_field, "ia_free: found 0"},
        change{"ib_free", fine, [](cmd& c) { c.ib_free = 0; }, bad_field, "ib_free: found 0"},
        change{"missing_bit", fine, [](cmd& c) { c.mask_ib = 4; }, bad_field,
               "masks: found 0x0, 0x3, 0x0, 0x4, expected disjoint ones, together 0xf"},
        change{"shared_bit", fine, [](cmd& c) { c.mask_batch = 1; }, bad_field, "masks: found 0x1"},
        change{"foreign_bit", fine, [](cmd& c) { c.mask_batch = 16; }, bad_field, "masks: found 0x10"},
        change{"huge_mask", fine, [](cmd& c) { c.mask_ia = 0x80000000; }, bad_field,
               "masks: found 0x0, 0x3, 0x80000000"},
        change{"reserved", fine, [](cmd& c) { c.reserved = 1; }, bad_field, "reserved: found"},
        change{"cycles", fine_linear,
               [](cmd& c) {
                   c.ib_free = 0xffffffff;
                   c.ib.mode[3] = {0xffffffff, 0};
               },
               too_large, "extents: found more than 2^32 cycles"},
        change{"cycles_beyond_64_bits", fine,
               [](cmd& c) { c.batch = c.contracted = c.ia_free = c.ib_free = 0xffffffff; }, too_large,
               "extents: found more than 2^32 cycles"},
        change{"cycles_os", fine_os, [](cmd& c) { c.batch = c.contracted = c.ia_free = c.ib_free = 0xffffffff; },
               too_large, "extents: found more than 2^32 cycles"}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    accumulators, contract_check_error,
    testing::Values(change{"row_without_use", fine, [](cmd& c) { c.accumulator_row = 1; }, bad_field,
                           "accumulator_row: found another value than 0"},
                    change{"rows_of_accumulate", fine,
                           [](cmd& c) {
                               c.flags |= cmd::flag_accumulate;
                               c.accumulator_row = 512 - 48 + 1;
                           },
                           bad_field,
                           "accumulator_row: found 465 with 48 rows of sums, expected an end within the 512 rows"},
                    change{"rows_of_keep", fine_os,
                           [](cmd& c) {
                               c.flags |= cmd::flag_keep;
                               c.result.base = 0;
                               c.accumulator_row = 512 - 48 + 1; // 2 batches x 6 row tiles x P
                           },
                           bad_field, "accumulator_row: found 465 with 48 rows of sums"},
                    change{"row_far_beyond", fine,
                           [](cmd& c) {
                               c.flags |= cmd::flag_accumulate;
                               c.accumulator_row = 0xffffffff;
                           },
                           bad_field, "accumulator_row: found 4294967295"},
                    change{"keep_base", fine, [](cmd& c) { c.flags |= cmd::flag_keep; }, bad_field,
                           "result base: found another value than 0, expected 0 with keep"},
                    change{"keep_step", fine,
                           [](cmd& c) {
                               c.flags |= cmd::flag_keep;
                               c.result.base = 0;
                               c.result.step[1] = 1;
                           },
                           bad_field, "result step: found"},
                    change{"keep_bf16", fine, [](cmd& c) { c.flags |= cmd::flag_keep | cmd::flag_store_bf16; },
                           bad_field, "flag store_bf16: found"},
                    change{"keep_linear", fine, [](cmd& c) { c.flags |= cmd::flag_keep | cmd::flag_linear_result; },
                           bad_field, "flag linear_result: found"},
                    change{"keep_modes", fine,
                           [](cmd& c) {
                               c.flags |= cmd::flag_keep;
                               c.result.base = 0;
                               c.result.modes[0] = 1;
                           },
                           bad_field, "result modes: found"}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    operands, contract_check_error,
    testing::Values(
        change{"bank", fine, [](cmd& c) { c.ib.bank = 16; }, bad_field, "ib bank: found 16, expected 0 to 15"},
        change{"ia_stride", fine, [](cmd& c) { c.ia.stride[3] = 1; }, bad_field, "ia stride[3]: found"},
        change{"result_stride", fine, [](cmd& c) { c.result.stride[3] = 1; }, bad_field, "result stride[3]: found"},
        change{"ib_stride", fine_os, [](cmd& c) { c.ib.stride[3] = 1; }, bad_field, "ib stride[3]: found"},
        change{"modes_of_banked", fine, [](cmd& c) { c.ia.modes[1] = 1; }, bad_field,
               "ia modes: found another value than 0, expected 0 of a banked operand"},
        change{"mode_of_banked", fine, [](cmd& c) { c.ib.mode[0].size = 1; }, bad_field, "ib mode[0]: found"},
        change{"stride_of_no_mode", fine, [](cmd& c) { c.result.mode[7].stride = -1; }, bad_field,
               "result mode[7]: found"},
        change{"behind_modes", fine, [](cmd& c) { c.ib.reserved = 1; }, bad_field, "ib modes[3]: found"},
        change{"bank_of_linear", fine_linear, [](cmd& c) { c.ia.bank = 1; }, bad_field,
               "ia bank: found another value than 0, expected 0 of a linear operand"},
        change{"stride_of_linear", fine_linear, [](cmd& c) { c.ib.stride[0] = 1; }, bad_field, "ib stride: found"},
        change{"transposed_ia", fine_linear, [](cmd& c) { c.flags |= cmd::flag_transpose_ia; }, bad_field,
               "ia transposition: found"},
        change{"transposed_result", fine_linear, [](cmd& c) { c.flags |= cmd::flag_transpose_result; }, bad_field,
               "result transposition: found"},
        change{"many_modes", fine_linear,
               [](cmd& c) {
                   c.ia.modes = {1, 1, 7};
               },
               bad_field, "ia modes: found 9, expected at most 8 together"},
        change{"very_many_modes", fine_linear,
               [](cmd& c) {
                   c.ia.modes = {0xffffffff, 0xffffffff, 2};
               },
               bad_field, "ia modes: found 8589934592"},
        change{"size_0", fine_linear, [](cmd& c) { c.ib.mode[2].size = 0; }, bad_field,
               "ib mode[2] size: found 0, expected 1 or more"},
        change{"no_extent", fine_linear, [](cmd& c) { c.ib.mode[3].size = 15; }, bad_field,
               "ib modes of ib_free: found 15 indices, expected 16 as the extent"},
        change{"no_extent_of_result", fine_linear, [](cmd& c) { c.result.mode[1].size = 25; }, bad_field,
               "result modes of ia_free: found 25 indices"},
        change{"no_contracted", fine_linear, [](cmd& c) { c.ia.mode[1].size = 31; }, bad_field,
               "ia modes of contracted: found 31 indices"},
        change{"no_batch", fine_linear, [](cmd& c) { c.result.mode[0].size = 3; }, bad_field,
               "result modes of batch: found 3 indices"},
        change{"product_of_2_to_64", fine_linear,
               [](cmd& c) {
                   c.ib.mode[1].size = 1u << 31;
                   c.ib.mode[2].size = 1u << 31;
               },
               bad_field, "ib modes of contracted: found 2^32 or more indices, expected 32"},
        change{"mode_behind", fine_linear, [](cmd& c) { c.result.mode[3].size = 1; }, bad_field,
               "result mode[3]: found"},
        change{"modes_behind_of_linear", fine_linear, [](cmd& c) { c.result.reserved = 2; }, bad_field,
               "result modes[3]: found"}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    places, contract_check_error,
    testing::Values(
        // IA: positions 0 to 95 of 4 to a row of bf16
        change{"last_row", fine, [](cmd& c) { c.ia.base = 4096 - 23; }, too_large,
               "ia: found rows 4073 to 4096 of bf16, expected rows 0 to 4095"},
        change{"below_0", fine, [](cmd& c) { c.ia.stride[0] = -1; }, too_large, "ia: found rows -1 to "},
        change{"result_of_f32", fine, [](cmd& c) { c.result.base = 2048 - 11; }, too_large,
               "result: found rows 2037 to 2048 of f32, expected rows 0 to 2047"},
        change{"elements", fine,
               [](cmd& c) {
                   c.ib_free = 8193;
                   c.ib.stride = {};
               },
               too_large, "ib: found more elements, expected at most 262144 as the unified memory has"},
        change{"elements_of_result", fine,
               [](cmd& c) {
                   c.ia_free = 4096;
                   c.ia.stride = {};
                   c.ib_free = 17;
               },
               too_large, "result: found more elements, expected at most 131072"},
        change{"span", fine, [](cmd& c) { c.ib.stride[0] = 5000; }, too_large,
               "ib: found more rows from the first to the last, expected at most 4096 of bf16"},
        change{"span_of_64_bits", fine,
               [](cmd& c) {
                   c.ib.stride = {0x7fffffff, -0x7fffffff - 1, 0, 0x7fffffff};
               },
               too_large, "ib: found more rows"},
        change{"span_of_advancing", fine,
               [](cmd& c) {
                   c.ib.stride[0] = 5000;
                   c.ib.step[0] = 1;
               },
               too_large, "ib: found more rows"},
        change{"linear_end", fine_linear, [](cmd& c) { c.ib.base = 262144 - 1024 + 1; }, too_large,
               "ib: found rows 4080 to 4096 of bf16"},
        change{"linear_below_0", fine_linear, [](cmd& c) { c.ia.mode[3].stride = -32; }, too_large,
               "ia: found rows -3 to "},
        change{"linear_result", fine_linear, [](cmd& c) { c.result.base = 131072 - 768 + 1; }, too_large,
               "result: found rows 2036 to 2048 of f32"}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    overlaps, contract_check_error,
    testing::Values(
        change{"result_on_ia", fine, [](cmd& c) { c.result.base = 11; }, bad_field,
               "result: found rows of ia, expected rows of its own"},
        change{"result_on_ib", fine, [](cmd& c) { c.result.base = 100; }, bad_field, "result: found rows of ib"},
        change{"result_before_ib", fine, [](cmd& c) { c.result.base = 89; }, bad_field, "result: found rows of ib"},
        change{"linear_result_on_linear_ib", fine_linear, [](cmd& c) { c.result.base = 1024; }, bad_field,
               "result: found rows of ib"},
        change{"linear_bf16_result", fine_linear,
               [](cmd& c) {
                   c.flags |= cmd::flag_store_bf16;
                   c.result.base = 2048 + 1023;
               },
               bad_field, "result: found rows of ib"},
        change{"position_repeats", fine, [](cmd& c) { c.result.stride[0] = 23; }, bad_field,
               "result: found positions that repeat"},
        change{"position_stays", fine, [](cmd& c) { c.result.stride[1] = 0; }, bad_field,
               "result: found positions that repeat"},
        change{"advancing_position_repeats", fine,
               [](cmd& c) {
                   c.result.stride[0] = 23;
                   c.result.step[0] = 7;
               },
               bad_field, "result: found positions that repeat"},
        change{"modes_overlap", fine_linear, [](cmd& c) { c.result.mode[1].stride = 15; }, bad_field,
               "result: found modes that overlap"}),
    [](const auto& tested) { return tested.param.name; });

} // namespace
} // namespace tensorloom::test
