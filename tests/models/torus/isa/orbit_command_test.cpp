// The bytes of an ORBIT command, and every reason for which one is refused, one change to a fine command at a time.
#include <tensorloom/models/torus/isa/orbit_command.h>
#include <functional>
#include <ostream>
#include <string>
#include <vector>
#include <gmock/gmock.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/torus/isa/driver.h>
#include <tensorloom/models/torus/isa/orbit_tiles.h>
#include "models/isa/program/register_host.h"
#include "orbit_case.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using isa::error_code;
using testing::ElementsAre;
using torus::direction;
using torus::orbit_command;
using bytes = std::vector<std::uint8_t>;

constexpr auto f64 = element_type::f64;

bytes piece(const bytes& all, std::size_t from, std::size_t length)
{
    return bytes(all.begin() + static_cast<std::ptrdiff_t>(from),
                 all.begin() + static_cast<std::ptrdiff_t>(from + length));
}

// ---- bytes ----

TEST(orbit_encoding, head_has_the_documented_bytes)
{
    orbit_command c;
    c.order = {2, 3, 1};
    c.way = direction::inverse;
    c.vector = {{1, -1, -1}};
    c.left_out = 2;
    c.shifts = {4, 5, 6};
    c.blocks = {{1, 0x203, 3}, {4, 5, 70000}}; // no field has 70000: the largest number
    c.completion_address = 0x0102030405060708;
    const auto all = c.encode();
    ASSERT_EQ(all.size(), 704u);
    EXPECT_THAT(piece(all, 0, 8), ElementsAre(2, 3, 1, 1, 6, 2, 0, 0));
    EXPECT_THAT(piece(all, 8, 12), ElementsAre(1, 0, 3, 2, 3, 0, 4, 0, 5, 0, 0xff, 0xff));
    EXPECT_THAT(piece(all, 20, 12), ElementsAre(4, 5, 6, 0, 8, 7, 6, 5, 4, 3, 2, 1));
}

TEST(orbit_encoding, every_byte_is_read_back)
{
    bytes from(704);
    for (std::size_t i = 0; i < from.size(); ++i) { from[i] = static_cast<std::uint8_t>(37 * i + 11); }
    for (std::uint8_t vector = 0; vector < 8; ++vector) {
        from[4] = vector;
        const auto c = orbit_command::decode(0xabcd, from.data());
        EXPECT_EQ(c.flags, 0xabcd);
        EXPECT_EQ(c.encode(), from);
    }
}

// ---- what is taken ----

TEST(orbit_check, fine_command_is_taken_in_every_order_vector_and_way)
{
    for (const std::array<std::uint8_t, 3> order : {std::array<std::uint8_t, 3>{3, 1, 2}, {1, 2, 3}, {2, 3, 1}}) {
        for (const int sign : {1, -1}) {
            auto c = fine_orbit_command();
            c.order = order;
            c.vector = {{1, sign, -sign}};
            EXPECT_FALSE(check(c, case_torus));
            c.way = direction::inverse;
            std::swap(c.x, c.y);
            EXPECT_FALSE(check(c, case_torus));
        }
    }
}

// In the order 3, 1, 2: without mode 2, then without modes 1 and 2.
orbit_command without_modes(std::uint8_t left_out)
{
    auto c = fine_orbit_command();
    c.left_out = left_out;
    c.y.size[1] = c.x.size[1];
    c.matrix[1] = {};
    if (left_out == 2) {
        c.y.size[0] = c.x.size[0];
        c.matrix[0] = {};
    }
    return c;
}

TEST(orbit_check, modes_that_are_left_out_have_their_size_and_no_matrix)
{
    for (const std::uint8_t left_out : {1, 2}) {
        auto c = without_modes(left_out);
        EXPECT_FALSE(check(c, case_torus));
        EXPECT_EQ(c.stages(), 3u - left_out);
        EXPECT_EQ(c.summed_modes(), left_out == 1 ? (std::vector<unsigned>{2, 0}) : std::vector<unsigned>{2});
        auto device = case_torus; // a block of each matrix: 4 x 4 of mode 3, 2 x 2 of mode 1
        device.coefficient_elements = left_out == 1 ? 20 : 16;
        EXPECT_FALSE(check(c, device));
        --device.coefficient_elements;
        EXPECT_EQ(check(c, device)->code, error_code::too_large);
        c.way = direction::inverse;
        std::swap(c.x, c.y);
        EXPECT_FALSE(check(c, case_torus));
        EXPECT_EQ(c.summed_modes(), left_out == 1 ? (std::vector<unsigned>{0, 2}) : std::vector<unsigned>{2});
        c.flags = orbit_command::flag_keep_tensor;
        c.x = {};
        EXPECT_FALSE(check(c, case_torus));
        c.flags |= orbit_command::flag_hold_result;
        c.y = {};
        EXPECT_THAT(check(c, case_torus)->text, testing::HasSubstr("has neither X nor Y"));
    }
}

