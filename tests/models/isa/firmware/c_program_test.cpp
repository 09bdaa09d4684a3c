// Programs built in C: the bytes of the C++ builder, and never one byte past the buffer.
#include <algorithm>
#include <array>
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/torus/isa/orbit_tiles.h>
#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/triada/isa/driver.h>
#include "models/isa/firmware/commands_for_c.h"
#include "models/triada/isa/gemt_case.h"

namespace tensorloom::test {
namespace {

using bytes = std::vector<std::uint8_t>;

triada::gemt_command full_gemt_command()
{
    auto c = fine_gemt_command();
    c.flags = triada::gemt_command::known_flags;
    c.order = {2, 3, 1};
    c.stage_mask = 5;
    c.shifts = {7, 0, 31};
    c.zero_threshold = 0.1;
    c.completion_address = 0x0102030405060708;
    c.row_order_address = {0x1111111111111101, 0x2222222222222202, 0xf333333333333303};
    c.initial_y = c.y;
    c.y.stride = {-18, 6, -1};
    c.workspace = isa::dense_descriptor(0x123456, base::element_type::int8, {77});
    return c;
}

// A program of a product and one of each common command, in C.
tl_status build(tl_program& program, const triada::gemt_command& command)
{
    const auto gemt = gemt_for_c(command);
    tl_program_nop(&program, 5);
    tl_program_gemt(&program, &gemt, 0xf0000001);
    tl_program_irq(&program, 6);
    const std::uint8_t payload[] = {9, 8, 7};
    tl_program_add(&program, 0x33, 0x8001, 7, payload, sizeof payload);
    tl_program_halt(&program, 8);
    return tl_program_end(&program, nullptr);
}

bytes built_in_cpp(const triada::gemt_command& command)
{
    return isa::program_builder()
        .add(isa::opcode::nop, 0, 5)
        .add(triada::opcode::gemt, command.flags, 0xf0000001, command.encode())
        .add(isa::opcode::irq, 0, 6)
        .add(static_cast<isa::opcode>(0x33), 0x8001, 7, {9, 8, 7})
        .add(isa::opcode::halt, 0, 8)
        .bytes();
}

TEST(c_program, has_the_bytes_of_the_cpp_builder)
{
    for (const auto& command : {fine_gemt_command(), full_gemt_command()}) {
        const auto expected = built_in_cpp(command);
        bytes buffer(expected.size(), 0xcc);
        tl_program program;
        EXPECT_EQ(tl_program_begin(&program, buffer.data(), buffer.size()), tl_ok);
        EXPECT_EQ(build(program, command), tl_ok);
        EXPECT_EQ(program.used, expected.size());
        EXPECT_EQ(buffer, expected);
    }
}

TEST(c_program, of_products_has_the_bytes_of_the_cpp_driver)
{
    const auto gemt = gemt_for_c(full_gemt_command());
    bytes buffer(triada::driver::program_bytes(2));
    tl_program program;
    tl_program_begin(&program, buffer.data(), buffer.size());
    tl_program_gemt(&program, &gemt, 1);
    tl_program_gemt(&program, &gemt, 2);
    tl_program_halt(&program, 0);
    std::size_t used = 0;
    EXPECT_EQ(tl_program_end(&program, &used), tl_ok);
    EXPECT_EQ(used, buffer.size());
    EXPECT_EQ(buffer, triada::driver::program({full_gemt_command(), full_gemt_command()}));
}

TEST(c_program, too_small_a_buffer_is_refused_and_never_overrun)
{
    const auto command = fine_gemt_command();
    const std::size_t needed = built_in_cpp(command).size();
    for (std::size_t capacity = 0; capacity < needed; ++capacity) {
        bytes buffer(capacity + 64, 0xcc);
        tl_program program;
        tl_program_begin(&program, buffer.data(), capacity);
        EXPECT_EQ(build(program, command), tl_buffer_too_small) << capacity;
        EXPECT_LE(program.used, std::max<std::size_t>(capacity, 16));
        EXPECT_EQ(bytes(buffer.end() - 64, buffer.end()), bytes(64, 0xcc)) << capacity;
    }
}

TEST(c_program, payload_larger_than_all_memory_is_refused)
{
    bytes buffer(64);
    tl_program program;
    for (std::size_t size : {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX - 16, SIZE_MAX - 31, std::size_t{33}}) {
        tl_program_begin(&program, buffer.data(), buffer.size());
        EXPECT_EQ(tl_program_add(&program, 0x20, 0, 0, buffer.data(), size), tl_buffer_too_small) << size;
    }
}

TEST(c_program, stays_failed_after_a_step_that_failed)
{
    bytes buffer(16 + 16);
    tl_program program;
    tl_program_begin(&program, buffer.data(), buffer.size());
    const auto gemt = gemt_for_c(fine_gemt_command());
    EXPECT_EQ(tl_program_gemt(&program, &gemt, 1), tl_buffer_too_small);
    EXPECT_EQ(tl_program_halt(&program, 2), tl_buffer_too_small); // although it would fit
    std::size_t used = 99;
    EXPECT_EQ(tl_program_end(&program, &used), tl_buffer_too_small);
    EXPECT_EQ(used, 0u);
}

TEST(c_tensor, dense_one_is_that_of_cpp)
{
    const std::vector<std::uint32_t> size{2, 3, 5, 7};
    for (unsigned order = 1; order <= 4; ++order) {
        tl_tensor t;
        EXPECT_EQ(tl_dense_tensor(&t, 0x123456789a, TL_TYPE_C64, order, size.data()), tl_ok);
        bytes in_c(112, 0xcc), in_cpp(112, 0xcc);
        tl_encode_tensor(&t, in_c.data());
        isa::dense_descriptor(0x123456789a, base::element_type::c64, {size.begin(), size.begin() + order})
            .encode(in_cpp.data());
        EXPECT_EQ(in_c, in_cpp);
    }
}

TEST(c_tensor, impossible_ones_are_refused_and_leave_no_tensor)
{
    const std::uint32_t ones[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const std::uint32_t zero[2] = {4, 0};
    const std::uint32_t large[3] = {0xffffffff, 0xffffffff, 2};
    tl_tensor t;
    EXPECT_EQ(tl_dense_tensor(&t, 1, TL_TYPE_F64, 8, ones), tl_ok);
    EXPECT_EQ(tl_dense_tensor(&t, 1, TL_TYPE_F64, 0, ones), tl_bad_argument);
    EXPECT_EQ(tl_dense_tensor(&t, 1, TL_TYPE_F64, 9, ones), tl_bad_argument);
    EXPECT_EQ(tl_dense_tensor(&t, 1, TL_TYPE_F64, 2, zero), tl_bad_argument);
    EXPECT_EQ(tl_dense_tensor(&t, 1, TL_TYPE_F64, 3, large), tl_bad_argument);
    bytes encoded(112, 0xcc);
    tl_encode_tensor(&t, encoded.data());
    EXPECT_EQ(encoded, bytes(112, 0));
}

// The C function against the device's own, over sizes on both sides of the mesh's.
TEST(c_workspace, has_the_size_that_the_device_demands)
{
    std::mt19937 random(17);
    const auto draw = [&](std::uint32_t most) { return static_cast<std::uint32_t>(1 + random() % most); };
    unsigned needed = 0;
    for (int i = 0; i < 500; ++i) {
        triada::gemt_command c;
        std::shuffle(c.order.begin(), c.order.end(), random);
        c.stage_mask = static_cast<std::uint8_t>(draw(7));
        const auto format = i % 3 == 0   ? base::element_type::f64
                            : i % 3 == 1 ? base::element_type::bf16
                                         : base::element_type::int8;
        c.x = isa::dense_descriptor(0, format, {draw(9), draw(9), draw(9)});
        c.y = c.x;
        if (draw(2) == 1) { c.y.type = static_cast<std::uint8_t>(base::accumulator_type(format)); }
        c.flags = static_cast<std::uint16_t>((draw(2) - 1) * triada::gemt_command::flag_convert_x +
                                             (draw(2) - 1) * triada::gemt_command::flag_convert_y);
        for (unsigned m = 0; m < 3; ++m) {
            if (c.sums(m)) { c.y.size[m] = draw(9); }
        }
        const std::array<std::uint32_t, 3> mesh{draw(9), draw(9), draw(9)};
        const auto gemt = gemt_for_c(c);
        const auto expected = triada::gemt_workspace_elements(c, mesh);
        EXPECT_EQ(tl_gemt_workspace_elements(&gemt, mesh.data()), expected) << i;
        needed += expected > 0 ? 1 : 0;
    }
    EXPECT_GT(needed, 100u);
    EXPECT_LT(needed, 480u);
}

TEST(c_workspace, of_a_transform_has_the_size_that_the_torus_demands)
{
    std::mt19937 random(18);
    const auto draw = [&](std::uint32_t most) { return static_cast<std::uint32_t>(1 + random() % most); };
    unsigned needed = 0;
    for (int i = 0; i < 500; ++i) {
        torus::orbit_command c;
        std::shuffle(c.order.begin(), c.order.end(), random);
        c.way = static_cast<torus::direction>(draw(2) - 1);
        c.left_out = static_cast<std::uint8_t>(draw(3) - 1);
        torus::orbit_sizes sizes{{draw(9), draw(9), draw(9)}, {draw(9), draw(9), draw(9)}};
        for (unsigned m = 0; m < 3; ++m) {
            if (!c.sums(m)) { sizes.out_size[m] = sizes.in_size[m]; }
        }
        const bool back = c.way == torus::direction::inverse;
        const auto& from = back ? sizes.out_size : sizes.in_size;
        const auto& to = back ? sizes.in_size : sizes.out_size;
        c.x = isa::dense_descriptor(0, base::element_type::f64, {from[0], from[1], from[2]});
        c.y = isa::dense_descriptor(0, base::element_type::f64, {2, to[0], to[1], to[2]});
        for (unsigned m = 0; m < 3; ++m) {
            c.blocks.in_block[m] = draw(4);
            c.blocks.out_block[m] = draw(4);
        }
        const std::uint32_t side = draw(4);
        const auto orbit = orbit_for_c(c);
        const auto expected = plan_orbit(c, sizes, side).workspace_elements();
        EXPECT_EQ(tl_orbit_workspace_elements(&orbit, side), expected) << i;
        needed += expected > 0 ? 1 : 0;
    }
    EXPECT_GT(needed, 100u);
    EXPECT_LT(needed, 490u);
}

TEST(c_orbit, stages_of_a_mask_are_those_of_the_driver)
{
    std::array<std::uint8_t, 3> modes{1, 2, 3};
    do {
        for (unsigned mask = 1; mask < 8; ++mask) {
            torus::orbit_command c;
            c.run_stages(modes, mask);
            tl_orbit orbit;
            tl_orbit_init(&orbit);
            tl_orbit_run_stages(&orbit, modes.data(), mask);
            EXPECT_TRUE(std::equal(c.order.begin(), c.order.end(), orbit.order)) << mask;
            EXPECT_EQ(c.left_out, orbit.left_out);
            unsigned summed = 0; // the summed modes in their order, then the others
            for (unsigned i = 0; i < 3; ++i) {
                if ((mask >> i & 1) != 0) { EXPECT_EQ(c.order[summed++], modes[i]); }
            }
            EXPECT_EQ(c.stages(), summed);
        }
    } while (std::next_permutation(modes.begin(), modes.end()));
}

TEST(c_workspace, that_no_memory_could_hold_saturates)
{
    triada::gemt_command c;
    c.order = {1, 2, 3};
    c.x = isa::dense_descriptor(0, base::element_type::f64, {1u << 30, 1u << 20, 1u << 20});
    c.y = isa::dense_descriptor(0, base::element_type::f64, {1u << 30, 1, 1});
    const auto gemt = gemt_for_c(c);
    const std::array<std::uint32_t, 3> mesh{1, 1, 1};
    EXPECT_EQ(tl_gemt_workspace_elements(&gemt, mesh.data()), UINT64_MAX);
}

} // namespace
} // namespace tensorloom::test
