// What holds for instructions of every kind: formats, blocks that are not there, the ends of the scratchpad, operands
// that advance.
#include <algorithm>
#include <string>
#include <vector>
#include "refusal_case.h"

namespace tensorloom::test {
namespace {

using namespace mmv_check_errors;

TEST(mmv_check, fine_instructions_are_taken)
{
    EXPECT_FALSE(check(fine_matmul(), 0, int64_device));
    for (const auto& i : mmv::description.commands) {
        const any_opcode code(static_cast<std::uint8_t>(i.opcode.value));
        if (i.payload == &isa::vector::vector_layout) {
            const auto vector = static_cast<opcode>(code.value);
            const auto r = check(vector, fine_vector(vector), vector_unit_of(vector));
            EXPECT_FALSE(r) << i.opcode.name << ": " << r->text;
        }
        if (i.payload == &isa::vector::strided_layout) {
            const auto r = check_strided(code, fine_strided(code), 0, device_for(code));
            EXPECT_FALSE(r) << i.opcode.name << ": " << r->text;
        }
    }
}

// ---- formats and blocks ----

std::optional<check_error> check_any(const isa::command_description& i, const mmv::limits& d)
{
    const any_opcode code(static_cast<std::uint8_t>(i.opcode.value));
    if (i.payload == &mmv::matmul_layout) { return check(fine_matmul(), 0, d); }
    if (i.payload == &mmv::product_layout) { return check(fine_product(), 0, d); }
    if (i.payload == &isa::vector::vector_layout) {
        const auto vector = static_cast<opcode>(code.value);
        return check(vector, fine_vector(vector), d);
    }
    return check_strided(code, fine_strided(code), 0, d);
}

TEST(mmv_check, formats_of_instructions)
{
    const std::vector<std::string> complex = {"matmul",  "product",     "add",          "sub",        "mul",   "mask",
                                              "is_zero", "gather_last", "scatter_last", "fill_first", "repl",  "charge",
                                              "set",     "move",        "s_add",        "s_sub",      "s_mul", "s_mac"};
    const std::vector<std::string> integer = {"bit", "expand", "s_mul_mod", "s_mac_mod"};
    const std::vector<std::string> real = {"max",       "min",       "relu",    "relu_gradient", "sigmoid",
                                           "tanh",      "exp",       "log",     "div",           "sqrt",
                                           "sum_block", "max_block", "mul_add", "scatter_add"};
    const std::vector<std::string> f32 = {"pack_bf16", "unpack_bf16", "pack_f16", "unpack_f16", "random_mask"};
    const std::vector<std::string> int32 = {"pack_int8", "unpack_int8"};
    const auto is_one_of = [](const std::vector<std::string>& list, const std::string& name) {
        return std::find(list.begin(), list.end(), name) != list.end();
    };
    for (const auto& i : mmv::description.commands) {
        const std::string name = i.opcode.name;
        const bool eliminates = name.rfind("eliminate", 0) == 0;
        for (const auto format : base::systolic_formats) {
            bool exists = true;
            if (format == element_type::c128) { exists = is_one_of(complex, name); }
            if (is_one_of(integer, name)) { exists = base::is_integer(format); }
            if (name == "s_carry") { exists = format == element_type::int64; }
            const bool words_of_32_bits =
                format == element_type::f32 || format == element_type::bf16 || format == element_type::f16;
            if (eliminates || is_one_of(real, name)) { exists = format == element_type::f64 || words_of_32_bits; }
            if (is_one_of(f32, name)) { exists = words_of_32_bits; }
            if (is_one_of(int32, name)) { exists = format == element_type::int32 || format == element_type::int8; }
            const auto r = check_any(i, device(format));
            EXPECT_EQ(r && r->code == error_code::unsupported_format, !exists)
                << name << " " << base::element_type_name(format);
            EXPECT_EQ(bool(r), !exists) << name << " " << base::element_type_name(format) << (r ? r->text : "");
        }
        if (isa::vector::find_instruction(static_cast<std::uint8_t>(i.opcode.value)) == nullptr) { continue; }
        const auto code = static_cast<opcode>(i.opcode.value);
        const auto in_f32 = i.payload == &isa::vector::vector_layout
                                ? isa::vector::check(code, fine_vector(code), f32_device)
                                : isa::vector::check(code, fine_strided(code), 0, f32_device);
        EXPECT_EQ(bool(in_f32), is_one_of(integer, name) || is_one_of(int32, name))
            << name << (in_f32 ? in_f32->text : "");
    }
}

TEST(mmv_check, blocks_that_a_vector_unit_lacks)
{
    const std::pair<opcode, functional_block> needs[] = {
        {opcode::revspec, functional_block::revspec},       {opcode::compact, functional_block::compact},
        {opcode::revert, functional_block::revert},         {opcode::mul, functional_block::multiplier},
        {opcode::max, functional_block::activation},        {opcode::min, functional_block::activation},
        {opcode::relu, functional_block::activation},       {opcode::relu_gradient, functional_block::activation},
        {opcode::sigmoid, functional_block::activation},    {opcode::tanh, functional_block::activation},
        {opcode::exp, functional_block::activation},        {opcode::log, functional_block::activation},
        {opcode::div, functional_block::activation},        {opcode::sqrt, functional_block::activation},
        {opcode::sum_block, functional_block::reduction},   {opcode::max_block, functional_block::reduction},
        {opcode::scatter_add, functional_block::reduction}, {opcode::mul_add, functional_block::multiply_add},
        {opcode::pack_bf16, functional_block::conversion},  {opcode::unpack_bf16, functional_block::conversion}};
    for (const auto& [code, block] : needs) {
        auto d = f32_device;
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
    EXPECT_FALSE(check(scalar_opcode::s_mul, fine_strided(scalar_opcode::s_mul), 0, bare));
}

TEST(mmv_check, a_pair_lacks_the_blocks_on_real_numbers_unless_told_otherwise)
{
    mmv::limits d;
    d.format = element_type::f64;
    for (const auto code : {opcode::relu, opcode::sum_block, opcode::mul_add}) {
        expect_check_error(check(code, fine_vector(code), d), error_code::unsupported_opcode, "lacks the block");
    }
    EXPECT_FALSE(check(opcode::mul, fine_vector(opcode::mul), d));
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

TEST(mmv_check, the_largest_instructions_are_taken)
{
    auto vector = fine_vector(opcode::compact);
    vector.length = vector.a.shift = vector.b.shift = 8192; // words of the scratchpad
    EXPECT_FALSE(check(opcode::compact, vector, int64_device));
    auto repl = fine_strided(opcode::repl);
    repl.size = {8192, 1, 1}, repl.valid = {1, 1, 1}, repl.result.stride = {};
    EXPECT_FALSE(check(opcode::repl, repl, 0, int64_device));
    auto mac = fine_strided(scalar_opcode::s_mac);
    mac.size = {1024, 2048, 1024}, mac.result.stride = mac.a.stride = mac.b.stride = {};
    EXPECT_FALSE(check(scalar_opcode::s_mac, mac, 0, int64_device)); // 2^31 elements of 2 operations each
    auto charge = fine_strided(scalar_opcode::charge);
    charge.cpu_ops = 1ull << 40;
    EXPECT_FALSE(check(scalar_opcode::charge, charge, 0, int64_device));
}

// ---- operands that advance ----

TEST(mmv_check, where_operands_lie_that_advance_is_left_to_each_iteration)
{
    auto c = fine_matmul();
    c.left.address = 0xfffffff8;
    c.left.step = {8, 0};
    EXPECT_FALSE(check(c, 0, int64_device));
    expect_check_error(check(c.at({0, 0}), 0, int64_device), too_large, "left leaves");
    EXPECT_FALSE(check(c.at({1, 0}), 0, int64_device)); // wraps to address 0
    c.left_columns = 9;
    expect_check_error(check(c, 0, int64_device), bad_field, "left_columns 9");

    auto vector = fine_vector(opcode::add);
    vector.result = {0x2000, 0, {0, 80}};
    vector.a.address = 0x2008;
    EXPECT_FALSE(check(opcode::add, vector, int64_device));
    expect_check_error(check(opcode::add, vector.at({5, 0}), int64_device), bad_field, "overlaps a");
    EXPECT_FALSE(check(opcode::add, vector.at({0, 2}), int64_device));
    vector.b.address = kib64;
    expect_check_error(check(opcode::add, vector, int64_device), too_large, "b leaves");

    auto strided = fine_strided(scalar_opcode::move);
    strided.a.step = {-0x1000, 0};
    EXPECT_FALSE(check(scalar_opcode::move, strided.at({2, 0}), 0, int64_device));
    expect_check_error(check(scalar_opcode::move, strided.at({3, 0}), 0, int64_device), too_large, "a leaves");
    EXPECT_FALSE(check(scalar_opcode::move, strided, 0, int64_device));
}

TEST(mmv_check, scratchpads_of_nearly_4_gib_are_used_to_their_end)
{
    const mmv::limits large{4, element_type::c128, (std::uint64_t{1} << 32) - 64, all_functional_blocks};
    auto c = fine_vector(opcode::add);
    c.result.address = 0xffffffc0 - 160;
    EXPECT_FALSE(check(opcode::add, c, large));
    c.result.address += 16;
    expect_check_error(check(opcode::add, c, large), too_large, "result leaves");
}

} // namespace
} // namespace tensorloom::test