TEST(orbit_check, workspace_has_the_results_of_the_stages_that_run)
{
    auto c = without_modes(1);
    c.x = isa::dense_descriptor(0x1000, f64, {5, 5, 8});
    c.matrix[0] = isa::dense_descriptor(0x3000, f64, {5, 4});
    c.workspace = isa::dense_descriptor(0x6000, f64, {5 * 5 * 7});
    EXPECT_FALSE(check(c, case_torus));
    --c.workspace.size[0];
    EXPECT_THAT(check(c, case_torus)->text, testing::HasSubstr("workspace: size 174, at least 175"));
}

TEST(orbit_check, sums_that_are_added_to_are_sums)
{
    auto device = case_torus;
    device.format = element_type::bf16;
    auto c = fine_orbit_command();
    for (auto* d : {&c.x, &c.y, &c.matrix[0], &c.matrix[1], &c.matrix[2]}) {
        d->type = static_cast<std::uint8_t>(element_type::bf16);
    }
    EXPECT_FALSE(check(c, device));
    c.flags = orbit_command::flag_accumulate;
    EXPECT_EQ(check(c, device)->code, error_code::unsupported_format);
    EXPECT_THAT(check(c, device)->text, testing::HasSubstr("Y is not f32"));
    c.y.type = static_cast<std::uint8_t>(element_type::f32);
    EXPECT_FALSE(check(c, device));
    c.flags |= orbit_command::flag_hold_result;
    EXPECT_FALSE(check(c, device));
}

TEST(orbit_check, shifts_are_those_of_stages_that_run)
{
    auto device = case_torus;
    device.format = element_type::int8;
    for (const auto way : {direction::forward, direction::inverse}) {
        auto c = without_modes(1);
        for (auto* d : {&c.x, &c.y, &c.matrix[0], &c.matrix[2]}) { d->type = static_cast<std::uint8_t>(device.format); }
        c.way = way;
        if (way == direction::inverse) { std::swap(c.x, c.y); }
        const bool back = way == direction::inverse;
        for (unsigned stage = 0; stage < 3; ++stage) {
            c.shifts = {};
            c.shifts[stage] = 31;
            const auto refused = check(c, device);
            EXPECT_EQ(refused.has_value(), stage == (back ? 0u : 2u));
            if (refused) { EXPECT_THAT(refused->text, testing::HasSubstr(", which does not run")); }
        }
    }
}

TEST(orbit_check, several_transforms_and_sums_of_narrow_elements_are_taken)
{
    auto c = fine_orbit_command();
    c.x = isa::dense_descriptor(0x1000, f64, {7, 3, 5, 8});
    c.y = isa::dense_descriptor(0x2000, f64, {7, 4, 6, 7});
    c.flags = orbit_command::flag_double_buffer;
    EXPECT_FALSE(check(c, case_torus));
    auto device = case_torus;
    device.format = element_type::bf16;
    for (auto* d : {&c.x, &c.matrix[0], &c.matrix[1], &c.matrix[2]}) {
        d->type = static_cast<std::uint8_t>(element_type::bf16);
    }
    c.y.type = static_cast<std::uint8_t>(element_type::f32);
    EXPECT_FALSE(check(c, device));
}

TEST(orbit_check, tensors_beside_the_work_are_in_the_fields_that_a_held_result_leaves_free)
{
    auto c = fine_orbit_command();
    c.flags = orbit_command::flag_take_next | orbit_command::flag_load_next | orbit_command::flag_store_previous |
              orbit_command::flag_hold_result | orbit_command::flag_keep_matrices;
    c.x = c.matrix[0] = c.matrix[1] = c.matrix[2] = {};
    c.y = isa::dense_descriptor(0x2000, f64, {1, 2, 3}); // of any size: the held tensor's
    c.workspace = isa::dense_descriptor(0x1000, f64, {2, 5, 8});
    EXPECT_FALSE(check(c, case_torus));
    EXPECT_EQ(&c.next_x(), &c.workspace);
    EXPECT_EQ(&c.previous_y(), &c.y);
}

