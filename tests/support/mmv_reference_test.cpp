#include "support/mmv_reference.h"
#include "support/mmv_reference_units.h"
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/workloads/mmv/program_builder.h>

namespace tensorloom::test {
namespace {

using base::element_type;
using isa::error_code;
using isa::vector::opcode;
using mmv::event;
using integers = std::vector<std::int64_t>;

// Side 4, blocks of 4; operands are arrays of a session.
class mmv_reference_test : public ::testing::Test {
protected:
    static mmv::limits limits_in(element_type format)
    {
        mmv::limits l;
        l.side = 4;
        l.format = format;
        l.scratchpad_bytes = 64u << 10;
        return l;
    }

    void matmul(const workloads::mmv_array& z, const workloads::mmv_array& x, const workloads::mmv_array& r,
                std::uint32_t words)
    {
        mmv::matmul_command m;
        m.result = {z.address, 4, {}};
        m.left = {x.address, 4, {}};
        m.weights = {r.address, 4, {}};
        m.words = words;
        m.left_columns = m.result_columns = 4;
        builder.add(m);
    }
    void vector(opcode code, std::uint32_t n, const workloads::mmv_array& z, const workloads::mmv_array& a,
                const workloads::mmv_array& b = {}, const std::function<void(isa::vector::vector_command&)>& more = {})
    {
        isa::vector::vector_command v;
        v.result.address = z.address;
        v.a.address = a.address;
        v.b.address = b.address;
        v.length = n;
        if (more) { more(v); }
        builder.add(code, v);
    }
    integers stored(const workloads::mmv_array& from)
    {
        integers values;
        builder.store(from, values);
        builder.run();
        return values;
    }
    error_code error_of_run()
    {
        try {
            builder.run();
        } catch (const workloads::program_error& e) {
            return e.code();
        }
        return error_code::none;
    }

    static constexpr auto of_blocks = [](isa::vector::vector_command& v) { v.block = 4; };
    const integers upper{1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1};

