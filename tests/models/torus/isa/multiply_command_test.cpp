#include <tensorloom/models/torus/isa/multiply_command.h>
#include <functional>
#include <ostream>
#include <string>
#include <gmock/gmock.h>

namespace tensorloom::test {
namespace {

using base::element_type;
using isa::error_code;
using namespace torus;

const multiply_limits device{3, {4, 6, 5}, element_type::f64};

/// I = 7, J = 17, K = 11 in blocks that fill a plane of 3 x 3 nodes, or nearly so.
multiply_command fine_command(element_type type = element_type::f64)
{
    multiply_command c;
    c.blocks = {3, 6, 4};
    c.operand = {isa::dense_descriptor(0x1000, type, {7, 11}), isa::dense_descriptor(0x2000, type, {11, 17}),
                 isa::dense_descriptor(0x4000, type, {7, 17})};
    return c;
}

TEST(multiply_command, comes_back_from_its_bytes)
{
    auto c = fine_command();
    c.flags = multiply_command::flag_accumulate | multiply_command::flag_completion;
    c.cls = matrix_class::cra;
    c.form = matrix_form::b_ac;
    c.vector_bits = 5;
    c.completion_address = 0x0123456789abcdef;
    const auto bytes = c.encode();
    ASSERT_EQ(bytes.size(), 32u + 3 * 112);
    EXPECT_EQ(bytes[0], 3);
    EXPECT_EQ(bytes[1], 2);
    EXPECT_EQ(bytes[2], 5);
    EXPECT_EQ(bytes[4], 3);
    EXPECT_EQ(bytes[8], 6);
    EXPECT_EQ(bytes[12], 4);
    EXPECT_EQ(bytes[16], 0xef);
    const auto back = multiply_command::decode(c.flags, bytes.data());
    EXPECT_EQ(back.encode(), bytes);
    EXPECT_TRUE(back.accumulate());
    EXPECT_EQ(text_of(back.vector()), "-+-");
    EXPECT_EQ(back.block_sizes().k, 4u);
}

TEST(multiply_command, fine_ones_are_taken)
{
    for (unsigned cls = 0; cls <= 3; ++cls) {
        auto c = fine_command();
        c.cls = static_cast<matrix_class>(cls);
        EXPECT_FALSE(check(c, device));
        c.flags = multiply_command::flag_accumulate;
        EXPECT_FALSE(check(c, device));
    }
    for (unsigned form = 0; form < 3; ++form) {
        auto c = fine_command(element_type::bf16);
        c.form = static_cast<matrix_form>(form);
        c.vector_bits = 7;
        const matrix accumulators[] = {matrix::c, matrix::a, matrix::b};
        c.of(accumulators[form]).type = static_cast<std::uint8_t>(element_type::f32);
        EXPECT_FALSE(check(c, {3, {4, 6, 5}, element_type::bf16}));
    }
    auto c = fine_command();
    c.cls = matrix_class::asc;
    c.blocks = {1, 1, 1};
    EXPECT_FALSE(check(c, device));
}

struct refused_multiply {
    const char* name;
    error_code code;
    const char* text; // all of it
    std::function<void(multiply_command&)> change;
};
void PrintTo(const refused_multiply& c, std::ostream* out) { *out << c.name; }

class multiply_check_error : public testing::TestWithParam<refused_multiply> {};

TEST_P(multiply_check_error, has_its_code_and_text)
{
    auto c = fine_command();
    GetParam().change(c);
    const auto refused = check(c, device);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->code, GetParam().code);
    EXPECT_EQ(refused->text, GetParam().text);
}

const refused_multiply refused_commands[] = {
    {"flags", error_code::bad_command, "unknown flags", [](auto& c) { c.flags = 4; }},
    {"reserved", error_code::bad_field, "reserved byte is not 0", [](auto& c) { c.reserved = 1; }},
    {"reserved_1", error_code::bad_field, "reserved byte is not 0", [](auto& c) { c.reserved_1 = 1; }},
    {"class", error_code::bad_field, "class 5 is not 0 to 4", [](auto& c) { c.cls = static_cast<matrix_class>(5); }},
    {"form", error_code::bad_field, "form 3 is not 0 to 2", [](auto& c) { c.form = static_cast<matrix_form>(3); }},
    {"vector", error_code::bad_field, "vector 8 is not 0 to 7", [](auto& c) { c.vector_bits = 8; }},
    {"form_of_fox", error_code::bad_field, "form 17b of class bcr-ki, which has only form 17a",
     [](auto& c) {
         c.cls = matrix_class::bcr_row;
         c.form = matrix_form::a_cb;
     }},
    {"vector_of_bbc", error_code::bad_field, "vector -++ of class bbc, which has none",
     [](auto& c) {
         c.cls = matrix_class::bbc;
         c.vector_bits = 1;
     }},
    {"no_block", error_code::bad_field, "block of 0 elements along i, not 1 or more", [](auto& c) { c.blocks[0] = 0; }},
    {"large_block", error_code::too_large, "block of 7 elements along j, at most 6", [](auto& c) { c.blocks[1] = 7; }},
    {"block_of_asc", error_code::bad_field, "block of 3 elements along i, not 1",
     [](auto& c) { c.cls = matrix_class::asc; }},
    {"no_b", error_code::bad_descriptor, "B is missing", [](auto& c) { c.of(matrix::b) = {}; }},
    {"order", error_code::bad_descriptor, "C: order 3 instead of 2",
     [](auto& c) {
         c.of(matrix::c) = isa::dense_descriptor(0, element_type::f64, {7, 17, 1});
     }},
    {"type", error_code::unsupported_format, "A is not f64",
     [](auto& c) {
         c.of(matrix::a) = isa::dense_descriptor(0, element_type::f32, {7, 11});
     }},
    {"rows_of_b", error_code::bad_field, "B: size 12 of mode 1 instead of 11",
     [](auto& c) { ++c.of(matrix::b).size[0]; }},
    {"rows_of_c", error_code::bad_field, "C: size 8 of mode 1 instead of 7",
     [](auto& c) { ++c.of(matrix::c).size[0]; }},
    {"columns_of_c", error_code::bad_field, "C: size 18 of mode 2 instead of 17",
     [](auto& c) { ++c.of(matrix::c).size[1]; }},
    {"completion", error_code::bad_field, "completion address lies outside of 64 bits",
     [](auto& c) {
         c.flags = multiply_command::flag_completion;
         c.completion_address = UINT64_MAX;
     }},
    {"steps", error_code::too_large, "2500000000 passes of 3 steps, at most 4294967295 steps",
     [](auto& c) {
         c.blocks = {1, 1, 1};
         c.operand = {isa::dense_descriptor(0, element_type::f64, {150'000, 1}),
                      isa::dense_descriptor(0, element_type::f64, {1, 150'000}),
                      isa::dense_descriptor(0, element_type::f64, {150'000, 150'000})};
     }},
};
INSTANTIATE_TEST_SUITE_P(command, multiply_check_error, testing::ValuesIn(refused_commands),
                         [](const auto& c) { return std::string(c.param.name); });

TEST(multiply_check_error, formats_that_systolic_arrays_do_not_have)
{
    for (const auto format : {element_type::f64, element_type::f32, element_type::c128, element_type::c64}) {
        auto c = fine_command(format);
        c.cls = matrix_class::asc;
        c.blocks = {1, 1, 1};
        const auto refused = check(c, {3, {4, 6, 5}, format});
        ASSERT_EQ(refused.has_value(), format == element_type::c64);
        if (refused) { EXPECT_EQ(refused->code, error_code::unsupported_format); }
    }
}

// Every product of elements is in one pass, the terms of a result ascend, and the first and the last are told.
TEST(multiply_tiles, cut_a_product_into_passes)
{
    for (unsigned form = 0; form < 3; ++form) {
        auto c = fine_command();
        c.form = static_cast<matrix_form>(form);
        c.blocks = {1, 2, 3}; // tiles of 3, 6, 9 along i, j, k
        const auto stage = stage_of(c, 3);
        ASSERT_EQ(stage.passes(), 3u * 3 * 2);
        const std::uint64_t terms = form == 0 ? 2 : 3;
        std::uint64_t products = 0;
        for (std::uint64_t p = 0; p < stage.passes(); ++p) {
            const auto pass = stage.pass(p);
            EXPECT_EQ(pass.opens, p % terms == 0);
            EXPECT_EQ(pass.closes, p % terms == terms - 1);
            const auto a = part_of(c, matrix::a, pass), b = part_of(c, matrix::b, pass),
                       d = part_of(c, matrix::c, pass);
            EXPECT_EQ(a.size[0], d.size[0]);
            EXPECT_EQ(a.size[1], b.size[0]);
            EXPECT_EQ(b.size[1], d.size[1]);
            products += a.elements() * b.size[1];
            const std::uint64_t i = (a.base - 0x1000) / 8 / 11, k = (a.base - 0x1000) / 8 % 11,
                                j = (b.base - 0x2000) / 8 % 17;
            EXPECT_EQ((b.base - 0x2000) / 8 / 17, k);
            EXPECT_EQ((d.base - 0x4000) / 8, i * 17 + j);
            const std::uint64_t summed = form == 0 ? k / 9 : form == 1 ? j / 6 : i / 3;
            EXPECT_EQ(summed, p % terms);
        }
        EXPECT_EQ(products, 7u * 17 * 11);
    }
}

} // namespace
} // namespace tensorloom::test
