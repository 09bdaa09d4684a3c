// Products of a tensor with a matrix in each mode on an MMU/VCU pair: values of plain loops, counts of closed forms.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/workloads/mmv/mode_products.h>
#include "support/message_of.h"
#include "support/mmv_reference.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::workloads;
using mmv::event;

struct sizes {
    std::uint32_t side;
    shape3 shape, out_shape;

    friend std::ostream& operator<<(std::ostream& out, const sizes& s)
    {
        return out << "side " << s.side << ", " << shape_text(s.shape) << " to " << shape_text(s.out_shape);
    }
};

std::vector<double> numbers(std::uint64_t n, std::uint64_t factor)
{
    std::vector<double> values(n);
    for (std::uint64_t i = 0; i < n; ++i) { values[i] = static_cast<double>((factor * i + 1) % 11) - 5; }
    return values;
}

// Small whole numbers: sums are exact in any order.
mode_product_operands operands(const sizes& s)
{
    mode_product_operands o;
    o.shape = s.shape;
    o.out_shape = s.out_shape;
    o.x = numbers(volume_of(s.shape), 3);
    for (std::size_t m = 0; m < 3; ++m) { o.matrices[m] = numbers(s.shape[m] * s.out_shape[m], 5 + m); }
    return o;
}

/// A whole number of at most 24 bits to the nearest with fewer, ties to even: bfloat16 has 8, float16 has 11.
double rounded_to_bits(double x, int bits)
{
    double unit = 1;
    while (std::fabs(x) >= std::ldexp(unit, bits)) { unit *= 2; }
    return std::nearbyint(x / unit) * unit;
}

constexpr unsigned shift_of_int8 = 3;

// Of a sum when it becomes an element.
double kept_in(base::element_type format, double sum)
{
    switch (format) {
    case base::element_type::bf16: return rounded_to_bits(sum, 8);
    case base::element_type::f16: return rounded_to_bits(sum, 11);
    case base::element_type::int8:
        return std::fmin(127, std::fmax(-128, std::nearbyint(std::ldexp(sum, -static_cast<int>(shift_of_int8)))));
    default: return sum;
    }
}

// Sums over c, then over b, then over a; in narrow formats every sum is rounded.
std::vector<double> by_loops(const mode_product_operands& o, base::element_type format)
{
    const auto& [n1, n2, n3] = o.shape;
    const auto& [k1, k2, k3] = o.out_shape;
    const auto kept = [&](double sum) { return kept_in(format, sum); };
    std::vector<double> one, two, y;
    for (std::size_t ab = 0; ab < n1 * n2; ++ab) {
        for (std::size_t k = 0; k < k3; ++k) {
            double sum = 0;
            for (std::size_t c = 0; c < n3; ++c) { sum += o.x[ab * n3 + c] * o.matrices[2][c * k3 + k]; }
            one.push_back(kept(sum));
        }
    }
    for (std::size_t a = 0; a < n1; ++a) {
        for (std::size_t jk = 0; jk < k2 * k3; ++jk) {
            double sum = 0;
            for (std::size_t b = 0; b < n2; ++b) {
                sum += one[(a * n2 + b) * k3 + jk % k3] * o.matrices[1][b * k2 + jk / k3];
            }
            two.push_back(kept(sum));
        }
    }
    for (std::size_t i = 0; i < k1; ++i) {
        for (std::size_t jk = 0; jk < k2 * k3; ++jk) {
            double sum = 0;
            for (std::size_t a = 0; a < n1; ++a) { sum += two[a * k2 * k3 + jk] * o.matrices[0][a * k1 + i]; }
            y.push_back(kept(sum));
        }
    }
    return y;
}

mmv::limits device(std::uint32_t side, std::uint64_t scratchpad_bytes = 1u << 20,
                   base::element_type format = base::element_type::f64)
{
    mmv::limits limits;
    limits.side = side;
    limits.format = format;
    limits.scratchpad_bytes = scratchpad_bytes;
    limits.blocks |= isa::vector::block_bit(isa::vector::functional_block::conversion);
    return limits;
}

class mode_products_of_sizes : public testing::TestWithParam<std::tuple<sizes, base::element_type>> {};

