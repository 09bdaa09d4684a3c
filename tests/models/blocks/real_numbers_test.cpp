// Instructions on real numbers by hand: values at the edges, the order of sums, where packed words lie, what a stop
// leaves.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include "models/blocks/random_vector.h"
#include "models/blocks/vector_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using base::element_type;
using isa::error_code;
using isa::vector::event;
using isa::vector::opcode;
using isa::vector::vector_command;

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan_word = std::numeric_limits<float>::quiet_NaN();

std::uint32_t bits_of(float x)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

blocks::vector_unit_config f32_unit(unsigned lanes, blocks::fidelity fidelity)
{
    blocks::vector_unit_config config;
    config.word = element_type::f32;
    config.word_bits = 32;
    config.lanes = lanes;
    config.fidelity = fidelity;
    return config;
}

class real_numbers : public sim_test {
protected:
    static constexpr std::uint32_t a_at = 0, b_at = 4096, c_at = 8192, z_at = 12288;

    struct job {
        opcode code;
        std::vector<float> a, b;
        std::uint32_t block = 0, table = 0, length = 0; // 0: that of a
        float c = 0;
        std::vector<float> z = {};  // before the instruction
        std::uint32_t second_c = 0; // as bits
    };

    static vector_command command_of(const job& j)
    {
        const auto has = isa::vector::vector_signature_of(j.code);
        vector_command c;
        c.a.address = a_at;
        c.b.address = has.b == isa::vector::operand_use::none ? 0 : b_at;
        c.c.address = has.c == isa::vector::operand_use::none ? 0 : c_at;
        c.result.address = z_at;
        c.length = j.length != 0 ? j.length : static_cast<std::uint32_t>(j.a.size());
        c.block = j.block;
        c.table = j.table;
        return c;
    }
    static void prepare(vector_bench& bench, const job& j)
    {
        const auto put = [&](std::uint64_t at, const auto& words) {
            if (!words.empty()) { std::memcpy(bench.pad().at(at), words.data(), 4 * words.size()); }
        };
        put(a_at, j.a);
        put(b_at, j.b);
        put(z_at, j.z);
        std::memcpy(bench.pad().at(c_at), &j.c, 4);
        std::memcpy(bench.pad().at(c_at + 4), &j.second_c, 4);
    }

    /// The words of z, of units of several sizes, which must all have the same.
    void expect(const job& j, const std::vector<float>& z)
    {
        std::vector<std::unique_ptr<vector_bench>> benches;
        for (const unsigned lanes : {1u, 3u, 64u}) {
            for (const auto fidelity : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
                benches.push_back(std::make_unique<vector_bench>("bench_" + std::to_string(benches.size()),
                                                                 f32_unit(lanes, fidelity), 64));
            }
        }
        bench_thread thread("thread", [&] {
            const auto c = command_of(j);
            for (auto& bench : benches) {
                const auto refused = isa::vector::check(j.code, c, {element_type::f32, bench->pad().size()});
                ASSERT_FALSE(refused) << refused->text;
                prepare(*bench, j);
                EXPECT_EQ(bench->unit.execute(j.code, c).error, error_code::none);
                const auto* const found = reinterpret_cast<const float*>(bench->pad().at(z_at));
                for (std::size_t i = 0; i < z.size(); ++i) {
                    EXPECT_EQ(bits_of(found[i]), bits_of(z[i])) << i << ": " << found[i] << " is not " << z[i];
                }
                EXPECT_EQ(bits_of(found[z.size()]), 0u) << "a word too many";
            }
        });
        sc_core::sc_start();
        EXPECT_TRUE(thread.ended());
    }
};

const std::vector<float> left = {1, 2, -3, 0.0f, -0.0f, nan_word, 1, infinity, -nan_word};
const std::vector<float> right = {2, 1, -4, -0.0f, 0.0f, 1, nan_word, -infinity, -nan_word};