TEST(orbit_check, what_stays_on_the_torus_is_not_given)
{
    auto c = fine_orbit_command();
    c.flags = orbit_command::flag_keep_tensor | orbit_command::flag_hold_result | orbit_command::flag_keep_matrices;
    c.x = c.y = c.matrix[0] = c.matrix[1] = c.matrix[2] = {};
    EXPECT_FALSE(check(c, case_torus));
}

// 5 x 5 x 8 to 4 x 6 x 7 elements: in the order 3, 1, 2 the workspace has 5 x 5 x 7 and 4 x 5 x 7.
orbit_command large_orbit_command()
{
    auto c = fine_orbit_command();
    c.x = isa::dense_descriptor(0x1000, f64, {5, 5, 8});
    c.matrix[0] = isa::dense_descriptor(0x3000, f64, {5, 4});
    c.workspace = isa::dense_descriptor(0x6000, f64, {5 * 5 * 7 + 4 * 5 * 7});
    return c;
}

TEST(orbit_check, larger_tensor_is_taken_with_its_workspace)
{
    auto c = large_orbit_command();
    EXPECT_FALSE(check(c, case_torus));
    c.way = direction::inverse; // sums modes 2, 1, 3
    std::swap(c.x, c.y);
    c.workspace.size[0] = 4 * 5 * 7 + 5 * 5 * 7;
    EXPECT_FALSE(check(c, case_torus));
    --c.workspace.size[0];
    EXPECT_THAT(check(c, case_torus)->text, testing::HasSubstr("workspace: size 314, at least 315"));
}

TEST(orbit_check, coefficients_of_a_node_are_those_of_all_windows)
{
    auto c = large_orbit_command(); // two windows of C1
    auto device = case_torus;
    device.coefficient_elements = 2 * (2 * 2) + 3 * 3 + 4 * 4;
    EXPECT_FALSE(check(c, device));
    --device.coefficient_elements;
    const auto refused = check(c, device);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->code, error_code::too_large);
    EXPECT_EQ(refused->text, "33 coefficients exceed a node's 32");
    EXPECT_EQ(torus::coefficients_of_node({{1, 1, 1}, {1, 1, 1}}, {{UINT32_MAX, 1, 1}, {UINT32_MAX, UINT32_MAX, 1}}, 1),
              std::uint64_t{UINT32_MAX} * UINT32_MAX + UINT32_MAX + 1);
    EXPECT_EQ(torus::coefficients_of_node({{1, 1, 1}, {1, 1, 1}},
                                          {{UINT32_MAX, UINT32_MAX, 1}, {UINT32_MAX, UINT32_MAX, 1}}, 1),
              UINT64_MAX);
}

// ---- what is refused ----

struct refused_case {
    std::string name;
    error_code code;
    std::string text; // part of the refusal
    std::function<void(orbit_command&)> change;
};

void PrintTo(const refused_case& c, std::ostream* out) { *out << c.name; }

class orbit_check_error : public testing::TestWithParam<refused_case> {};

TEST_P(orbit_check_error, has_its_code_and_text)
{
    auto c = fine_orbit_command();
    GetParam().change(c);
    const auto refused = check(c, case_torus);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->code, GetParam().code);
    EXPECT_THAT(refused->text, testing::HasSubstr(GetParam().text));
}

std::string case_name(const testing::TestParamInfo<refused_case>& info) { return info.param.name; }

using change = void (*)(orbit_command&);

