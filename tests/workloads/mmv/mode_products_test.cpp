// Products of a tensor with a matrix in each mode on an MMU/VCU pair: values of plain loops, counts of closed forms.
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/workloads/mmv/mode_products.h>
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

std::vector<double> by_loops(const mode_product_operands& o)
{
    std::vector<double> y;
    const auto& [n1, n2, n3] = o.shape;
    const auto& [k1, k2, k3] = o.out_shape;
    for (std::size_t i = 0; i < k1; ++i) {
        for (std::size_t j = 0; j < k2; ++j) {
            for (std::size_t k = 0; k < k3; ++k) {
                double sum = 0;
                for (std::size_t a = 0; a < n1; ++a) {
                    for (std::size_t b = 0; b < n2; ++b) {
                        for (std::size_t c = 0; c < n3; ++c) {
                            sum += o.x[(a * n2 + b) * n3 + c] * o.matrices[0][a * k1 + i] * o.matrices[1][b * k2 + j] *
                                   o.matrices[2][c * k3 + k];
                        }
                    }
                }
                y.push_back(sum);
            }
        }
    }
    return y;
}

mmv::limits device(std::uint32_t side, std::uint64_t scratchpad_bytes = 1u << 20)
{
    mmv::limits limits;
    limits.side = side;
    limits.format = base::element_type::f64;
    limits.scratchpad_bytes = scratchpad_bytes;
    return limits;
}

class mode_products_of_sizes : public testing::TestWithParam<sizes> {};

TEST_P(mode_products_of_sizes, values_are_those_of_loops_and_counts_those_of_closed_forms)
{
    const auto& s = GetParam();
    const auto given = operands(s);
    test::mmv_reference pair(device(s.side));
    const auto found = three_mode_products(pair, given);
    EXPECT_EQ(found.y, by_loops(given));

    const auto tiles = [&](std::uint64_t n) { return (n + s.side - 1) / s.side; };
    std::uint64_t calls = 0, rows = 0, additions = 0, copies = 0;
    const std::uint64_t others[] = {s.shape[0] * s.shape[1], s.shape[0] * s.out_shape[2],
                                    s.out_shape[1] * s.out_shape[2]};
    const std::size_t modes[] = {2, 1, 0};
    for (std::size_t p = 0; p < 3; ++p) {
        const std::uint64_t n = s.shape[modes[p]], k = s.out_shape[modes[p]];
        calls += tiles(n) * tiles(k);
        rows += tiles(n) * tiles(k) * others[p];
        additions += (tiles(n) - 1) * tiles(k) * others[p] * (s.side % 2 == 0 ? s.side + 1 : s.side);
        copies += others[p] * k;
    }
    EXPECT_EQ(found.costs.programs, 1u);
    EXPECT_EQ(found.costs.counts[event::matmul_call], calls);
    EXPECT_EQ(found.costs.counts[event::matmul_row], rows);
    EXPECT_EQ(found.costs.counts[event::mac], rows * s.side * s.side);
    EXPECT_EQ(found.costs.counts[event::lane_add], additions);
    EXPECT_EQ(found.costs.counts[event::lane_move], copies);
}

INSTANTIATE_TEST_SUITE_P(, mode_products_of_sizes,
                         testing::Values(sizes{4, {8, 8, 8}, {8, 8, 8}}, sizes{4, {5, 6, 7}, {3, 9, 2}},
                                         sizes{3, {7, 2, 4}, {4, 5, 6}}, sizes{16, {2, 3, 5}, {7, 1, 4}},
                                         sizes{4, {1, 1, 1}, {1, 1, 1}}));

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
