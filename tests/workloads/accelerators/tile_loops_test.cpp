#include <algorithm>
#include <tuple>
#include <gtest/gtest.h>
#include <tensorloom/workloads/accelerators/tile_loops.h>

using namespace tensorloom;
using namespace tensorloom::workloads;
using fetta::event;

namespace {

/// What an array of 16 x 16 does for a product, tile by tile: the next tile is loaded, or the last result drained,
/// while rows pass; 46 cycles once.
struct walked_product {
    std::uint64_t macs = 0, cycles = 0, single_buffered = 0, tiles = 0, worked = 0;
    std::uint64_t x_lines = 0, w_lines = 0, y_lines = 0, sums = 0;

    void tile(std::uint64_t stream)
    {
        worked += stream;
        cycles += std::max<std::uint64_t>(stream, 16);
        single_buffered += stream + 46;
        ++tiles;
    }
};

walked_product weight_held(const array_product& p)
{
    walked_product found;
    for (std::uint64_t g = 0; g < p.batch; ++g) {
        for (std::uint64_t n = 0; n < p.n; n += 16) {
            for (std::uint64_t k = 0; k < p.k; k += 16) {
                const std::uint64_t rows = std::min<std::uint64_t>(16, p.k - k);
                const std::uint64_t columns = std::min<std::uint64_t>(16, p.n - n);
                found.w_lines += rows;
                for (std::uint64_t m = 0; m < p.m; ++m) {
                    found.macs += rows * columns;
                    found.sums += columns;
                    ++found.x_lines;
                    found.y_lines += k + 16 >= p.k ? 1 : 0;
                }
                found.tile(p.m);
            }
        }
    }
    found.cycles += 46;
    return found;
}

walked_product output_held(const array_product& p)
{
    walked_product found;
    for (std::uint64_t g = 0; g < p.batch; ++g) {
        for (std::uint64_t m = 0; m < p.m; m += 16) {
            for (std::uint64_t n = 0; n < p.n; n += 16) {
                const std::uint64_t rows = std::min<std::uint64_t>(16, p.m - m);
                const std::uint64_t columns = std::min<std::uint64_t>(16, p.n - n);
                for (std::uint64_t k = 0; k < p.k; ++k) {
                    found.macs += rows * columns;
                    ++found.x_lines;
                    ++found.w_lines;
                }
                found.sums += rows * columns;
                found.y_lines += rows;
                found.tile(p.k);
            }
        }
    }
    found.cycles += 46;
    return found;
}

constexpr std::uint64_t extents[] = {1, 3, 15, 16, 17, 32, 40};

class fixed_loops : public testing::TestWithParam<held_tensor> {};

TEST_P(fixed_loops, take_the_cycles_and_accesses_of_a_walk_tile_by_tile)
{
    accelerator machine = find_accelerator("tpu");
    for (const std::uint64_t g : {1, 3}) {
        for (const auto m : extents) {
            for (const auto n : extents) {
                for (const auto k : extents) {
                    const array_product p{g, m, n, k};
                    const auto walked = GetParam() == held_tensor::weight ? weight_held(p) : output_held(p);
                    const auto loops = loops_of(machine, GetParam(), p);
                    const auto counts = loops.counts(machine, {}, 4);
                    SCOPED_TRACE(testing::Message() << g << " x " << m << " x " << n << " x " << k);
                    machine.double_buffered = true;
                    ASSERT_EQ(loops.cycles(machine, {}), walked.cycles);
                    machine.double_buffered = false;
                    ASSERT_EQ(loops.cycles(machine, {}), walked.single_buffered);
                    machine.double_buffered = true;
                    ASSERT_EQ(counts[event::tile], walked.tiles);
                    ASSERT_EQ(counts[event::mac], walked.macs);
                    ASSERT_EQ(counts[event::mac] + counts[event::padding_mac], 256 * walked.worked);
                    ASSERT_EQ(counts[event::compute_cycle] + counts[event::fill_cycle], walked.cycles);
                    ASSERT_EQ(counts[event::ia_row_read], 4 * walked.x_lines); // lines of 16, rows of 4 elements
                    ASSERT_EQ(counts[event::ib_row_read], 4 * walked.w_lines);
                    ASSERT_EQ(counts[event::result_row_write], 4 * walked.y_lines);
                    ASSERT_EQ(counts[event::accumulator_psum], walked.sums);
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(orders, fixed_loops, testing::Values(held_tensor::weight, held_tensor::output));

// A walk in which every line takes its factor: rows of X, at the last tile of K also those of Y, while W is loaded.
TEST(fixed_loops, a_line_in_the_wrong_order_holds_up_what_waits_for_it)
{
    const auto machine = find_accelerator("tpu");
    const array_product p{2, 24, 40, 50};
    for (const double x : {1.0, 2.0, 5.5}) {
        for (const double w : {1.0, 3.0, 16.0}) {
            for (const double y : {1.0, 4.0}) {
                double cycles = 46;
                for (unsigned result = 0; result < 2 * 3; ++result) {
                    for (unsigned pass = 0; pass < 4; ++pass) {
                        const double rows = 24 * (pass == 3 ? std::max(x, y) : x);
                        cycles += std::max(rows, 16 * w);
                    }
                }
                const auto loops = loops_of(machine, held_tensor::weight, p);
                EXPECT_DOUBLE_EQ(loops.cycles(machine, {x, w, y}), cycles);
                EXPECT_EQ(loops.counts(machine, {x, w, y}, 4)[event::conflict_cycle],
                          static_cast<std::uint64_t>(cycles + 0.5) - weight_held(p).cycles);
            }
        }
    }
}

// All tiles of at most 256 PEs with at most 64 elements of X in a cycle, one product at a time.
TEST(any_loops, hold_the_tile_of_fewest_cycles)
{
    const auto machine = find_accelerator("sigma");
    for (const auto& [m, n, k] : {std::tuple{100, 3, 12}, {7, 70, 5}, {300, 16, 18}, {24, 1, 1000}, {5, 5, 5}}) {
        const array_product p{1, static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n),
                              static_cast<std::uint64_t>(k)};
        std::uint64_t fewest = ~std::uint64_t{0};
        for (std::uint64_t tk = 1; tk <= 64 && tk <= p.k; ++tk) {
            for (std::uint64_t tn = 1; tn * tk <= 256 && tn <= p.n; ++tn) {
                const std::uint64_t tiles = ((p.k + tk - 1) / tk) * ((p.n + tn - 1) / tn);
                fewest = std::min(fewest, tiles * std::max(p.m, (tk * tn + 63) / 64) + 24);
            }
        }
        const auto loops = loops_of(machine, held_tensor::weight, p);
        EXPECT_EQ(loops.cycles(machine, {}), fewest) << m << " " << n << " " << k;
        EXPECT_EQ(loops.counts(machine, {}, 4)[event::padding_mac], 0u);
    }
}

TEST(any_loops, never_do_more_products_in_a_cycle_than_there_are_pes)
{
    const auto machine = find_accelerator("sigma");
    for (const auto held : {held_tensor::weight, held_tensor::nothing}) {
        for (const auto g : {std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{64}}) {
            for (const auto m : extents) {
                for (const auto n : extents) {
                    for (const auto k : extents) {
                        const array_product p{g, m, n, k};
                        ASSERT_GE(256 * loops_of(machine, held, p).cycles(machine, {}), p.macs());
                    }
                }
            }
        }
    }
}

} // namespace