const refused_case fields[] = {
    {"unknown_flag", error_code::bad_command, "flags", change([](orbit_command& c) { c.flags = 1u << 9; })},
    {"order_that_repeats", error_code::bad_field, "order", change([](orbit_command& c) {
         c.order = {1, 2, 2};
     })},
    {"order_with_mode_35", error_code::bad_field, "order", change([](orbit_command& c) {
         c.order = {35, 1, 2};
     })},
    {"way_2", error_code::bad_field, "way 2 is not 0 or 1",
     change([](orbit_command& c) { c.way = static_cast<direction>(2); })},
    {"vector_8", error_code::bad_field, "scheduling vector is not 0 to 7", change([](orbit_command& c) {
         auto from = c.encode();
         from[4] = 8;
         c = orbit_command::decode(0, from.data());
     })},
    {"left_out_3", error_code::bad_field, "left_out 3 is not 0, 1 or 2",
     change([](orbit_command& c) { c.left_out = 3; })},
    {"size_of_a_mode_left_out", error_code::bad_field, "Y: size 6 of mode 2, which is not summed, instead of 5",
     change([](orbit_command& c) { c.left_out = 1; })},
    {"matrix_of_a_mode_left_out", error_code::bad_field, "C2", change([](orbit_command& c) {
         c.left_out = 1;
         c.y.size[1] = 5;
     })},
    {"blocks_of_a_mode_left_out", error_code::bad_field, "blocks of 3 and 2 elements along mode 2, which is not summed",
     change([](orbit_command& c) {
         c.left_out = 1;
         c.blocks.out_block[1] = 2;
     })},
    {"reserved_byte", error_code::bad_field, "reserved", change([](orbit_command& c) { c.reserved[1] = 1; })},
    {"another_reserved_byte", error_code::bad_field, "reserved", change([](orbit_command& c) { c.reserved_1 = 1; })},
    {"shift_of_f64", error_code::bad_field, "shift 3 of stage II of a device of format f64",
     change([](orbit_command& c) { c.shifts[1] = 3; })},
    {"shift_32", error_code::bad_field, "shift 32 of stage I is not 0 to 31",
     change([](orbit_command& c) { c.shifts[0] = 32; })},
    {"block_of_nothing", error_code::bad_field, "block of 0 elements along k of mode 2 instead of 1 to 3",
     change([](orbit_command& c) { c.blocks.out_block[1] = 0; })},
    {"large_block", error_code::too_large, "block of 5 elements along n of mode 3 instead of 1 to 4",
     change([](orbit_command& c) { c.blocks.in_block[2] = 5; })},
    {"completion_past_the_last_address", error_code::bad_field, "completion", change([](orbit_command& c) {
         c.flags = orbit_command::flag_completion;
         c.completion_address = UINT64_MAX - 2;
     })},
};
INSTANTIATE_TEST_SUITE_P(field, orbit_check_error, testing::ValuesIn(fields), case_name);