TEST_F(real_numbers, max_takes_plus_0_and_what_is_no_number)
{
    expect({opcode::max, left, right}, {2, 2, -3, 0.0f, 0.0f, nan_word, nan_word, infinity, nan_word});
}
TEST_F(real_numbers, min_takes_minus_0_and_what_is_no_number)
{
    expect({opcode::min, left, right}, {1, 1, -4, -0.0f, -0.0f, nan_word, nan_word, -infinity, nan_word});
}
TEST_F(real_numbers, relu_of_minus_0_is_0_and_of_no_number_none)
{
    expect({opcode::relu, left, {}}, {1, 2, 0, 0, 0, nan_word, 1, infinity, nan_word});
}
TEST_F(real_numbers, gradient_of_relu_is_copied_where_its_argument_is_above_0)
{
    expect({opcode::relu_gradient, {1, 2, 3, 4, 5, -nan_word}, {1, 0, -0.0f, -1, nan_word, infinity}},
           {1, 0, 0, 0, 0, -nan_word});
}
TEST_F(real_numbers, quotients_and_roots_are_rounded_once)
{
    expect({opcode::div, {1, 2, 0, 1, -1, infinity, 7}, {3, 0.5f, 0, 0, 0, infinity, -0.1f}},
           {0x1.555556p-2f, 4, nan_word, infinity, -infinity, nan_word, -70});
}
TEST_F(real_numbers, roots)
{
    expect({opcode::sqrt, {2, 4, -1, -0.0f, infinity, 1e-45f}, {}},
           {0x1.6a09e6p+0f, 2, nan_word, -0.0f, infinity, 0x1.6a09e6p-75f});
}
TEST_F(real_numbers, functions_round_their_values_in_f64)
{
    expect({opcode::exp, {0, 1, -infinity, 200, nan_word}, {}}, {1, 0x1.5bf0a8p+1f, 0, infinity, nan_word});
}
TEST_F(real_numbers, logarithms_have_ends_and_no_number_below_0)
{
    expect({opcode::log, {1, 2, 0x1.5bf0a8p+1f, 0.0f, -0.0f, -1, infinity, -infinity, nan_word, 0x1p-149f}, {}},
           {0.0f, 0x1.62e43p-1f, 0x1.fffffep-1f, -infinity, -infinity, nan_word, infinity, nan_word, nan_word,
            -0x1.9d1dap+6f});
}
TEST_F(real_numbers, sigmoid_saturates)
{
    expect({opcode::sigmoid, {0, 200, -200, infinity, -infinity}, {}}, {0.5f, 1, 0, 1, 0});
}
TEST_F(real_numbers, tanh_saturates_and_keeps_the_sign_of_0)
{
    expect({opcode::tanh, {0, -0.0f, 50, -infinity, 1e-30f}, {}}, {0, -0.0f, 1, -1, 1e-30f});
}
TEST_F(real_numbers, multiply_add_rounds_once)
{
    const float third = 1 / 3.0f;
    expect({opcode::mul_add, {-1, 0, 1}, {3, 2, infinity}, 0, 0, 0, third},
           {0x1p-25f, 0x1.555556p-1f, infinity}); // 3 times the float near 1/3 is a bit above 1
}

// The first two words of Philox-2x32-10 for key 0 and stream 0: their upper 24 bits.
constexpr float unit_of_masks = 1 / 16777216.0f;
constexpr float first_of_masks = 0xff1dae * unit_of_masks, second_of_masks = 0x6cd10d * unit_of_masks;

TEST_F(real_numbers, random_masks_keep_what_is_not_below_the_probability)
{
    expect({opcode::random_mask, {3, -2}, {first_of_masks, second_of_masks}}, {3, -2});
}
TEST_F(real_numbers, random_masks_drop_what_is_below_the_probability)
{
    expect({opcode::random_mask, {3, nan_word}, {first_of_masks + unit_of_masks, second_of_masks + unit_of_masks}},
           {0, 0});
}
TEST_F(real_numbers, random_masks_begin_at_the_number_that_the_second_word_of_c_is)
{
    expect({opcode::random_mask, {3, -2}, {second_of_masks + unit_of_masks, 0}, 0, 0, 0, 0, {}, 1}, {0, -2});
}
TEST_F(real_numbers, random_masks_keep_words_as_they_are)
{
    expect({opcode::random_mask, {-nan_word, -0.0f}, {0, nan_word}}, {-nan_word, -0.0f});
}

