// Every reason for which a GEMT command is refused, one change to a fine command at a time.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <ostream>
#include <string>
#include <gmock/gmock.h>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include "gemt_case.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using isa::error_code;
using triada::gemt_command;

constexpr auto f64 = element_type::f64;
const triada::gemt_limits case_device{case_mesh, f64, 40};

TEST(gemt_check, fine_command_is_taken) { EXPECT_FALSE(check(fine_gemt_command(), case_device)); }

TEST(gemt_check, every_order_of_modes_is_taken)
{
    std::array<std::uint8_t, 3> order{1, 2, 3};
    do {
        auto c = fine_gemt_command();
        c.order = order;
        EXPECT_FALSE(check(c, case_device));
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST(gemt_check, accumulation_onto_an_initial_y_is_taken)
{
    auto c = fine_gemt_command();
    c.flags = gemt_command::flag_accumulate;
    c.initial_y = isa::dense_descriptor(0x6000, f64, {2, 3, 6});
    EXPECT_FALSE(check(c, case_device));
}

TEST(gemt_check, kept_matrices_are_taken)
{
    auto c = fine_gemt_command();
    c.flags = gemt_command::flag_keep_matrices;
    c.matrix = {};
    EXPECT_FALSE(check(c, case_device));
}

TEST(gemt_check, sizes_of_the_whole_mesh_are_taken)
{
    auto c = fine_gemt_command();
    c.x = c.y = isa::dense_descriptor(0x1000, f64, {4, 5, 6});
    c.matrix[0] = isa::dense_descriptor(0x3000, f64, {4, 4});
    c.matrix[1] = isa::dense_descriptor(0x4000, f64, {5, 5});
    EXPECT_FALSE(check(c, case_device));
}

// One time-step for each element of the output: a mesh of one cell, one row.
TEST(gemt_check, as_many_time_steps_as_32_bits_count_are_taken)
{
    gemt_command c;
    c.stage_mask = 1;
    c.order = {1, 2, 3};
    c.matrix[0] = isa::dense_descriptor(0, f64, {1, 1});
    c.x = c.y = isa::dense_descriptor(0, f64, {1, 65535, 65537});
    EXPECT_FALSE(check(c, {{1, 1, 1}, f64, 40}));
    c.x = c.y = isa::dense_descriptor(0, f64, {1, 65536, 65536});
    const auto refused = check(c, {{1, 1, 1}, f64, 40});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->code, error_code::too_large);
    EXPECT_EQ(refused->text, "4294967296 time-steps, at most 4294967295");
}

TEST(gemt_check, rectangular_matrices_are_taken)
{
    auto c = fine_gemt_command();
    c.y = isa::dense_descriptor(0x2000, f64, {4, 1, 5});
    c.matrix[0] = isa::dense_descriptor(0x3000, f64, {2, 4});
    c.matrix[1] = isa::dense_descriptor(0x4000, f64, {3, 1});
    c.matrix[2] = isa::dense_descriptor(0x5000, f64, {6, 5});
    EXPECT_FALSE(check(c, case_device));
}

TEST(gemt_check, every_mask_is_taken_without_the_matrices_that_it_leaves_out)
{
    for (std::uint8_t mask = 1; mask <= 7; ++mask) {
        auto c = fine_gemt_command();
        c.stage_mask = mask;
        for (unsigned stage = 0; stage < 3; ++stage) {
            if ((mask >> stage & 1) == 0) { c.matrix[c.order[stage] - 1u] = {}; }
        }
        EXPECT_FALSE(check(c, case_device)) << unsigned{mask};
    }
}

TEST(gemt_check, double_buffering_and_an_unused_workspace_are_taken)
{
    auto c = fine_gemt_command();
    c.flags = gemt_command::flag_double_buffer;
    c.workspace = isa::dense_descriptor(0x6000, f64, {1});
    EXPECT_FALSE(check(c, case_device));
}

TEST(gemt_check, y_of_a_narrow_format_is_of_elements_or_of_sums)
{
    for (auto [format, sums] :
         {std::pair{element_type::bf16, element_type::f32}, std::pair{element_type::int8, element_type::int32}}) {
        auto c = fine_gemt_command();
        for (auto* d : {&c.x, &c.y, &c.matrix[0], &c.matrix[1], &c.matrix[2]}) {
            d->type = static_cast<std::uint8_t>(format);
        }
        const triada::gemt_limits device{case_mesh, format, 40};
        EXPECT_FALSE(check(c, device));
        c.y.type = static_cast<std::uint8_t>(sums);
        EXPECT_FALSE(check(c, device));
        c.flags = gemt_command::flag_accumulate;
        c.initial_y = isa::dense_descriptor(0x6000, sums, {2, 3, 6});
        EXPECT_FALSE(check(c, device));
        c.initial_y.type = static_cast<std::uint8_t>(format);
        EXPECT_EQ(check(c, device)->code, error_code::unsupported_format);
    }
}

TEST(gemt_check, shifts_of_integers_reach_31)
{
    auto c = fine_gemt_command();
    for (auto* d : {&c.x, &c.y, &c.matrix[0], &c.matrix[1], &c.matrix[2]}) {
        d->type = static_cast<std::uint8_t>(element_type::int8);
    }
    c.shifts = {31, 0, 1};
    EXPECT_FALSE(check(c, {case_mesh, element_type::int8, 40}));
    c.shifts[2] = 32;
    EXPECT_EQ(check(c, {case_mesh, element_type::int8, 40})->code, error_code::bad_field);
    c.shifts = {0, 4, 0};
    c.stage_mask = 5;
    c.matrix[0] = {};
    EXPECT_THAT(check(c, {case_mesh, element_type::int8, 40})->text, testing::HasSubstr("does not run"));
}

// 7 x 3 x 6 on 4 x 5 x 6: two intermediate tensors of that size.
gemt_command large_gemt_command()
{
    auto c = fine_gemt_command();
    c.x = isa::dense_descriptor(0x1000, f64, {5, 3, 6});
    c.y = isa::dense_descriptor(0x2000, f64, {7, 3, 6});
    c.matrix[0] = isa::dense_descriptor(0x3000, f64, {5, 7});
    c.workspace = isa::dense_descriptor(0x6000, f64, {5 * 3 * 6 + 7 * 3 * 6}); // order 3, 1, 2
    return c;
}

TEST(gemt_check, product_larger_than_the_mesh_is_taken_with_its_workspace)
{
    auto c = large_gemt_command();
    EXPECT_FALSE(check(c, case_device));
    c.workspace.base = UINT64_MAX - 8 * 216 + 1;
    EXPECT_FALSE(check(c, case_device));
    c.workspace.size[0] = 1000;
    c.workspace.base = 0x6000;
    EXPECT_FALSE(check(c, case_device));
}

TEST(gemt_check, one_stage_larger_than_the_mesh_needs_no_workspace)
{
    auto c = large_gemt_command();
    c.stage_mask = 2;
    c.matrix[1] = c.matrix[2] = c.workspace = {};
    EXPECT_FALSE(check(c, case_device));
}

TEST(gemt_check, workspace_of_more_than_64_bits_is_refused)
{
    auto c = fine_gemt_command();
    c.order = {1, 2, 3};
    c.x = isa::dense_descriptor(0, f64, {1, 1u << 20, 1u << 20});
    c.x.stride[1] = c.x.stride[2] = 0; // one element, many times
    c.y = isa::dense_descriptor(0, f64, {1u << 30, 1, 1});
    c.matrix[0] = isa::dense_descriptor(0, f64, {1, 1u << 30});
    c.matrix[1] = c.matrix[2] = isa::dense_descriptor(0, f64, {1u << 20, 1});
    c.workspace = isa::dense_descriptor(0, f64, {UINT32_MAX});
    EXPECT_THAT(check(c, {case_mesh, f64, 1u << 30})->text, testing::HasSubstr("18446744073709551615"));
}

TEST(gemt_check, last_addresses_of_all_are_taken)
{
    auto c = fine_gemt_command();
    c.flags = gemt_command::flag_completion;
    c.completion_address = UINT64_MAX - 3;
    c.row_order_address = {UINT64_MAX - 7, UINT64_MAX - 11, UINT64_MAX - 23};
    EXPECT_FALSE(check(c, case_device));
}

TEST(gemt_check, completion_address_is_free_without_its_flag)
{
    auto c = fine_gemt_command();
    c.completion_address = UINT64_MAX;
    EXPECT_FALSE(check(c, case_device));
}

struct refused_case {
    std::string name;
    error_code code;
    std::string text; // part of the refusal
    std::function<void(gemt_command&)> change;
};

void PrintTo(const refused_case& c, std::ostream* out) { *out << c.name; }

class gemt_check_error : public testing::TestWithParam<refused_case> {};

TEST_P(gemt_check_error, has_its_code_and_text)
{
    auto c = fine_gemt_command();
    GetParam().change(c);
    const auto refused = check(c, case_device);
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
        {"unknown_flag_15", error_code::bad_command, "flags", [](gemt_command& g) { g.flags = 1u << 15; }},
        {"order_with_mode_0", error_code::bad_field, "order", order(0, 1, 2)},
        {"order_with_mode_4", error_code::bad_field, "order", order(4, 1, 2)},
        {"order_with_mode_255", error_code::bad_field, "order", order(1, 2, 255)},
        {"order_that_repeats", error_code::bad_field, "order", order(1, 2, 2)},
        {"stage_mask_0", error_code::bad_field, "stage", [](gemt_command& g) { g.stage_mask = 0; }},
        {"stage_mask_8", error_code::bad_field, "stage", [](gemt_command& g) { g.stage_mask = 8; }},
        {"stage_mask_255", error_code::bad_field, "stage", [](gemt_command& g) { g.stage_mask = 255; }},
        {"shift_of_a_real_format", error_code::bad_field, "shift 1 of stage 1",
         [](gemt_command& g) { g.shifts[0] = 1; }},
        {"shift_of_128", error_code::bad_field, "shift 128 of stage 3", [](gemt_command& g) { g.shifts[2] = 128; }},
        {"more_partials_than_a_cell_has", error_code::too_large, "3 results share an operand, at most 2",
         [](gemt_command& g) { g.partials = 3; }},
        {"negative_threshold", error_code::bad_field, "threshold", threshold(-1e-300)},
        {"infinite_threshold", error_code::bad_field, "threshold", threshold(std::numeric_limits<double>::infinity())},
        {"threshold_not_a_number", error_code::bad_field, "threshold", threshold(std::nan(""))},
        {"row_order_for_kept_matrices", error_code::bad_field, "row order",
         [](gemt_command& g) {
             g.flags = gemt_command::flag_keep_matrices;
             g.matrix = {};
             g.row_order_address[2] = 0x100;
         }},
        {"row_order_of_a_mode_that_is_not_summed", error_code::bad_field, "row order of mode 3",
         [](gemt_command& g) {
             g.stage_mask = 6;
             g.matrix[2] = {};
             g.row_order_address[2] = 0x100;
         }},
        {"matrix_of_a_mode_that_is_not_summed", error_code::bad_field, "C1 is given",
         [](gemt_command& g) { g.stage_mask = 5; }},
        {"size_of_a_mode_that_is_not_summed", error_code::bad_field, "mode 2, which is not summed",
         [](gemt_command& g) {
             g.stage_mask = 3;
             g.matrix[1] = {};
             g.y.size[1] = 2;
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
INSTANTIATE_TEST_SUITE_P(field, gemt_check_error, testing::ValuesIn(field_cases()), case_name);

// Tensors that stay in the cells, or pass between them and the memory beside the work.
std::vector<refused_case> staying_cases()
{
    using gemt = gemt_command;
    std::vector<refused_case> all;
    const auto add = [&](const std::string& name, const char* text, unsigned flags, auto change,
                         error_code code = error_code::bad_field) {
        all.push_back({name, code, text, [flags, change](gemt_command& g) {
                           g.flags = static_cast<std::uint16_t>(flags);
                           if (!g.loads_x()) { g.x.base = 0; }
                           if (g.hold_result()) { g.y.base = 0; }
                           if (g.load_next()) { g.workspace = isa::dense_descriptor(0x6000, f64, {4, 5, 6}); }
                           if (g.store_previous()) { g.initial_y = isa::dense_descriptor(0x7000, f64, {4, 5, 6}); }
                           change(g);
                       }});
    };
    const auto nothing = [](gemt_command&) {};
    const auto larger_than_the_mesh = [](gemt_command& g) {
        g.x = isa::dense_descriptor(g.x.base, f64, {5, 3, 6});
        g.y = isa::dense_descriptor(g.y.base, f64, {5, 3, 6});
        g.matrix[0] = isa::dense_descriptor(0x3000, f64, {5, 5});
        if (!g.load_next()) { g.workspace = isa::dense_descriptor(0x8000, f64, {1000}); }
    };
    add("x_kept_and_taken", "both the held tensor and the next one", gemt::flag_keep_tensor | gemt::flag_take_next,
        nothing);
    add("x_kept_and_stored", "both X and stored", gemt::flag_keep_tensor | gemt::flag_store_previous, nothing);
    for (const unsigned flag : {gemt::flag_keep_tensor, gemt::flag_take_next}) {
        const bool keep = flag == gemt::flag_keep_tensor;
        add(keep ? "kept_x_with_a_place" : "taken_x_with_a_place", "X lies in the device: its base is not 0", flag,
            [](gemt_command& g) { g.x.base = 8; });
        add(keep ? "kept_x_with_gaps" : "taken_x_with_gaps", "X lies in the device: stride 19 of mode 1 instead of 18",
            flag, [](gemt_command& g) { g.x.stride[0] = 19; });
    }
    add("held_y_with_a_place", "Y lies in the device: its base is not 0", gemt::flag_hold_result,
        [](gemt_command& g) { g.y.base = 8; });
    add("held_y_with_gaps", "Y lies in the device: stride 7 of mode 2 instead of 6", gemt::flag_hold_result,
        [](gemt_command& g) { g.y.stride[1] = 7; });
    add(
        "next_x_missing", "next X is missing", gemt::flag_load_next, [](gemt_command& g) { g.workspace = {}; },
        error_code::bad_descriptor);
    add(
        "next_x_of_order_2", "next X: order 2 instead of 3", gemt::flag_load_next,
        [](gemt_command& g) {
            g.workspace = isa::dense_descriptor(0x6000, f64, {2, 2});
        },
        error_code::bad_descriptor);
    add(
        "next_x_of_another_format", "next X is not f64", gemt::flag_load_next,
        [](gemt_command& g) { g.workspace.type = static_cast<std::uint8_t>(element_type::f32); },
        error_code::unsupported_format);
    add("next_x_larger_than_the_mesh", "next X: size 6 of mode 2, at most 5", gemt::flag_load_next,
        [](gemt_command& g) {
            g.workspace = isa::dense_descriptor(0x6000, f64, {4, 6, 6});
        });
    add("previous_y_and_initial_y", "both stored and added to", gemt::flag_store_previous | gemt::flag_accumulate,
        [](gemt_command& g) { g.initial_y = g.y; });
    add(
        "previous_y_missing", "previous Y is missing", gemt::flag_store_previous,
        [](gemt_command& g) { g.initial_y = {}; }, error_code::bad_descriptor);
    add(
        "previous_y_of_another_format", "previous Y is not f64", gemt::flag_store_previous,
        [](gemt_command& g) { g.initial_y.type = static_cast<std::uint8_t>(element_type::f32); },
        error_code::unsupported_format);
    static constexpr const char* too_large[] = {"keeping", "holding", "taking", "loading", "storing"};
    for (unsigned i = 0; i < 5; ++i) {
        add(std::string("larger_than_the_mesh_and_") + too_large[i], "a product larger than the mesh",
            gemt::flag_keep_tensor << i, larger_than_the_mesh);
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(staying, gemt_check_error, testing::ValuesIn(staying_cases()), case_name);

TEST(gemt_check, tensors_may_stay_in_the_cells_or_move_beside_the_work)
{
    using gemt = gemt_command;
    for (const unsigned from : {0u, unsigned{gemt::flag_keep_tensor}, unsigned{gemt::flag_take_next}}) {
        for (const unsigned others : {0u, unsigned{gemt::flag_hold_result}, unsigned{gemt::flag_load_next},
                                      0u | gemt::flag_hold_result | gemt::flag_load_next | gemt::flag_store_previous}) {
            auto c = fine_gemt_command();
            c.flags = static_cast<std::uint16_t>(from | others);
            if (c.store_previous() && c.keep_tensor()) { continue; }
            if (!c.loads_x()) { c.x.base = 0; }
            if (c.hold_result()) { c.y.base = 0; }
            if (c.load_next()) { c.workspace = isa::dense_descriptor(0x6000, f64, {4, 1, 6}); }
            if (c.store_previous()) { c.initial_y = isa::dense_descriptor(0x7000, f64, {1, 5, 6}); }
            EXPECT_FALSE(check(c, case_device)) << c.flags;
        }
    }
}

/// A descriptor of a command, and how the refusals call it.
struct operand {
    const char* name;
    const char* text;
    isa::tensor_descriptor& (*of)(gemt_command&);
    unsigned order;
};

isa::tensor_descriptor& x_of(gemt_command& g) { return g.x; }
isa::tensor_descriptor& y_of(gemt_command& g) { return g.y; }
isa::tensor_descriptor& initial_y_of(gemt_command& g)
{
    if (!g.accumulate()) {
        g.flags |= gemt_command::flag_accumulate;
        g.initial_y = isa::dense_descriptor(0x6000, f64, {2, 3, 6});
    }
    return g.initial_y;
}
template <unsigned mode> isa::tensor_descriptor& matrix_of(gemt_command& g) { return g.matrix[mode]; }

constexpr operand operands[] = {
    {"x", "X", x_of, 3},           {"y", "Y", y_of, 3},           {"initial_y", "initial Y", initial_y_of, 3},
    {"c1", "C1", matrix_of<0>, 2}, {"c2", "C2", matrix_of<1>, 2}, {"c3", "C3", matrix_of<2>, 2}};

std::vector<refused_case> descriptor_cases()
{
    std::vector<refused_case> all;
    for (const auto& o : operands) {
        const auto add = [&](const char* name, error_code code, const std::string& text, auto change) {
            all.push_back(
                {std::string(o.name) + name, code, o.text + text, [o, change](gemt_command& g) { change(o.of(g)); }});
        };
        using descriptor = isa::tensor_descriptor;
        constexpr auto bad = error_code::bad_descriptor;
        add("_missing", bad, " is missing", [](descriptor& d) { d = {}; });
        add("_of_order_0_but_not_absent", bad, ": order 0", [](descriptor& d) { d.order = 0; });
        add("_with_reserved_bytes", bad, ": reserved", [](descriptor& d) { d.reserved = 0x80; });
        add("_with_a_size_past_the_order", bad, ": size or stride of mode 4", [](descriptor& d) { d.size[3] = 1; });
        add("_of_order_9", bad, ": order", [](descriptor& d) { d.order = 9; });
        add("_of_another_order", bad, ": order 4 instead of ", [](descriptor& d) {
            d = isa::dense_descriptor(0x100, f64, {2, 3, 6, 1});
        });
        add("_of_unknown_type", bad, ": element type", [](descriptor& d) { d.type = 10; });
        add("_of_another_format", error_code::unsupported_format, " is not f64",
            [](descriptor& d) { d.type = static_cast<std::uint8_t>(element_type::f32); });
        add("_outside_of_64_bits", bad, ": addresses", [](descriptor& d) { d.base = UINT64_MAX - 7; });
        add("_of_size_zero", bad, ": size", [](descriptor& d) { d.size[1] = 0; });
    }
    for (const auto& o : operands) {
        if (o.order == 3 && o.of != initial_y_of) { continue; } // sizes of X and Y are what the others must agree with
        all.push_back({std::string(o.name) + "_of_another_size", error_code::bad_field, std::string(o.text) + ": size",
                       [o](gemt_command& g) { o.of(g).size[o.order - 1] -= 1; }});
    }
    all.push_back({"initial_y_not_used", error_code::bad_field, "initial Y is given but not used",
                   [](gemt_command& g) { g.initial_y = g.y; }});
    for (unsigned m = 0; m < 3; ++m) {
        const std::string number = std::to_string(m + 1);
        all.push_back(
            {"c" + number + "_given_and_kept", error_code::bad_field, "C" + number + " is given", [m](gemt_command& g) {
                 const auto given = g.matrix[m];
                 g.flags = gemt_command::flag_keep_matrices;
                 g.matrix = {};
                 g.matrix[m] = given;
             }});
        all.push_back({"c" + number + "_larger_than_its_actuator", error_code::too_large,
                       "C" + number + ": 1 x 41 elements exceed the actuator's 40", [m](gemt_command& g) {
                           g.x.size[m] = 1;
                           g.y.size[m] = 41;
                           g.matrix[m] = isa::dense_descriptor(0x3000, f64, {1, 41});
                       }});
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(descriptor, gemt_check_error, testing::ValuesIn(descriptor_cases()), case_name);

std::vector<refused_case> workspace_cases()
{
    std::vector<refused_case> all;
    const auto add = [&](const char* name, error_code code, const char* text, auto change) {
        all.push_back({name, code, text, [change](gemt_command& g) {
                           g = large_gemt_command();
                           change(g.workspace);
                       }});
    };
    using descriptor = isa::tensor_descriptor;
    add("missing", error_code::bad_descriptor, "workspace is missing, 216 elements expected",
        [](descriptor& d) { d = {}; });
    add("too_small", error_code::bad_field, "workspace: size 215, at least 216 elements expected",
        [](descriptor& d) { --d.size[0]; });
    add("of_another_format", error_code::unsupported_format, "workspace is not f64",
        [](descriptor& d) { d.type = static_cast<std::uint8_t>(element_type::f32); });
    add("of_order_2", error_code::bad_descriptor, "workspace: order 2 instead of 1", [](descriptor& d) {
        d = isa::dense_descriptor(0x6000, f64, {2, 108});
    });
    add("with_gaps", error_code::bad_field, "workspace: stride 2 instead of 1", [](descriptor& d) { d.stride[0] = 2; });
    add("malformed", error_code::bad_descriptor, "workspace: reserved", [](descriptor& d) { d.reserved = 1; });
    return all;
}
INSTANTIATE_TEST_SUITE_P(workspace, gemt_check_error, testing::ValuesIn(workspace_cases()), case_name);

TEST(gemt_check, workspace_that_is_not_needed_is_checked_all_the_same)
{
    auto c = fine_gemt_command();
    c.workspace = c.y;
    EXPECT_THAT(check(c, case_device)->text, testing::HasSubstr("workspace: order 3 instead of 1"));
}

} // namespace
} // namespace tensorloom::test
