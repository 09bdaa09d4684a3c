// The bytes of a POINTWISE command, and every reason for which it is refused, one change to a fine command at a time.
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <gmock/gmock.h>

namespace tensorloom::test {
namespace {

using base::element_type;
using isa::error_code;
using isa::pointwise_command;
using isa::pointwise_operation;

constexpr isa::mode_sizes pointwise_device{4, 5, 6};

pointwise_command fine_pointwise_command(pointwise_operation operation, element_type format = element_type::f64)
{
    pointwise_command c;
    c.operation = operation;
    c.x = isa::dense_descriptor(0x1000, format, {4, 5, 6});
    c.y = isa::dense_descriptor(0x2000, format, {4, 5, 6});
    if (c.has_operand()) { c.operand = isa::dense_descriptor(0x3000, format, {4, 5, 6}); }
    return c;
}

TEST(pointwise_encoding, has_the_documented_bytes)
{
    auto c = fine_pointwise_command(pointwise_operation::add);
    c.shift = 7;
    c.reserved = {1, 2, 3, 4, 5, 6};
    c.value = {-2.5, 1}; // 0xc004000000000000, 0x3ff0000000000000
    c.completion_address = 0x0102030405060708;
    const auto all = c.encode();
    ASSERT_EQ(all.size(), 368u);
    const std::vector<std::uint8_t> head{2, 7, 1, 2, 3, 4, 5,    6,    0, 0, 0, 0, 0, 0, 4, 0xc0,
                                         0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 8, 7, 6, 5, 4, 3, 2, 1};
    EXPECT_EQ(std::vector<std::uint8_t>(all.begin(), all.begin() + 32), head);
    for (const auto& [at, base] : {std::pair{32u, 0x10}, {144u, 0x20}, {256u, 0x30}}) {
        const auto d = isa::tensor_descriptor::decode(all.data() + at);
        EXPECT_EQ(d.base, static_cast<std::uint64_t>(base) << 8);
        EXPECT_EQ(d.size[2], 6u);
    }
    c.flags = pointwise_command::flag_hold_result;
    const auto again = pointwise_command::decode(c.flags, all.data());
    EXPECT_EQ(again.encode(), all);
    EXPECT_TRUE(again.hold_result() && !again.keep_tensor() && !again.esop());
}

TEST(pointwise_check, every_operation_is_taken_in_every_format_that_has_it)
{
    for (auto format : {element_type::f64, element_type::f32, element_type::c128, element_type::c64, element_type::bf16,
                        element_type::int8}) {
        for (unsigned o = 1; o <= 5; ++o) {
            const auto operation = static_cast<pointwise_operation>(o);
            auto c = fine_pointwise_command(operation, format);
            const bool refused = operation == pointwise_operation::relu && base::is_complex(format);
            EXPECT_EQ(check(c, pointwise_device, format).has_value(), refused) << o;
            c.y.type = static_cast<std::uint8_t>(base::accumulator_type(format));
            EXPECT_EQ(check(c, pointwise_device, format).has_value(), refused) << o;
        }
    }
}

TEST(pointwise_check, tensors_in_the_device_are_taken)
{
    auto c = fine_pointwise_command(pointwise_operation::multiply);
    c.flags = pointwise_command::flag_keep_tensor | pointwise_command::flag_hold_result |
              pointwise_command::flag_keep_operand;
    c.x.base = c.y.base = c.operand.base = 0;
    EXPECT_FALSE(check(c, pointwise_device, element_type::f64));
}

TEST(pointwise_check, values_are_those_that_elements_can_have)
{
    const auto taken = [](element_type format, double re, double im = 0) {
        auto c = fine_pointwise_command(pointwise_operation::scale, format);
        c.value = {re, im};
        return !check(c, pointwise_device, format);
    };
    EXPECT_TRUE(taken(element_type::f64, -std::numeric_limits<double>::max()));
    EXPECT_TRUE(taken(element_type::f32, 0x1.fffffefffffffp127)); // rounds to the largest float
    EXPECT_FALSE(taken(element_type::f32, 0x1.ffffffp127));
    EXPECT_TRUE(taken(element_type::bf16, -0x1.fefffffffffffp127));
    EXPECT_FALSE(taken(element_type::bf16, -0x1.ffp127));
    EXPECT_TRUE(taken(element_type::c64, 1, -2));
    EXPECT_FALSE(taken(element_type::c64, 1, 1e39));
    EXPECT_TRUE(taken(element_type::c128, 1e39, 1e39));
    EXPECT_FALSE(taken(element_type::f64, 1, 1e-9));
    EXPECT_TRUE(taken(element_type::int8, -128));
    EXPECT_TRUE(taken(element_type::int8, 127));
    EXPECT_FALSE(taken(element_type::int8, 128));
    EXPECT_FALSE(taken(element_type::int8, -129));
    EXPECT_FALSE(taken(element_type::int8, 0.5));
}

TEST(pointwise_check, shifts_of_integers_reach_31)
{
    auto c = fine_pointwise_command(pointwise_operation::relu, element_type::int8);
    c.shift = 31;
    EXPECT_FALSE(check(c, pointwise_device, element_type::int8));
    c.shift = 32;
    EXPECT_EQ(check(c, pointwise_device, element_type::int8)->code, error_code::bad_field);
}

struct refused_pointwise {
    const char* name;
    error_code code;
    pointwise_operation operation;
    std::function<void(pointwise_command&)> change;
    std::string text; // a part of it
};
void PrintTo(const refused_pointwise& r, std::ostream* out) { *out << r.name; }

class refused_pointwise_command : public testing::TestWithParam<refused_pointwise> {};

TEST_P(refused_pointwise_command, has_its_code_and_says_why)
{
    auto c = fine_pointwise_command(GetParam().operation);
    GetParam().change(c);
    const auto refused = check(c, pointwise_device, element_type::f64);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->code, GetParam().code);
    EXPECT_THAT(refused->text, testing::HasSubstr(GetParam().text));
}

constexpr auto multiply = pointwise_operation::multiply;
constexpr auto scale = pointwise_operation::scale;
constexpr auto threshold = pointwise_operation::threshold;
constexpr auto relu = pointwise_operation::relu;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

INSTANTIATE_TEST_SUITE_P(
    pointwise, refused_pointwise_command,
    testing::Values(
        refused_pointwise{"unknown_flag", error_code::bad_command, relu, [](auto& c) { c.flags = 0x40; }, "flags"},
        refused_pointwise{"operation_0", error_code::bad_field, relu, [](auto& c) { c.operation = {}; }, "operation 0"},
        refused_pointwise{"operation_6", error_code::bad_field, relu,
                          [](auto& c) { c.operation = static_cast<pointwise_operation>(6); }, "operation 6"},
        refused_pointwise{"reserved", error_code::bad_field, relu, [](auto& c) { c.reserved[5] = 1; }, "reserved"},
        refused_pointwise{"shift", error_code::bad_field, relu, [](auto& c) { c.shift = 1; }, "shift 1"},
        refused_pointwise{"value_of_relu", error_code::bad_field, relu, [](auto& c) { c.value[0] = 1; }, "without one"},
        refused_pointwise{"value_of_multiply", error_code::bad_field, multiply, [](auto& c) { c.value[1] = 1; },
                          "without one"},
        refused_pointwise{"nan", error_code::bad_field, scale, [](auto& c) { c.value[0] = nan; }, "finite"},
        refused_pointwise{"infinity", error_code::bad_field, threshold, [](auto& c) { c.value[0] = infinity; },
                          "finite"},
        refused_pointwise{"imaginary", error_code::bad_field, threshold, [](auto& c) { c.value[1] = 1; }, "imaginary"},
        refused_pointwise{"negative", error_code::bad_field, threshold, [](auto& c) { c.value[0] = -1; }, "negative"},
        refused_pointwise{"no_operand", error_code::bad_descriptor, multiply, [](auto& c) { c.operand = {}; },
                          "operand is missing"},
        refused_pointwise{"operand_of_relu", error_code::bad_field, relu, [](auto& c) { c.operand = c.x; }, "not used"},
        refused_pointwise{"operand_of_another_size", error_code::bad_field, multiply,
                          [](auto& c) { c.operand.size[1] = 4; }, "operand: size 4 of mode 2 instead of 5"},
        refused_pointwise{"operand_of_another_type", error_code::unsupported_format, multiply,
                          [](auto& c) { c.operand.type = static_cast<std::uint8_t>(element_type::f32); }, "operand"},
        refused_pointwise{"kept_operand_of_relu", error_code::bad_field, relu,
                          [](auto& c) { c.flags = pointwise_command::flag_keep_operand; }, "without one"},
        refused_pointwise{"held_operand_of_scale", error_code::bad_field, scale,
                          [](auto& c) { c.flags = pointwise_command::flag_hold_operand; }, "without one"},
        refused_pointwise{"kept_operand_with_a_place", error_code::bad_field, multiply,
                          [](auto& c) { c.flags = pointwise_command::flag_keep_operand; }, "base is not 0"},
        refused_pointwise{"x_of_another_type", error_code::unsupported_format, relu,
                          [](auto& c) { c.x.type = static_cast<std::uint8_t>(element_type::f32); }, "X"},
        refused_pointwise{"no_x", error_code::bad_descriptor, relu, [](auto& c) { c.x = {}; }, "X is missing"},
        refused_pointwise{"x_of_order_2", error_code::bad_descriptor, relu,
                          [](auto& c) {
                              c.x = isa::dense_descriptor(0x1000, element_type::f64, {4, 5});
                          },
                          "order 2"},
        refused_pointwise{"larger_than_the_device", error_code::bad_field, relu,
                          [](auto& c) { c.x.size[2] = c.y.size[2] = 7; }, "size 7 of mode 3, at most 6"},
        refused_pointwise{"y_of_another_size", error_code::bad_field, relu, [](auto& c) { c.y.size[0] = 3; },
                          "Y: size 3 of mode 1 instead of 4"},
        refused_pointwise{"y_of_another_type", error_code::unsupported_format, relu,
                          [](auto& c) { c.y.type = static_cast<std::uint8_t>(element_type::c128); }, "Y"},
        refused_pointwise{"no_y", error_code::bad_descriptor, relu, [](auto& c) { c.y = {}; }, "Y is missing"},
        refused_pointwise{"kept_x_with_a_place", error_code::bad_field, relu,
                          [](auto& c) { c.flags = pointwise_command::flag_keep_tensor; }, "X lies in the device"},
        refused_pointwise{"kept_x_with_other_strides", error_code::bad_field, relu,
                          [](auto& c) {
                              c.flags = pointwise_command::flag_keep_tensor;
                              c.x.base = 0;
                              c.x.stride[0] = 31;
                          },
                          "stride 31 of mode 1 instead of 30"},
        refused_pointwise{"held_y_with_a_place", error_code::bad_field, relu,
                          [](auto& c) { c.flags = pointwise_command::flag_hold_result; }, "Y lies in the device"},
        refused_pointwise{"completion_outside_of_64_bits", error_code::bad_field, relu,
                          [](auto& c) {
                              c.flags = pointwise_command::flag_completion;
                              c.completion_address = UINT64_MAX - 2;
                          },
                          "completion address"}),
    testing::PrintToStringParamName());

} // namespace
} // namespace tensorloom::test