// In a float 2^24 and 1 make 2^24: one after the other, the ones of a sum would be lost.
TEST_F(real_numbers, sums_take_neighbours_first)
{
    const float big = 16777216; // 2^24: big + 1 is big
    expect({opcode::sum_block, {big, 1, 1, 1, -big, big, 1, 1, -big, -0.0f}, {}, 4},
           // (big + 1) + 2      (-big + big) + 2       -big + -0
           {big + 2, 2, -big});
}
TEST_F(real_numbers, sums_of_five_add_the_fifth_last)
{
    const float big = 16777216;
    expect({opcode::sum_block, {-big, 0, big, 0, 1, 1, 1, 1, 1, big}, {}, 5}, {1, big + 4}); // not -big + (big + 1)
}
TEST_F(real_numbers, sum_of_one_is_that_number)
{
    expect({opcode::sum_block, {-0.0f, 3, -nan_word}, {}, 1}, {-0.0f, 3, nan_word});
}
TEST_F(real_numbers, rows_are_added_in_their_order)
{
    const float big = 16777216; // 2^24: big + 1 is big
    const std::vector<float> rows = {big, 1, 2, 3, 1, -1, -big, 5, 1, 0};
    //  row 1: (1 + big) + 1 - big, then + 1       row 0: 7 + 2       row 2: as it is
    expect({opcode::scatter_add, rows, {1, 0, 1, 1, 1}, 2, 3, 5, 0, {7, 8, 1, 0, -0.0f, nan_word}},
           {9, 11, 1, 5, -0.0f, nan_word});
}
TEST_F(real_numbers, sums_of_rows_that_are_no_numbers_are_the_canonical_one)
{
    expect({opcode::scatter_add,
            {-infinity, -nan_word, -0.0f, 1},
            {0, 1, 2, 3},
            1,
            4,
            4,
            0,
            {infinity, 1, -0.0f, -nan_word}},
           {nan_word, nan_word, -0.0f, nan_word});
}
TEST_F(real_numbers, largest_of_blocks)
{
    expect({opcode::max_block, {1, 3, 2, -0.0f, -1, 0.0f, 4, nan_word, 5, -7}, {}, 3}, {3, 0, nan_word, -7});
}

TEST_F(real_numbers, packed_words_of_neighbours)
{
    const auto packed = [](std::uint32_t low, std::uint32_t high) {
        const std::uint32_t bits = low | high << 16;
        float word = 0;
        std::memcpy(&word, &bits, sizeof word);
        return word;
    };
    // 1 + 2^-8 and 1 + 3 2^-8 are in the middle: to the even one; the largest float rounds to infinity
    expect({opcode::pack_bf16,
            {1, -2, 0x1.01p0f, 0x1.03p0f, std::numeric_limits<float>::max(), -infinity, -nan_word, -0.0f, 3},
            {},
            2,
            1},
           {packed(0x3f80, 0xc000), packed(0x3f80, 0x3f82), packed(0x7f80, 0xff80), packed(0x7fc0, 0x8000),
            packed(0x4040, 0), packed(0, 0)});
}

using memory_shape = std::pair<std::uint32_t, std::uint32_t>; // engines, side

class packed_in_unified_memory : public sim_test_with_param<memory_shape> {};

