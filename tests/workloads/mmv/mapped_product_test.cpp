// Products by the loop nest of a mapping: values of plain loops, counts of closed forms, mappings that are refused.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/workloads/mmv/mapped_product.h>
#include "support/message_of.h"
#include "support/mmv_reference.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::workloads;
using mmv::event;

mmv::limits device(std::uint32_t side, base::element_type format)
{
    mmv::limits d;
    d.side = side;
    d.format = format;
    d.blocks = 0xff;
    d.scratchpad_bytes = 1u << 20;
    return d;
}

std::vector<std::int64_t> numbers(std::uint64_t count, std::mt19937_64& random)
{
    std::vector<std::int64_t> values(count);
    for (auto& v : values) { v = static_cast<std::int64_t>(random() % 15) - 7; }
    return values;
}

// A sum at a time, rounded to the nearest, ties to even.
std::int64_t result(const mapped_sizes& s, const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& w,
                    std::uint64_t row, std::uint64_t column, std::optional<unsigned> shift)
{
    std::int64_t sum = 0;
    for (std::uint64_t k = 0; k < s.depth; ++k) { sum += a[row * s.depth + k] * w[k * s.columns + column]; }
    if (!shift) { return sum; }
    const double exact = static_cast<double>(sum) / static_cast<double>(1 << *shift);
    return static_cast<std::int64_t>(std::clamp(std::nearbyint(exact), -128.0, 127.0));
}

struct nest {
    std::string text;
    mapped_sizes sizes;
    std::uint64_t tiles = 1;  // of outer loops
    std::uint64_t blocks = 1; // of the array in a tile's W
    std::uint64_t calls = 1;  // of the rows of a tile
};

// Random counts on every level; what a dimension has in all.
nest random_nest(std::uint32_t side, std::mt19937_64& random)
{
    const auto any = [&](std::uint64_t most) { return 1 + random() % most; };
    const std::uint64_t outer_k = any(2), outer_c = any(2), outer_p = any(3), outer_q = any(2);
    const std::uint64_t k = any(3), kx = any(side), c = any(3), cx = any(side), q = any(2), n = any(2);
    const std::uint64_t q0 = any(2), p0 = any(6);
    const auto loop = [](const char* dimension, std::uint64_t count, const char* along = "") {
        return " " + std::string(dimension) + std::to_string(count) + along;
    };
    nest made;
    made.text = "L3[WIO]" + loop("K", outer_k) + loop("P", outer_p) + loop("C", outer_c) + loop("Q", outer_q) +
                " - L2[WI]" + loop("N", n) + loop("K", kx, "X") + " - L1[O]" + loop("K", k) + loop("C", c) +
                loop("Q", q) + loop("C", cx, "X") + " - L0[W]" + loop("Q", q0) + loop("P", p0);
    made.sizes = {outer_p * p0 * outer_q * q * q0 * n, outer_c * c * cx, outer_k * k * kx};
    made.tiles = outer_k * outer_c * outer_p * outer_q;
    // Along the depth a narrow array gets a block at a time, a whole one what follows without gaps.
    const std::uint64_t deep = cx < side ? c : (c * cx + side - 1) / side;
    made.blocks = deep * k;
    const std::uint64_t rows = n * q * q0 * p0, of_call = std::min<std::uint64_t>(p0, side);
    made.calls = (rows + of_call - 1) / of_call;
    return made;
}

TEST(mapped_product, has_the_values_of_plain_loops_and_the_counts_of_its_mapping)
{
    std::mt19937_64 random(7);
    for (unsigned turn = 0; turn < 60; ++turn) {
        const std::uint32_t side = turn % 3 == 0 ? 2 : turn % 3 == 1 ? 5 : 8;
        const bool packs = turn % 2 == 0;
        const auto limits = device(side, packs ? base::element_type::int8 : base::element_type::int32);
        const auto made = random_nest(side, random);
        const auto& s = made.sizes;
        SCOPED_TRACE(made.text);
        const auto mapping = parse_product_mapping(made.text, s, side);
        // From just enough to plenty.
        const mapped_memories memories{mapping.scratchpad_entries() * (1 + turn % 4),
                                       mapping.accumulator_entries(side)};
        ASSERT_LE(mapped_scratchpad_bytes(mapping, memories, limits), limits.scratchpad_bytes);
        const auto a = numbers(s.rows * s.depth, random), w = numbers(s.depth * s.columns, random);
        test::mmv_reference machine(limits);
        const unsigned shift = 2;
        const auto found = mapped_product(machine, mapping, s, memories, a, w, shift);
        const auto packed = packs ? std::optional(shift) : std::nullopt;
        std::vector<std::int64_t> expected;
        for (std::uint64_t r = 0; r < s.rows; ++r) {
            for (std::uint64_t c = 0; c < s.columns; ++c) { expected.push_back(result(s, a, w, r, c, packed)); }
        }
        ASSERT_EQ(found.z, expected);
        EXPECT_EQ(mapped_reference(s, a, w, packed), expected);
        EXPECT_EQ(found.costs.counts[event::weight_load], made.tiles * made.blocks);
        EXPECT_EQ(found.costs.counts[event::matmul_call], made.tiles * made.blocks * made.calls);
        EXPECT_EQ(found.costs.counts[event::matmul_row] * s.columns * s.depth,
                  s.rows * made.blocks * made.tiles * s.columns * s.depth * mapping.rows() * mapping.tiles() /
                      (s.rows * made.tiles));
    }
}