    mmv_reference machine{limits_in(element_type::int64)};
    workloads::mmv_program_builder builder{machine};
};

// The trace of the paper's scan for s = 4 and x = 1 to 10.
TEST_F(mmv_reference_test, scan_of_ten_elements_is_the_hand_computed_trace)
{
    const auto u = builder.loaded(upper);
    const auto first_row_of_ones = builder.loaded(integers{1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
    const auto z = builder.loaded(integers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    const auto g = builder.words(3);
    matmul(z, z, u, 10);
    EXPECT_EQ(stored(z), (integers{1, 3, 6, 10, 5, 11, 18, 26, 9, 19}));
    vector(opcode::gather_last, 10, g, z, {}, of_blocks);
    EXPECT_EQ(stored(g), (integers{10, 26, 19}));
    matmul(g, g, u, 3);
    EXPECT_EQ(stored(g), (integers{10, 36, 55}));
    vector(opcode::scatter_last, 10, z, z, g, of_blocks);
    EXPECT_EQ(stored(z), (integers{1, 3, 6, 10, 5, 11, 18, 36, 9, 19}));
    matmul(z.from(3), z.from(3), first_row_of_ones, 7);
    EXPECT_EQ(stored(z), (integers{1, 3, 6, 10, 15, 21, 28, 36, 45, 55}));

    const auto& c = builder.costs().counts;
    EXPECT_EQ(c[event::matmul_call], 3u);
    EXPECT_EQ(c[event::matmul_row], 6u);
    EXPECT_EQ(c[event::mac], 6u * 16);
    EXPECT_EQ(c[event::vector_instruction], 2u);
    EXPECT_EQ(c[event::vector_element], 6u);
    EXPECT_EQ(c[event::vector_circuit], 2u * 3 * 64);
    EXPECT_EQ(c[event::lane_move], 6u); // scatter_last in place: the scattered words alone
}

// The trace of the paper's segmented scan, one level deep.
TEST_F(mmv_reference_test, segmented_scan_of_a_block_is_the_hand_computed_trace)
{
    const auto u = builder.loaded(upper);
    const auto x = builder.loaded(integers{2, 2, 3, 3, 1, 3, 1, 2, 5, 1, 4, 1});
    const auto f = builder.loaded(integers{1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1});
    const auto fb = builder.words(12), z = builder.words(12), or_of_f = builder.words(3);
    matmul(x, x, u, 12);
    matmul(fb, f, u, 12);
    EXPECT_EQ(stored(fb), (integers{1, 1, 2, 2, 0, 1, 1, 1, 0, 0, 0, 1}));
    vector(opcode::revspec, 12, z, x, fb, of_blocks);
    EXPECT_EQ(stored(z), (integers{2, 4, 3, 6, 1, 3, 4, 6, 5, 6, 10, 1}));
    vector(opcode::or_block, 12, or_of_f, f, {}, of_blocks);
    EXPECT_EQ(stored(or_of_f), (integers{1, 1, 1}));
    EXPECT_EQ(builder.costs().counts[event::vector_circuit], 12u * 4 * 64 + 12u * 64 * 64 + 12u);
}

TEST_F(mmv_reference_test, weights_are_loaded_again_when_written_and_in_every_program)
{
    const auto u = builder.loaded(upper);
    const auto z = builder.loaded(integers{1, 2, 3, 4});
    matmul(z, z, u, 4);
    matmul(z, z, u, 4);
    builder.run();
    EXPECT_EQ(builder.costs().counts[event::weight_load], 1u);
    matmul(z, z, u, 4);
    builder.load(u, upper); // the same values, written again
    matmul(z, z, u, 4);
    builder.run();
    EXPECT_EQ(builder.costs().counts[event::weight_load], 3u);
    EXPECT_EQ(builder.costs().counts[event::weight_write], 3u * 16);
}

TEST_F(mmv_reference_test, addresses_advance_with_two_loops)
{
    const auto a = builder.loaded(integers{1, 2, 3, 4, 5, 6});
    const auto z = builder.loaded(integers(6, 0));
    isa::vector::vector_command v;
    v.result = {z.address, 0, {8, 24}};
    v.a = {a.address, 0, {8, 24}};
    v.b = {a.address, 0, {}};
    v.length = 1;
    builder.loop(2);
    builder.loop(3);
    builder.add(opcode::add, v);
    builder.end();
    builder.end();
    EXPECT_EQ(stored(z), (integers{2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(builder.costs().counts[event::vector_instruction], 6u);
}

TEST_F(mmv_reference_test, sums_out_of_range_wrap_and_end_in_an_error)
{
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const auto u = builder.loaded(upper);
    const auto x = builder.loaded(integers{most, 1, -1, 0}); // most, then out of range, then back
    matmul(x, x, u, 4);
    EXPECT_EQ(error_of_run(), error_code::accumulator_overflow);
    // Columns 1, 2 and 3 leave the range when they add 1; adding -1 to the wrapped sum does so again in columns 2 and
    // 3.
    EXPECT_EQ(machine.counted()[event::mac_overflowed], 5u);
}

TEST_F(mmv_reference_test, vector_result_out_of_range_is_an_arithmetic_overflow)
{
    const auto x = builder.loaded(integers{std::numeric_limits<std::int64_t>::max(), 1});
    vector(opcode::add, 2, x, x, x);
    EXPECT_EQ(error_of_run(), error_code::arithmetic_overflow);
    EXPECT_EQ(machine.counted()[event::word_overflowed], 1u);
}

TEST_F(mmv_reference_test, index_outside_of_its_table_writes_nothing)
{
    const auto table = builder.loaded(integers{7, 8});
    const auto index = builder.loaded(integers{0, 2});
    const auto z = builder.loaded(integers{-1, -1});
    builder.run();
    vector(opcode::gather_idx, 2, z, table, index, [](auto& v) { v.table = 2; });
    EXPECT_EQ(error_of_run(), error_code::bad_index);
    EXPECT_EQ(machine.scratchpad().get<std::int64_t>(z.address), -1);
    EXPECT_EQ(machine.counted()[event::vector_instruction], 0u);
}

TEST_F(mmv_reference_test, operand_outside_of_the_scratchpad_is_too_large)
{
    workloads::mmv_array past;
    past.address = (64u << 10) - 8;
    vector(opcode::add, 2, past, past, past);
    EXPECT_EQ(error_of_run(), error_code::too_large);
}

TEST_F(mmv_reference_test, error_names_its_command)
{
    const auto x = builder.loaded(integers{1});
    vector(opcode::add, 1, x, x, x);
    vector(opcode::add, 0, x, x, x);
    try {
        builder.run();
        FAIL() << "a length of 0 ran";
    } catch (const workloads::program_error& e) {
        EXPECT_EQ(e.code(), error_code::bad_field);
        EXPECT_EQ(e.command(), 2u);
    }
}

TEST_F(mmv_reference_test, digits_carry_and_the_last_keeps_what_is_left)
{
    const auto a = builder.loaded(integers{70000, -1, 65536 * 3 + 5});
    isa::vector::strided_command s;
    s.result.address = s.a.address = a.address;
    s.result.stride = s.a.stride = {0, 0, 1};
    s.size = {1, 1, 3};
    s.immediate[0] = 16;
    s.cpu_ops = 11;
    builder.add(mmv::opcode::s_carry, s);
    EXPECT_EQ(stored(a), (integers{70000 - 65536, 0, 65536 * 3 + 5}));
    EXPECT_EQ(builder.costs().counts[event::scalar_op], 9u);
    EXPECT_EQ(builder.costs().counts[event::cpu_op], 11u);
}

TEST_F(mmv_reference_test, int8_operands_have_int32_sums)
{
    mmv_reference small(limits_in(element_type::int8));
    workloads::mmv_program_builder s(small);
    const auto x = s.elements(4), r = s.elements(16);
    const auto z = s.words(4);
    s.load(x, integers{127, 127, 127, 127});
    s.load(r, integers(16, 127));
    mmv::matmul_command m;
    m.result = {z.address, 4, {}};
    m.left = {x.address, 4, {}};
    m.weights = {r.address, 4, {}};
    m.words = m.left_columns = m.result_columns = 4;
    s.add(m);
    integers values;
    s.store(z, values);
    s.run();
    EXPECT_EQ(values, integers(4, 4 * 127 * 127));
}

// Of words that no MMU/VCU pair has, but other devices with its vector unit.
TEST(mmv_reference_units, of_f32_words)
{
    mmv::limits limits{4, element_type::f32, 1024, isa::vector::all_functional_blocks};
    reference_scratchpad scratchpad(limits.scratchpad_bytes);
    mmv::counts counts;
    const auto units = make_reference_units(limits, 32, scratchpad, counts);
    const std::vector<float> a = {1, 2, 16777216, 1, 1, -4, 0.5f};
    for (std::size_t i = 0; i < a.size(); ++i) { scratchpad.put(static_cast<std::int64_t>(4 * i), a[i]); }

    const auto run = [&](opcode code, std::uint32_t block, std::uint32_t table, std::size_t results) {
        isa::vector::vector_command v;
        v.c.address = code == opcode::mul_add ? 4 : 0;
        v.result.address = 512;
        v.length = 7;
        v.block = block;
        v.table = table;
        units->vector(code, v);
        std::vector<float> z;
        for (std::size_t i = 0; i < results; ++i) {
            z.push_back(scratchpad.get<float>(512 + static_cast<std::int64_t>(4 * i)));
        }
        return z;
    };
    EXPECT_EQ(run(opcode::add, 0, 0, 7), (std::vector<float>{2, 4, 33554432, 2, 2, -8, 1}));
    EXPECT_EQ(run(opcode::mul_add, 0, 0, 7), (std::vector<float>{3, 6, 50331648, 3, 3, -12, 1.5f}));
    EXPECT_EQ(run(opcode::relu, 0, 0, 7), (std::vector<float>{1, 2, 16777216, 1, 1, 0, 0.5f}));
    EXPECT_EQ(run(opcode::max_block, 5, 0, 2), (std::vector<float>{16777216, 0.5f}));
    EXPECT_EQ(run(opcode::sum_block, 5, 0, 2), (std::vector<float>{16777220, -3.5f})); // ((1 + 2) + (2^24 + 1)) + 1
    run(opcode::pack_bf16, 2, 1, 4);
    EXPECT_EQ(scratchpad.get<std::uint32_t>(512), 0x40003f80u);
    EXPECT_EQ(scratchpad.get<std::uint32_t>(512 + 12), 0x3f00u); // the seventh, and none
    EXPECT_EQ(counts[event::lane_multiply_add], 7u);
    EXPECT_EQ(counts[event::lane_add], 14u);
    EXPECT_EQ(counts[event::lane_logic], 21u);
    isa::vector::vector_command tangent;
    tangent.length = 1;
    tangent.block = 0;
    units->vector(opcode::tanh, tangent);
    EXPECT_EQ(scratchpad.get<float>(0), 0x1.85efacp-1f); // tanh 1 = 0.76159415595576...
    EXPECT_EQ(counts[event::lane_function], 1u);
    isa::vector::vector_command odd;
    odd.length = 1;
    EXPECT_THROW(units->vector(opcode::sum_block, odd), reference_failure);
    EXPECT_THROW(units->vector(opcode::pack_bf16, odd), reference_failure);
}

} // namespace
} // namespace tensorloom::test