const refused_case tensors[] = {
    {"x_missing", error_code::bad_descriptor, "X is missing", change([](orbit_command& c) { c.x = {}; })},
    {"x_of_order_2", error_code::bad_descriptor, "X: order 2 instead of 3", change([](orbit_command& c) {
         c.x = isa::dense_descriptor(0, f64, {3, 40});
     })},
    {"x_of_another_format", error_code::unsupported_format, "X is not f64",
     change([](orbit_command& c) { c.x.type = static_cast<std::uint8_t>(element_type::f32); })},
    {"x_given_and_kept", error_code::bad_field, "X is given but not used",
     change([](orbit_command& c) { c.flags = orbit_command::flag_keep_tensor; })},
    {"y_missing", error_code::bad_descriptor, "Y is missing", change([](orbit_command& c) { c.y = {}; })},
    {"y_of_another_format", error_code::unsupported_format, "Y is not f64",
     change([](orbit_command& c) { c.y.type = static_cast<std::uint8_t>(element_type::c128); })},
    {"y_given_and_held", error_code::bad_field, "Y is given but not used",
     change([](orbit_command& c) { c.flags = orbit_command::flag_hold_result; })},
    {"y_of_another_order", error_code::bad_field, "Y: order 4 instead of 3", change([](orbit_command& c) {
         c.y = isa::dense_descriptor(0, f64, {1, 4, 6, 7});
     })},
    {"several_of_another_count", error_code::bad_field, "Y: 3 transforms instead of 2", change([](orbit_command& c) {
         c.x = isa::dense_descriptor(0, f64, {2, 3, 5, 8});
         c.y = isa::dense_descriptor(0, f64, {3, 4, 6, 7});
     })},
    {"several_held", error_code::bad_field, "several transforms are neither kept nor held",
     change([](orbit_command& c) {
         c.flags = orbit_command::flag_hold_result;
         c.x = isa::dense_descriptor(0, f64, {2, 3, 5, 8});
         c.y = {};
     })},
    {"several_kept", error_code::bad_field, "several transforms are neither kept nor held",
     change([](orbit_command& c) {
         c.flags = orbit_command::flag_keep_tensor;
         c.x = {};
         c.y = isa::dense_descriptor(0, f64, {1, 4, 6, 7});
     })},
    {"y_missing_that_is_added_to", error_code::bad_descriptor, "Y is missing", change([](orbit_command& c) {
         c.flags = orbit_command::flag_accumulate | orbit_command::flag_hold_result;
         c.y = {};
     })},
    {"several_added_to_and_held", error_code::bad_field, "several transforms are neither kept nor held",
     change([](orbit_command& c) {
         c.flags = orbit_command::flag_accumulate | orbit_command::flag_hold_result;
         c.y = isa::dense_descriptor(0, f64, {1, 4, 6, 7});
     })},
    {"several_with_a_next_one", error_code::bad_field, "several transforms with a next X or a previous Y",
     change([](orbit_command& c) {
         c.flags = orbit_command::flag_load_next;
         c.x = isa::dense_descriptor(0, f64, {2, 3, 5, 8});
         c.y = isa::dense_descriptor(0, f64, {2, 4, 6, 7});
         c.workspace = isa::dense_descriptor(0, f64, {3, 5, 8});
     })},
    {"next_x_that_is_added_to", error_code::bad_field, "accumulate with a next X", change([](orbit_command& c) {
         c.flags = orbit_command::flag_load_next | orbit_command::flag_accumulate;
         c.workspace = isa::dense_descriptor(0, f64, {3, 5, 8});
     })},
    {"next_x_missing", error_code::bad_descriptor, "next X is missing",
     change([](orbit_command& c) { c.flags = orbit_command::flag_load_next; })},
    {"next_x_of_another_format", error_code::unsupported_format, "next X is not f64", change([](orbit_command& c) {
         c.flags = orbit_command::flag_load_next;
         c.workspace = isa::dense_descriptor(0, element_type::f32, {3, 5, 8});
     })},
    {"next_x_larger_than_the_torus", error_code::bad_field, "next X", change([](orbit_command& c) {
         c.flags = orbit_command::flag_load_next;
         c.workspace = isa::dense_descriptor(0, f64, {3, 5, 9});
     })},
    {"next_x_kept_too", error_code::bad_field, "keep_tensor with take_next", change([](orbit_command& c) {
         c.flags = orbit_command::flag_keep_tensor | orbit_command::flag_take_next;
         c.x = {};
     })},
    {"next_x_of_an_inverse", error_code::bad_field, "take_next of an inverse transform", change([](orbit_command& c) {
         c.flags = orbit_command::flag_take_next;
         c.way = direction::inverse;
         c.y = c.x;
         c.x = {};
     })},
    {"x_given_and_taken", error_code::bad_field, "X is given but not used",
     change([](orbit_command& c) { c.flags = orbit_command::flag_take_next; })},
    {"previous_y_of_a_result_that_leaves", error_code::bad_field, "store_previous without hold_result",
     change([](orbit_command& c) { c.flags = orbit_command::flag_store_previous; })},
    {"previous_y_that_is_x", error_code::bad_field, "or with keep_tensor", change([](orbit_command& c) {
         c.flags =
             orbit_command::flag_store_previous | orbit_command::flag_hold_result | orbit_command::flag_keep_tensor;
         c.x = {};
     })},
    {"previous_y_missing", error_code::bad_descriptor, "Y is missing", change([](orbit_command& c) {
         c.flags = orbit_command::flag_store_previous | orbit_command::flag_hold_result;
         c.y = {};
     })},
    {"large_tensor_with_a_next_one", error_code::bad_field, "is neither kept nor held", change([](orbit_command& c) {
         c = large_orbit_command();
         c.flags = orbit_command::flag_load_next;
         c.workspace = isa::dense_descriptor(0, f64, {3, 5, 8});
     })},
    {"large_tensor_held", error_code::bad_field, "larger than the torus of 4 x 6 x 8", change([](orbit_command& c) {
         c = large_orbit_command();
         c.flags = orbit_command::flag_hold_result;
         c.y = {};
     })},
    {"large_tensor_kept", error_code::bad_field, "is neither kept nor held", change([](orbit_command& c) {
         c.flags = orbit_command::flag_keep_tensor | orbit_command::flag_keep_matrices;
         c.x = c.matrix[0] = c.matrix[1] = c.matrix[2] = {};
         c.y = isa::dense_descriptor(0, f64, {5, 6, 7});
     })},
    {"matrix_missing", error_code::bad_descriptor, "C2 is missing", change([](orbit_command& c) { c.matrix[1] = {}; })},
    {"matrix_given_and_kept", error_code::bad_field, "C1 is given but not used",
     change([](orbit_command& c) { c.flags = orbit_command::flag_keep_matrices; })},
    {"matrix_of_another_n", error_code::bad_field, "C3: size 7 of mode 1 instead of 8",
     change([](orbit_command& c) { c.matrix[2].size[0] = 7; })},
    {"matrix_of_another_k", error_code::bad_field, "C1: size 3 of mode 2 instead of 4",
     change([](orbit_command& c) { c.matrix[0].size[1] = 3; })},
    {"inverse_with_forward_tensors", error_code::bad_field, "C1: size 3 of mode 1 instead of 4",
     change([](orbit_command& c) { c.way = direction::inverse; })},
    {"large_tensor_without_workspace", error_code::bad_descriptor, "workspace is missing, 315 elements expected",
     change([](orbit_command& c) {
         c = large_orbit_command();
         c.workspace = {};
     })},
    {"workspace_that_is_not_needed_but_malformed", error_code::bad_descriptor, "workspace: order 3 instead of 1",
     change([](orbit_command& c) { c.workspace = c.y; })},
    {"more_steps_than_32_bits_count", error_code::too_large, "more than 4294967295 steps", change([](orbit_command& c) {
         c.x = isa::dense_descriptor(0, f64, {715827883, 3, 5, 8}); // 6 steps each
         c.y = isa::dense_descriptor(0, f64, {715827883, 4, 6, 7});
     })},
};
INSTANTIATE_TEST_SUITE_P(tensor, orbit_check_error, testing::ValuesIn(tensors), case_name);