TEST_P(mode_products_of_sizes, values_are_those_of_loops_and_counts_those_of_closed_forms)
{
    const auto& [s, format] = GetParam();
    auto given = operands(s);
    given.shifts.fill(format == base::element_type::int8 ? shift_of_int8 : 0);
    const auto limits = device(s.side, 1u << 20, format);
    test::mmv_reference pair(limits);
    const auto found = three_mode_products(pair, given);
    EXPECT_EQ(found.y, by_loops(given, format));
    EXPECT_EQ(found.costs.scratchpad_bytes, mode_product_scratchpad_bytes(given, limits));

    const std::uint64_t side = s.side;
    const auto tiles = [&](std::uint64_t n) { return (n + side - 1) / side; };
    std::uint64_t calls = 0, rows = 0, additions = 0, copies = 0, packed = 0;
    const std::uint64_t others[] = {s.shape[0] * s.shape[1], s.shape[0] * s.out_shape[2],
                                    s.out_shape[1] * s.out_shape[2]};
    const std::size_t modes[] = {2, 1, 0};
    for (std::size_t p = 0; p < 3; ++p) {
        const std::uint64_t n = s.shape[modes[p]], k = s.out_shape[modes[p]];
        calls += tiles(n) * tiles(k);
        rows += tiles(n) * tiles(k) * others[p];
        additions += (tiles(n) - 1) * tiles(k) * others[p] * (side % 2 == 0 ? side + 1 : side);
        copies += others[p] * k;
        packed += format == base::element_type::bf16
                      ? std::max(others[p] * k, (others[p] * k + 3) / 4 * 2) // whole fours
                  : format == base::element_type::f16 || format == base::element_type::int8 ? others[p] * k
                                                                                            : 0;
    }
    EXPECT_EQ(found.costs.programs, 1u);
    EXPECT_EQ(found.costs.counts[event::matmul_call], calls);
    EXPECT_EQ(found.costs.counts[event::matmul_row], rows);
    EXPECT_EQ(found.costs.counts[event::mac], rows * side * side);
    EXPECT_EQ(found.costs.counts[event::lane_add], additions);
    EXPECT_EQ(found.costs.counts[event::lane_move], copies);
    EXPECT_EQ(found.costs.counts[event::lane_logic], packed);
}

INSTANTIATE_TEST_SUITE_P(
    , mode_products_of_sizes,
    testing::Combine(testing::Values(sizes{4, {8, 8, 8}, {8, 8, 8}}, sizes{4, {5, 6, 7}, {3, 9, 2}},
                                     sizes{3, {7, 2, 4}, {4, 5, 6}}, sizes{16, {2, 3, 5}, {7, 1, 4}},
                                     sizes{4, {1, 1, 1}, {1, 1, 1}}),
                     testing::Values(base::element_type::f64, base::element_type::f32, base::element_type::bf16,
                                     base::element_type::f16, base::element_type::int8)));

TEST(mode_products, devices_that_cannot_are_told)
{
    const auto given = operands({4, {2, 2, 2}, {2, 2, 2}});
    test::mmv_reference integers(device(4, 1u << 20, base::element_type::int64));
    EXPECT_THAT(test::message_of([&] { three_mode_products(integers, given); }),
                testing::HasSubstr("found int64, expected f64, f32, bf16, f16 or int8"));
    auto limits = device(4, 1u << 20, base::element_type::bf16);
    limits.blocks = mmv::functional_blocks;
    test::mmv_reference bare(limits);
    EXPECT_THAT(test::message_of([&] { three_mode_products(bare, given); }), testing::HasSubstr("block conversion"));
}

TEST(mode_products, a_scratchpad_that_is_too_small_is_told_with_what_is_needed)
{
    test::mmv_reference pair(device(4, 1024));
    try {
        three_mode_products(pair, operands({4, {8, 8, 8}, {8, 8, 8}}));
        FAIL() << "it has room";
    } catch (const base::input_error& e) {
        EXPECT_NE(std::string(e.what()).find("found 1024 bytes"), std::string::npos) << e.what();
    }
}

} // namespace
