// Every reason for which a GEMT command is refused, one change to a fine command at a time.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <gmock/gmock.h>
#include <tensorloom/models/arch/gemt_command.h>
#include "gemt_case.h"

namespace tensorloom::test {
namespace {

using arch::element_type;
using arch::error_code;
using arch::gemt_command;

constexpr auto f64 = element_type::f64;

TEST(gemt_check, fine_command_is_taken) { EXPECT_FALSE(check(fine_gemt_command(), case_mesh, f64)); }

TEST(gemt_check, every_order_of_modes_is_taken)
{
    std::array<std::uint8_t, 3> order{1, 2, 3};
    do {
        auto c = fine_gemt_command();
        c.order = order;
        EXPECT_FALSE(check(c, case_mesh, f64));
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(gemt_check, accumulation_onto_an_initial_y_is_taken)
{
    auto c = fine_gemt_command();
    c.flags = gemt_command::flag_accumulate;
    c.initial_y = arch::dense_descriptor(0x6000, f64, {2, 3, 6});
    EXPECT_FALSE(check(c, case_mesh, f64));
}

TEST(gemt_check, kept_matrices_are_taken)
{
    auto c = fine_gemt_command();
    c.flags = gemt_command::flag_keep_matrices;
    c.matrix = {};
    EXPECT_FALSE(check(c, case_mesh, f64));
}

TEST(gemt_check, sizes_of_the_whole_mesh_are_taken)
{
    auto c = fine_gemt_command();
    c.x = c.y = arch::dense_descriptor(0x1000, f64, {4, 5, 6});
    c.matrix[0] = arch::dense_descriptor(0x3000, f64, {4, 4});
    c.matrix[1] = arch::dense_descriptor(0x4000, f64, {5, 5});
    EXPECT_FALSE(check(c, case_mesh, f64));
}

TEST(gemt_check, last_addresses_of_all_are_taken)
{
    auto c = fine_gemt_command();
    c.flags = gemt_command::flag_completion;
    c.completion_address = UINT64_MAX - 3;
    c.row_order_address = {UINT64_MAX - 7, UINT64_MAX - 11, UINT64_MAX - 23};
    EXPECT_FALSE(check(c, case_mesh, f64));
}

TEST(gemt_check, completion_address_is_free_without_its_flag)
{
    auto c = fine_gemt_command();
    c.completion_address = UINT64_MAX;
    EXPECT_FALSE(check(c, case_mesh, f64));
}

struct refused_case {
    std::string name;
    error_code code;
    std::string text; // part of the refusal
    std::function<void(gemt_command&)> change;
};

void PrintTo(const refused_case& c, std::ostream* out) { *out << c.name; }

class gemt_refusal : public testing::TestWithParam<refused_case> {};

TEST_P(gemt_refusal, has_its_code_and_text)
{
    auto c = fine_gemt_command();
    GetParam().change(c);
    const auto refused = check(c, case_mesh, f64);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->code, GetParam().code);
    EXPECT_THAT(refused->text, testing::HasSubstr(GetParam().text));
}

std::string case_name(const testing::TestParamInfo<refused_case>& info) { return info.param.name; }

std::vector<refused_case> field_cases()
{
    const auto order = [](std::uint8_t a, std::uint8_t b, std::uint8_t c) {
        return [=](gemt_command& g) { g.order = {a, b, c}; };
    };
    const auto threshold = [](double t) { return [=](gemt_command& g) { g.zero_threshold = t; }; };
    return {
        {"unknown_flag_5", error_code::bad_command, "flags", [](gemt_command& g) { g.flags = 1u << 5; }},
        {"unknown_flag_15", error_code::bad_command, "flags", [](gemt_command& g) { g.flags = 1u << 15; }},
        {"double_buffer", error_code::bad_field, "double",
         [](gemt_command& g) { g.flags = gemt_command::flag_double_buffer; }},
        {"order_with_mode_0", error_code::bad_field, "order", order(0, 1, 2)},
        {"order_with_mode_4", error_code::bad_field, "order", order(4, 1, 2)},
        {"order_with_mode_255", error_code::bad_field, "order", order(1, 2, 255)},
        {"order_that_repeats", error_code::bad_field, "order", order(1, 2, 2)},
        {"stage_mask_3", error_code::bad_field, "stage", [](gemt_command& g) { g.stage_mask = 3; }},
        {"stage_mask_255", error_code::bad_field, "stage", [](gemt_command& g) { g.stage_mask = 255; }},
        {"shift_of_mode_1", error_code::bad_field, "shift", [](gemt_command& g) { g.shifts[0] = 1; }},
        {"shift_of_mode_3", error_code::bad_field, "shift", [](gemt_command& g) { g.shifts[2] = 128; }},
        {"reserved_byte", error_code::bad_field, "reserved", [](gemt_command& g) { g.reserved = 0x80; }},
        {"negative_threshold", error_code::bad_field, "threshold", threshold(-1e-300)},
        {"infinite_threshold", error_code::bad_field, "threshold", threshold(std::numeric_limits<double>::infinity())},
        {"threshold_not_a_number", error_code::bad_field, "threshold", threshold(std::nan(""))},
        {"row_order_for_kept_matrices", error_code::bad_field, "row order",
         [](gemt_command& g) {
             g.flags = gemt_command::flag_keep_matrices;
             g.matrix = {};
             g.row_order_address[2] = 0x100;
         }},
        {"row_order_past_the_last_address", error_code::bad_field, "row order",
         [](gemt_command& g) { g.row_order_address[1] = UINT64_MAX - 10; }},
        {"completion_past_the_last_address", error_code::bad_field, "completion",
         [](gemt_command& g) {
             g.flags = gemt_command::flag_completion;
             g.completion_address = UINT64_MAX - 2;
         }},
    };
}
INSTANTIATE_TEST_SUITE_P(field, gemt_refusal, testing::ValuesIn(field_cases()), case_name);

std::vector<refused_case> descriptor_cases()
{
    std::vector<refused_case> all;
    const auto add = [&](std::string name, error_code code, std::string text,
                         std::function<void(gemt_command&)> change) {
        all.push_back({std::move(name), code, std::move(text), std::move(change)});
    };
    struct operand {
        const char* name;
        const char* text;
        std::function<arch::tensor_descriptor&(gemt_command&)> of;
        unsigned order;
    };
    const operand operands[] = {{"x", "X", [](gemt_command & g) -> auto& {return g.x;
}
, 3
} // namespace
, {"y", "Y", [](gemt_command& g) -> auto& {return g.y;
} // namespace tensorloom::test
, 3
}
, {"initial_y", "initial Y",
   [](gemt_command& g) -> auto& {if (!g.accumulate()){g.flags |= gemt_command::flag_accumulate;
g.initial_y = arch::dense_descriptor(0x6000, f64, {2, 3, 6});
}
return g.initial_y;
}
, 3
}
, {"c1", "C1", [](gemt_command& g) -> auto& {return g.matrix[0];
}
, 2
}
, {"c2", "C2", [](gemt_command& g) -> auto& {return g.matrix[1];
}
, 2
}
, {"c3", "C3", [](gemt_command& g) -> auto& {return g.matrix[2];
}
, 2
}
,
}
;
for (const auto& o : operands) {
    const std::string name = o.name;
    const std::string text = o.text;
    add(name + "_missing", error_code::bad_descriptor, text + " is missing", [o](gemt_command& g) { o.of(g) = {}; });
    add(name + "_of_order_0_but_not_absent", error_code::bad_descriptor, text + ": order 0",
        [o](gemt_command& g) { o.of(g).order = 0; });
    add(name + "_with_reserved_bytes", error_code::bad_descriptor, text + ": reserved",
        [o](gemt_command& g) { o.of(g).reserved = 0x80; });
    add(name + "_with_a_size_past_the_order", error_code::bad_descriptor, text + ": size or stride of mode 4",
        [o](gemt_command& g) { o.of(g).size[3] = 1; });
    add(name + "_of_order_9", error_code::bad_descriptor, text + ": order",
        [o](gemt_command& g) { o.of(g).order = 9; });
    add(name + "_of_another_order", error_code::bad_descriptor, text + ": order", [o](gemt_command& g) {
        o.of(g) = arch::dense_descriptor(0x100, f64, {2, 3, 6, 1});
    });
    add(name + "_of_unknown_type", error_code::bad_descriptor, text + ": element type",
        [o](gemt_command& g) { o.of(g).type = 9; });
    add(name + "_of_another_format", error_code::unsupported_format, text + " is not f64",
        [o](gemt_command& g) { o.of(g).type = static_cast<std::uint8_t>(element_type::f32); });
    add(name + "_outside_of_64_bits", error_code::bad_descriptor, text + ": addresses",
        [o](gemt_command& g) { o.of(g).base = UINT64_MAX - 7; });
    add(name + "_of_size_zero", error_code::bad_descriptor, text + ": size",
        [o](gemt_command& g) { o.of(g).size[1] = 0; });
    if (name != "x") {
        add(name + "_of_another_size", error_code::bad_field, text + ": size",
            [o](gemt_command& g) { o.of(g).size[o.order - 1] -= 1; });
    }
}
add("initial_y_not_used", error_code::bad_field, "initial Y", [](gemt_command& g) { g.initial_y = g.y; });
add("workspace_not_used", error_code::bad_field, "workspace", [](gemt_command& g) { g.workspace = g.y; });
for (unsigned m = 0; m < 3; ++m) {
    const std::string name = "c" + std::to_string(m + 1);
    add(name + "_given_and_kept", error_code::bad_field, "C" + std::to_string(m + 1), [m](gemt_command& g) {
        const auto given = g.matrix[m];
        g.flags = gemt_command::flag_keep_matrices;
        g.matrix = {};
        g.matrix[m] = given;
    });
    add("mode_" + std::to_string(m + 1) + "_larger_than_the_mesh", error_code::too_large,
        "mode " + std::to_string(m + 1), [m](gemt_command& g) {
            std::vector<std::uint32_t> size{2, 3, 6};
            size[m] = case_mesh[m] + 1;
            g.x = g.y = arch::dense_descriptor(0x1000, f64, size);
            g.matrix[m] = arch::dense_descriptor(0x3000, f64, {size[m], size[m]});
        });
}
return all;
}
INSTANTIATE_TEST_SUITE_P(descriptor, gemt_refusal, testing::ValuesIn(descriptor_cases()), case_name);

} // namespace
} // namespace tensorloom::test