// ---- the driver ----

class torus_driver_test : public testing::Test {
protected:
    torus_driver_test()
    {
        const auto sizes = torus::caps_size_of(64, {1024, 7, 1024});
        host.registers = {{isa::reg::id, 0x5442524f},        {isa::reg::version, 0x00010000},
                          {isa::reg::caps, 0x00001204},      {isa::reg::caps_size_0, sizes[0]},
                          {isa::reg::caps_size_1, sizes[1]}, {isa::reg::caps_size_2, sizes[2]}};
    }
    register_host host;
};

TEST_F(torus_driver_test, reads_format_side_and_blocks)
{
    const torus::driver driver(host, register_host::base);
    EXPECT_EQ(driver.format(), element_type::c64);
    EXPECT_EQ(driver.side(), 64u);
    EXPECT_THAT(driver.block(), ElementsAre(1024, 7, 1024));
}

TEST_F(torus_driver_test, refuses_other_devices_and_formats)
{
    host.registers[isa::reg::caps] = 0x1200 | static_cast<std::uint32_t>(element_type::int64);
    EXPECT_THROW(torus::driver(host, register_host::base), isa::device_failure);
    host.registers[isa::reg::caps] = 0x00001204;
    host.registers[isa::reg::id] = 0x41495254;
    EXPECT_THROW(torus::driver(host, register_host::base), isa::device_failure);
}

TEST_F(torus_driver_test, program_holds_the_commands_with_tokens_from_1_and_a_halt)
{
    auto second = fine_orbit_command();
    second.flags = orbit_command::flag_double_buffer;
    const auto all = torus::driver::program({fine_orbit_command(), second});
    EXPECT_EQ(all.size(), torus::driver::program_bytes(2));
    std::vector<unsigned> opcodes, tokens, flags;
    for (const auto& command : isa::program_commands(all)) {
        opcodes.push_back(command.header.opcode);
        tokens.push_back(command.header.token);
        flags.push_back(command.header.flags);
    }
    EXPECT_THAT(opcodes, ElementsAre(0x20, 0x20, 0x01));
    EXPECT_THAT(tokens, ElementsAre(1, 2, 0));
    EXPECT_THAT(flags, ElementsAre(0, 8, 0));
}

} // namespace
} // namespace tensorloom::test