TEST(mapped_product, a_mapping_is_read_by_level_and_dimension)
{
    const auto m =
        parse_product_mapping("L3[WIO] K2 C8 - L2[WI] N1 K10X - L1[O] K50 C16 C16X - L0[W] N1", {1, 2048, 1000}, 16);
    ASSERT_EQ(m.outer.size(), 2u);
    EXPECT_EQ(m.outer[0].dimension, 'K');
    EXPECT_EQ(m.outer[0].count, 2u);
    EXPECT_EQ(m.outer[1].dimension, 'C');
    EXPECT_EQ(m.tiles(), 16u);
    EXPECT_EQ(m.rows(), 1u);
    EXPECT_EQ(m.depth, 256u);
    EXPECT_EQ(m.columns, 500u);
    EXPECT_EQ(m.array_columns, 10u);
    EXPECT_EQ(m.array_depth, 16u);
    EXPECT_EQ(m.scratchpad_entries(), 256u + 256u * 500u);
    EXPECT_EQ(m.accumulator_entries(16), 32u);
}

TEST(mapped_product, mappings_that_are_not_one_are_refused)
{
    const mapped_sizes sizes{6, 32, 16};
    const auto error = [&](const std::string& text) {
        return test::message_of<base::input_error>([&] { parse_product_mapping(text, sizes, 16); });
    };
    EXPECT_EQ(error("L3[WIO] N1 - L2[WI] K16X - L1[O] C2 C16X - L0[W] P3 Q2"), "");
    EXPECT_EQ(error("L3[WIO] N1"), "mapping: found 1 levels in 'L3[WIO] N1', expected 4, separated by ' - '");
    EXPECT_EQ(error("L3[WIO] N1 - L1[O] K16X - L2[WI] C2 C16X - L0[W] P3 Q2"),
              "mapping: found 'L1[O]', expected L2[WI] as this level");
    EXPECT_EQ(error("L3[WIO] - L2[WI] K16X - L1[O] C2 C16X - L0[W] P3 Q2"),
              "mapping: found no loop at L3[WIO], expected at least N1");
    EXPECT_EQ(error("L3[WIO] R3 - L2[WI] K16X - L1[O] C2 C16X - L0[W] P3 Q2"),
              "mapping: found 'R3' at L3[WIO], expected a dimension K, C, P, Q or N, a count, and perhaps X");
    EXPECT_EQ(error("L3[WIO] N0 - L2[WI] K16X - L1[O] C2 C16X - L0[W] P3 Q2").substr(0, 34),
              "mapping: found 'N0' at L3[WIO], ex");
    EXPECT_EQ(error("L3[WIO] N1 - L2[WI] K17X - L1[O] C2 C16X - L0[W] P3 Q2"),
              "mapping: found K17X at L2[WI], expected along the array K at L2 and C at L1, at most 16");
    EXPECT_EQ(error("L3[WIO] C2X - L2[WI] K16X - L1[O] C16X - L0[W] P3 Q2"),
              "mapping: found C2X at L3[WIO], expected along the array K at L2 and C at L1, at most 16");
    EXPECT_EQ(error("L3[WIO] N1 - L2[WI] K8X - L1[O] C2 C16X - L0[W] P3 Q2"),
              "mapping: found 8 iterations of K, expected 16, columns of the product");
    EXPECT_EQ(error("L3[WIO] N1 - L2[WI] K16X - L1[O] C16X - L0[W] P3 Q2"),
              "mapping: found 16 iterations of C, expected 32, the depth of the product");
    EXPECT_EQ(error("L3[WIO] N1 - L2[WI] K16X - L1[O] C2 C16X - L0[W] P3"),
              "mapping: found 3 iterations of P Q N, expected 6, rows of the product");
    EXPECT_EQ(error("L3[WIO] P1048577 - L2[WI] K16X - L1[O] C2 C16X - L0[W] N1"),
              "mapping: found more than 1048576 iterations of P, expected the sizes of the product");
}

TEST(mapped_product, a_tile_that_does_not_fit_is_refused)
{
    const mapped_sizes sizes{6, 32, 16};
    const auto mapping = parse_product_mapping("L3[WIO] N1 - L2[WI] K16X - L1[O] C2 C16X - L0[W] P3 Q2", sizes, 16);
    const auto error = [&](const mapped_memories& memories) {
        return test::message_of<base::input_error>([&] { require_room(mapping, memories, 16); });
    };
    EXPECT_EQ(error({704, 6}), "");
    EXPECT_EQ(error({703, 6}), "scratchpad entries: found 703, expected at least 704");
    EXPECT_EQ(error({704, 5}), "accumulator entries: found 5, expected at least 6");
}

} // namespace