// Through the window of 16-bit elements of a FETTA's unified memory, packed words are the numbers one after the other.
TEST_P(packed_in_unified_memory, are_16_bit_elements_one_after_the_other)
{
    constexpr std::uint32_t from = 0, packed_at = 8192, back_at = 16384;
    fetta::device_limits g;
    std::tie(g.engines, g.side) = GetParam();
    const std::uint32_t elements = 5 * g.side * g.engines + 3; // the last layer has no other, and ends early
    vector_bench bench("bench", f32_unit(64, blocks::fidelity::detailed), 64);
    bench_thread thread("thread", [&] {
        std::vector<float> numbers;
        for (std::uint32_t i = 0; i < elements; ++i) { numbers.push_back(static_cast<float>(i % 250 + 1)); }
        std::memcpy(bench.pad().at(from), numbers.data(), 4 * numbers.size());
        vector_command c;
        c.length = elements;
        c.block = g.side;
        c.table = g.engines;
        c.a.address = from;
        c.result.address = packed_at;
        EXPECT_EQ(bench.unit.execute(opcode::pack_bf16, c).error, error_code::none);
        for (std::uint32_t i = 0; i < elements; ++i) {
            const std::uint64_t in_row = i % g.side, bank = i / g.side % g.engines, row = i / g.side / g.engines;
            ASSERT_EQ(row_address(g, element_type::bf16, row, bank) + 2 * in_row, 2 * i); // the other window
            const std::uint64_t words = row_address(g, element_type::f32, row / 2, bank) - g.memory_bytes();
            const std::uint64_t byte = words + row % 2 * g.row_bytes(element_type::bf16) + 2 * in_row;
            std::uint16_t upper = 0;
            std::memcpy(&upper, bench.pad().at(packed_at + byte), sizeof upper);
            ASSERT_EQ(upper, bits_of(numbers[i]) >> 16) << i;
        }
        c.a.address = packed_at;
        c.result.address = back_at;
        EXPECT_EQ(bench.unit.execute(opcode::unpack_bf16, c).error, error_code::none);
        EXPECT_EQ(std::memcmp(bench.pad().at(back_at), numbers.data(), 4 * numbers.size()), 0);
    });
    sc_core::sc_start();
    EXPECT_TRUE(thread.ended());
}

INSTANTIATE_TEST_SUITE_P(shapes, packed_in_unified_memory,
                         testing::Values(memory_shape{16, 4}, memory_shape{4, 2}, memory_shape{4, 8},
                                         memory_shape{64, 2}),
                         [](const auto& tested) {
                             return std::to_string(tested.param.first) + "_of_" + std::to_string(tested.param.second);
                         });

// In every cycle: both fidelities leave the same words.
TEST_F(real_numbers, stops_leave_the_same_in_both_fidelities)
{
    vector_bench fast("fast", f32_unit(5, blocks::fidelity::fast), 8);
    vector_bench detailed("detailed", f32_unit(5, blocks::fidelity::detailed), 8);
    bench_thread thread("thread", [&] {
        random_vector<float> random(3);
        unsigned aborted = 0, partly = 0;
        for (const auto& i : isa::vector::instructions) {
            if (i.payload != isa::vector::payload_kind::vector ||
                !isa::vector::exists_in_format(i.code, element_type::f32) ||
                isa::vector::exists_in_format(i.code, element_type::int64)) {
                continue;
            }
            for (std::uint64_t cycle = 0; cycle < 40; ++cycle) {
                random.next(i.code);
                std::vector<blocks::vector_outcome> outcomes;
                for (auto* bench : {&fast, &detailed}) {
                    bench->fill(random.memory);
                    bench->stop.request(sc_core::sc_time(static_cast<double>(cycle), sc_core::SC_NS));
                    outcomes.push_back(bench->unit.execute(i.code, random.command));
                    bench->stop.clear();
                }
                EXPECT_TRUE(same_outcome(outcomes[0], outcomes[1])) << i.name << " " << cycle;
                EXPECT_TRUE(fast.contents() == detailed.contents()) << i.name << " " << cycle;
                const bool stopped = outcomes[0].error == error_code::aborted;
                aborted += stopped ? 1 : 0;
                partly += stopped && !std::equal(random.memory.begin(), random.memory.end(), fast.contents().begin());
            }
        }
        EXPECT_GT(aborted, 50u);
        EXPECT_GT(partly, 10u);
    });
    sc_core::sc_start();
    EXPECT_TRUE(thread.ended());
}

} // namespace
