// Every reason for which an instruction is refused, one change to a fine one at a time; what is taken; what is left to a later check.
#include <functional>
#include <ostream>
#include <string>
#include <vector>
#include <gmock/gmock.h>
#include <tensorloom/models/arch/mmv/limits.h>

namespace tensorloom::test {
namespace {

using namespace arch::mmv;
using arch::element_type;
using arch::error_code;
using arch::refusal;

constexpr std::uint32_t kib64 = 1u << 16;
const mmv_limits int64_device{4, element_type::int64, kib64, all_functional_blocks};

mmv_limits device(element_type format) { return {4, format, kib64, all_functional_blocks}; }

/// 10 rows of 4 words, of a matrix of 8 columns.
matmul_command fine_matmul()
{
    matmul_command c;
    c.result = {0x1000, 8, {}};
    c.left = {0x2000, 8, {}};
    c.weights = {0x3000, 4, {}};
    c.words = 38;
    c.left_columns = 4;
    c.result_columns = 4;
    return c;
}

vector_command fine_vector(opcode code)
{
    vector_command c;
    c.result.address = 0x1000;
    c.a.address = 0x2000;
    c.length = 10;
    switch (code) {
    case opcode::not_:
    case opcode::is_zero:
    case opcode::bit: break;
    case opcode::flags: c.table = 3; break;
    case opcode::gather_last:
    case opcode::fill_first:
    case opcode::or_block: c.block = 4; break;
    default: c.b.address = 0x3000;
    }
    if (code == opcode::scatter_last || code == opcode::revspec || code == opcode::expand) { c.block = 4; }
    if (code == opcode::expand) { c.bits = 4; }
    if (code == opcode::compact || code == opcode::gather_idx || code == opcode::gather_prev) { c.table = 7; }
    if (code == opcode::revert) {
        c.c.address = 0x4000;
        c.table = 7;
    }
    return c;
}

strided_command fine_strided(opcode code)
{
    strided_command c;
    if (code == opcode::charge) {
        c.cpu_ops = 5;
        return c;
    }
    const std::string name = find_instruction(static_cast<std::uint8_t>(code))->name;
    const bool matrix = name.rfind("eliminate", 0) == 0 || name.rfind("close", 0) == 0;
    c.size = {matrix || code == opcode::s_carry ? 1u : 2u, code == opcode::s_carry ? 1u : 3u, 3u};
    c.result = {0x1000, {16, 4, 1}, {}};
    const bool no_a = code == opcode::set || name.find("diagonal") < name.size();
    const bool no_b = no_a || code == opcode::repl || code == opcode::move || code == opcode::s_positive ||
                      code == opcode::s_carry || code == opcode::eliminate_column || name.rfind("close", 0) == 0;
    if (!no_a) { c.a = {0x2000, {16, 4, 1}, {}}; }
    if (!no_b) { c.b = {0x3000, {0, 4, 1}, {}}; }
    if (code == opcode::repl) { c.valid = {2, 2, 3}; }
    if (code == opcode::s_mul_mod || code == opcode::s_mac_mod) { c.immediate[0] = 1009; }
    if (code == opcode::s_carry) { c.immediate[0] = 16; }
    return c;
}

mmv_limits device_for(opcode code)
{
    const std::string name = find_instruction(static_cast<std::uint8_t>(code))->name;
    return device(name.rfind("eliminate", 0) == 0 ? element_type::f64 : element_type::int64);
}

TEST(mmv_check, fine_instructions_are_taken)
{
    EXPECT_FALSE(check(fine_matmul(), 0, int64_device));
    for (const auto& i : instructions) {
        if (i.payload == payload_kind::vector) {
            EXPECT_FALSE(check(i.code, fine_vector(i.code), int64_device)) << i.name;
        }
        if (i.payload == payload_kind::strided) {
            const auto r = check(i.code, fine_strided(i.code), 0, device_for(i.code));
            EXPECT_FALSE(r) << i.name << ": " << r->text;
        }
    }
}

// ---- formats and blocks ----

std::optional<refusal> check_any(const instruction& i, const mmv_limits& d)
{
    switch (i.payload) {
    case payload_kind::matmul: return check(fine_matmul(), 0, d);
    case payload_kind::vector: return check(i.code, fine_vector(i.code), d);
    default: return check(i.code, fine_strided(i.code), 0, d);
    }
}

TEST(mmv_check, formats_of_instructions)
{
    const std::vector<std::string> complex = {"matmul",      "add",          "sub",        "mul",   "mask",   "is_zero",
                                              "gather_last", "scatter_last", "fill_first", "repl",  "charge", "set",
                                              "move",        "s_add",        "s_sub",      "s_mul", "s_mac"};
    const std::vector<std::string> integer = {"bit", "expand", "s_mul_mod", "s_mac_mod"};
    const auto is_one_of = [](const std::vector<std::string>& list, const std::string& name) {
        return std::find(list.begin(), list.end(), name) != list.end();
    };
    for (const auto& i : instructions) {
        const std::string name = i.name;
        const bool f64_only = name.rfind("eliminate", 0) == 0;
        for (const auto format : arch::mmv_formats) {
            bool exists = true;
            if (format == element_type::c128) { exists = is_one_of(complex, name); }
            if (is_one_of(integer, name)) { exists = arch::is_integer(format); }
            if (name == "s_carry") { exists = format == element_type::int64; }
            if (f64_only) { exists = format == element_type::f64; }
            const auto r = check_any(i, device(format));
            EXPECT_EQ(r && r->code == error_code::unsupported_format, !exists)
                << name << " " << element_type_name(format);
            EXPECT_EQ(bool(r), !exists) << name << " " << element_type_name(format) << (r ? r->text : "");
        }
    }
}

TEST(mmv_check, blocks_that_a_vector_unit_lacks)
{
    const std::pair<opcode, functional_block> needs[] = {{opcode::revspec, functional_block::revspec},
                                                         {opcode::compact, functional_block::compact},
                                                         {opcode::revert, functional_block::revert},
                                                         {opcode::mul, functional_block::multiplier}};
    for (const auto& [code, block] : needs) {
        auto d = int64_device;
        d.blocks = block_bit(block);
        EXPECT_FALSE(check(code, fine_vector(code), d));
        d.blocks = static_cast<std::uint8_t>(all_functional_blocks & ~block_bit(block));
        const auto r = check(code, fine_vector(code), d);
        ASSERT_TRUE(r);
        EXPECT_EQ(r->code, error_code::unsupported_opcode);
    }
    auto bare = int64_device;
    bare.blocks = 0;
    EXPECT_FALSE(check(opcode::add, fine_vector(opcode::add), bare));
    EXPECT_FALSE(check(opcode::s_mul, fine_strided(opcode::s_mul), 0, bare));
}

// ---- tables of refusals ----

template <class Command> struct change {
    const char* name;
    opcode code;
    std::function<void(Command&)> make;
    error_code error;
    const char* text;
};
template <class Command> std::ostream& operator<<(std::ostream& to, const change<Command>& c) { return to << c.name; }

template <class Command> std::string name_of(const testing::TestParamInfo<change<Command>>& tested)
{
    return tested.param.name;
}

void expect_refusal(const std::optional<refusal>& found, error_code error, const std::string& text)
{
    ASSERT_TRUE(found);
    EXPECT_EQ(found->code, error) << found->text;
    EXPECT_THAT(found->text, testing::HasSubstr(text));
}

constexpr auto bad_field = error_code::bad_field;
constexpr auto too_large = error_code::too_large;

class matmul_refusal : public testing::TestWithParam<change<matmul_command>> {};
TEST_P(matmul_refusal, has_its_code_and_text)
{
    auto c = fine_matmul();
    GetParam().make(c);
    expect_refusal(check(c, 0, int64_device), GetParam().error, GetParam().text);
}

using m = matmul_command;
constexpr auto mm = opcode::matmul;
INSTANTIATE_TEST_SUITE_P(
    fields, matmul_refusal,
    testing::Values(
        change<m>{"no_words", mm, [](m& c) { c.words = 0; }, bad_field, "words 0 is not 1 to 4294967295"},
        change<m>{"no_left_columns", mm, [](m& c) { c.left_columns = 0; }, bad_field, "left_columns 0 is not 1 to 4"},
        change<m>{"many_left_columns", mm, [](m& c) { c.left_columns = 5; }, bad_field, "left_columns 5"},
        change<m>{"no_result_columns", mm, [](m& c) { c.result_columns = 0; }, bad_field, "result_columns 0"},
        change<m>{"many_result_columns", mm, [](m& c) { c.result_columns = 5; }, bad_field, "result_columns 5"},
        change<m>{"reserved", mm, [](m& c) { c.reserved = 1; }, bad_field, "reserved"}),
    name_of<m>);
INSTANTIATE_TEST_SUITE_P(
    places, matmul_refusal,
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
    expect_refusal(check(fine_matmul(), 1, int64_device), error_code::bad_command, "flags");
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
    expect_refusal(check(c, 0, device(element_type::int8)), bad_field, "overlaps the left");
}

TEST(mmv_check, operands_may_end_with_the_scratchpad)
{
    auto c = fine_matmul();
    c.result = {kib64 - 8 * (9 * 8 + 2), 8, {}}; // the last row has 2 words
    EXPECT_FALSE(check(c, 0, int64_device));
    c.result = {8 * 8 * 9, -8, {}}; // down to address 0
    EXPECT_FALSE(check(c, 0, int64_device));
    auto v = fine_vector(opcode::add);
    v.a.address = kib64 - 80;
    EXPECT_FALSE(check(opcode::add, v, int64_device));
    v.a.address += 16;
    v.a.shift = 2;
    EXPECT_FALSE(check(opcode::add, v, int64_device));
    v.a.shift = 100; // nothing is read
    v.a.address = 0xfffffff8;
    EXPECT_FALSE(check(opcode::add, v, int64_device));
}

class vector_refusal : public testing::TestWithParam<change<vector_command>> {};
TEST_P(vector_refusal, has_its_code_and_text)
{
    auto c = fine_vector(GetParam().code);
    GetParam().make(c);
    expect_refusal(check(GetParam().code, c, int64_device), GetParam().error, GetParam().text);
}

using v = vector_command;
INSTANTIATE_TEST_SUITE_P(
    fields, vector_refusal,
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
        change<v>{"no_broadcast", opcode::revspec, [](v& c) { c.flags = v::flag_broadcast_b; }, bad_field, "one word"},
        change<v>{"broadcast_shifted", opcode::add, [](v& c) { c.flags = v::flag_broadcast_b, c.b.shift = 1; },
                  bad_field, "b cannot be shifted"},
        change<v>{"table_shifted", opcode::gather_prev, [](v& c) { c.a.shift = 1; }, bad_field, "a cannot be shifted"},
        change<v>{"c_shifted", opcode::revert, [](v& c) { c.c.shift = 1; }, bad_field, "c cannot be shifted"},
        change<v>{"result_shifted", opcode::add, [](v& c) { c.result.shift = 1; }, bad_field,
                  "result cannot be shifted"}),
    name_of<v>);
INSTANTIATE_TEST_SUITE_P(
    places, vector_refusal,
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

class strided_refusal : public testing::TestWithParam<change<strided_command>> {};
TEST_P(strided_refusal, has_its_code_and_text)
{
    auto c = fine_strided(GetParam().code);
    GetParam().make(c);
    expect_refusal(check(GetParam().code, c, 0, device_for(GetParam().code)), GetParam().error, GetParam().text);
}

using s = strided_command;
INSTANTIATE_TEST_SUITE_P(
    fields, strided_refusal,
    testing::Values(
        change<s>{"size_0", opcode::move, [](s& c) { c.size[1] = 0; }, bad_field, "size[1] 0 is not 1 to 4294967295"},
        change<s>{"too_many_elements", opcode::s_mac,
                  [](s& c) {
                      c.size = {1u << 16, 1u << 16, 2}, c.result = {};
                  },
                  too_large, "more than 4294967296 elements"},
        change<s>{"elements_beyond_64_bits", opcode::s_mac,
                  [](s& c) {
                      c.size = {1u << 31, 1u << 31, 4};
                  },
                  too_large, "more than 4294967296 elements"},
        change<s>{"repl_of_more_elements_than_words", opcode::repl,
                  [](s& c) {
                      c.size = {8193, 1, 1}, c.valid = {1, 1, 1}, c.result.stride = {};
                  },
                  too_large, "more than 8192 elements"},
        change<s>{"too_many_products", opcode::s_mac,
                  [](s& c) {
                      c.size = {(1u << 31) + 1, 1, 1}, c.result.stride = c.a.stride = c.b.stride = {};
                  },
                  too_large, "more than 4294967296 operations"},
        change<s>{"long_elimination", opcode::eliminate_diagonal,
                  [](s& c) {
                      c.size = {1, 1u << 16, 1u << 16}, c.result.stride = {};
                  },
                  too_large, "more than 4294967296 operations"},
        change<s>{"closure_beyond_64_bits", opcode::close_row,
                  [](s& c) {
                      c.size = {1, 0xffffffff, 1}, c.result.stride = c.a.stride = {};
                  },
                  too_large, "more than 4294967296 operations"},
        change<s>{"cpu_ops_beyond_a_day", opcode::charge, [](s& c) { c.cpu_ops = (1ull << 40) + 1; }, bad_field,
                  "cpu_ops 1099511627777 is not 0 to 1099511627776"},
        change<s>{"cpu_ops_beyond_64_bits_of_time", opcode::charge, [](s& c) { c.cpu_ops = 1ull << 61; }, bad_field,
                  "cpu_ops"},
        change<s>{"cpu_ops_of_another", opcode::move, [](s& c) { c.cpu_ops = UINT64_MAX; }, bad_field, "cpu_ops"},
        change<s>{"charge_with_size", opcode::charge, [](s& c) { c.size[2] = 1; }, bad_field, "size[2] is not used"},
        change<s>{"charge_with_result", opcode::charge, [](s& c) { c.result.address = 8; }, bad_field,
                  "result is not used"},
        change<s>{"matrix_of_three_modes", opcode::close_row, [](s& c) { c.size[0] = 2; }, bad_field,
                  "size[0] 2 is not 1"},
        change<s>{"digits_of_two_modes", opcode::s_carry, [](s& c) { c.size[1] = 2; }, bad_field, "size[1] 2 is not 1"},
        change<s>{"diagonal_not_square", opcode::eliminate_diagonal, [](s& c) { c.size[2] = 4; }, bad_field, "differ"},
        change<s>{"valid_beyond_size", opcode::repl, [](s& c) { c.valid[1] = 4; }, bad_field, "valid 4 is not 0 to 3"},
        change<s>{"valid_unused", opcode::move, [](s& c) { c.valid[0] = 1; }, bad_field, "valid 1 is not 0"},
        change<s>{"a_unused", opcode::set, [](s& c) { c.a.stride[1] = 1; }, bad_field, "a is not used"},
        change<s>{"a_of_diagonal", opcode::close_diagonal, [](s& c) { c.a.address = 8; }, bad_field, "a is not used"},
        change<s>{"b_unused", opcode::move, [](s& c) { c.b.address = 8; }, bad_field, "b is not used"},
        change<s>{"b_unused_step", opcode::repl, [](s& c) { c.b.step[1] = 8; }, bad_field, "b is not used"},
        change<s>{"reserved", opcode::move, [](s& c) { c.reserved = 1; }, bad_field, "reserved"},
        change<s>{"immediate_unused", opcode::move, [](s& c) { c.immediate[0] = 1; }, bad_field, "immediate[0]"},
        change<s>{"immediate_too_wide", opcode::set, [](s& c) { c.immediate[1] = 1; }, bad_field, "immediate[1]"},
        change<s>{"no_modulus", opcode::s_mul_mod, [](s& c) { c.immediate[0] = 0; }, bad_field, "modulus 0"},
        change<s>{"modulus_beyond_words", opcode::s_mac_mod, [](s& c) { c.immediate[0] = 1ull << 63; }, bad_field,
                  "modulus"},
        change<s>{"no_digit", opcode::s_carry, [](s& c) { c.immediate[0] = 0; }, bad_field, "bits of a digit 0"},
        change<s>{"digit_too_wide", opcode::s_carry, [](s& c) { c.immediate[0] = 63; }, bad_field, "1 to 62"}),
    name_of<s>);
INSTANTIATE_TEST_SUITE_P(
    places, strided_refusal,
    testing::Values(
        change<s>{"misaligned", opcode::move, [](s& c) { c.a.address = 4; }, bad_field, "a: address 4"},
        change<s>{"misaligned_step", opcode::move, [](s& c) { c.result.step[0] = 2; }, bad_field, "result: step 2"},
        change<s>{"result_outside", opcode::move, [](s& c) { c.result.address = kib64 - 8 * 26; }, too_large,
                  "result leaves"},
        change<s>{"a_outside", opcode::move, [](s& c) { c.a.address = kib64 - 8; }, too_large, "a leaves"},
        change<s>{"b_outside", opcode::s_add, [](s& c) { c.b.stride[1] = INT32_MAX; }, too_large, "b leaves"},
        change<s>{"a_below_0", opcode::move,
                  [](s& c) {
                      c.a = {8 * 15, {-16, 4, 1}, {}};
                  },
                  too_large, "a leaves"},
        change<s>{"diagonal_block_outside", opcode::close_row, [](s& c) { c.size[2] = 1, c.a.address = kib64 - 80; },
                  too_large, "a leaves"},
        change<s>{"eliminated_b_outside", opcode::eliminate_row, [](s& c) { c.b.address = kib64 - 80; }, too_large,
                  "b leaves"},
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
    expect_refusal(check(opcode::move, fine_strided(opcode::move), 2, int64_device), error_code::bad_command, "flags");
}

TEST(mmv_check, immediates_are_words)
{
    auto c = fine_strided(opcode::set);
    c.immediate[0] = UINT64_MAX;
    EXPECT_FALSE(check(opcode::set, c, 0, int64_device));
    expect_refusal(check(opcode::set, c, 0, device(element_type::int8)), bad_field, "is not 0 to 4294967295");
    c.immediate[1] = UINT64_MAX;
    EXPECT_FALSE(check(opcode::set, c, 0, device(element_type::c128)));
}

TEST(mmv_check, strided_instructions_update_in_place)
{
    auto c = fine_strided(opcode::repl);
    c.a = c.result;
    EXPECT_FALSE(check(opcode::repl, c, 0, int64_device));
    c = fine_strided(opcode::s_add); // and the scalar unit goes element by element
    c.a.address = c.b.address = 0x1008;
    EXPECT_FALSE(check(opcode::s_add, c, 0, int64_device));
    c = fine_strided(opcode::close_row); // the diagonal block of the same matrix
    c.result = {0x1000 + 8 * 3, {0, 12, 1}, {}};
    c.a = {0x1000, {0, 12, 1}, {}};
    EXPECT_FALSE(check(opcode::close_row, c, 0, int64_device));
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
    auto c = fine_strided(opcode::move);
    c.size = {1, 1, (1u << 31) + 1};
    c.result.stride = c.a.stride = {};
    EXPECT_FALSE(check(opcode::move, c, 0, int64_device));
    c.a.stride[2] = 1 << 30;
    expect_refusal(check(opcode::move, c, 0, int64_device), too_large, "a leaves");
}

TEST(mmv_check, the_largest_instructions_are_taken)
{
    auto vector = fine_vector(opcode::compact);
    vector.length = vector.a.shift = vector.b.shift = 8192; // words of the scratchpad
    EXPECT_FALSE(check(opcode::compact, vector, int64_device));
    auto repl = fine_strided(opcode::repl);
    repl.size = {8192, 1, 1}, repl.valid = {1, 1, 1}, repl.result.stride = {};
    EXPECT_FALSE(check(opcode::repl, repl, 0, int64_device));
    auto mac = fine_strided(opcode::s_mac);
    mac.size = {1024, 2048, 1024}, mac.result.stride = mac.a.stride = mac.b.stride = {};
    EXPECT_FALSE(check(opcode::s_mac, mac, 0, int64_device)); // 2^31 elements of 2 operations each
    auto charge = fine_strided(opcode::charge);
    charge.cpu_ops = 1ull << 40;
    EXPECT_FALSE(check(opcode::charge, charge, 0, int64_device));
}

// ---- operands that advance ----

TEST(mmv_check, where_operands_lie_that_advance_is_left_to_each_iteration)
{
    auto c = fine_matmul();
    c.left.address = 0xfffffff8;
    c.left.step = {8, 0};
    EXPECT_FALSE(check(c, 0, int64_device));
    expect_refusal(check(c.at({0, 0}), 0, int64_device), too_large, "left leaves");
    EXPECT_FALSE(check(c.at({1, 0}), 0, int64_device)); // wraps to address 0
    c.left_columns = 9;
    expect_refusal(check(c, 0, int64_device), bad_field, "left_columns 9");

    auto vector = fine_vector(opcode::add);
    vector.result = {0x2000, 0, {0, 80}};
    vector.a.address = 0x2008;
    EXPECT_FALSE(check(opcode::add, vector, int64_device));
    expect_refusal(check(opcode::add, vector.at({5, 0}), int64_device), bad_field, "overlaps a");
    EXPECT_FALSE(check(opcode::add, vector.at({0, 2}), int64_device));
    vector.b.address = kib64;
    expect_refusal(check(opcode::add, vector, int64_device), too_large, "b leaves");

    auto strided = fine_strided(opcode::move);
    strided.a.step = {-0x1000, 0};
    EXPECT_FALSE(check(opcode::move, strided.at({2, 0}), 0, int64_device));
    expect_refusal(check(opcode::move, strided.at({3, 0}), 0, int64_device), too_large, "a leaves");
    EXPECT_FALSE(check(opcode::move, strided, 0, int64_device));
}

TEST(mmv_check, scratchpads_of_nearly_4_gib_are_used_to_their_end)
{
    const mmv_limits large{4, element_type::c128, (std::uint64_t{1} << 32) - 64, all_functional_blocks};
    auto c = fine_vector(opcode::add);
    c.result.address = 0xffffffc0 - 160;
    EXPECT_FALSE(check(opcode::add, c, large));
    c.result.address += 16;
    expect_refusal(check(opcode::add, c, large), too_large, "result leaves");
}

} // namespace
} // namespace tensorloom::test
