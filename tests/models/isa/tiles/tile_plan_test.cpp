// How products are cut into passes: against a count of every single multiplication, closed forms against the sums over
// passes.
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>
#include <gtest/gtest.h>

namespace tensorloom::test {
namespace {

using base::element_type;
using isa::mode_sizes;

using triple = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

// The elements of a block, one by one.
std::vector<triple> elements_of(const isa::tensor_block& b)
{
    std::vector<triple> all;
    for (std::uint32_t i = 0; i < b.size[0]; ++i) {
        for (std::uint32_t j = 0; j < b.size[1]; ++j) {
            for (std::uint32_t k = 0; k < b.size[2]; ++k) {
                all.emplace_back(b.first[0] + i, b.first[1] + j, b.first[2] + k);
            }
        }
    }
    return all;
}

// Every element of the output must meet every element of its fibre of the input exactly once, rows ascending, and
// nothing else. Passes that share an operand follow each other, and at most `partials` results are open at once.
void expect_every_product_once(const isa::tiled_stage& stage)
{
    using product = std::pair<triple, std::uint32_t>; // an element of the output, a row of the matrix
    std::set<product> seen;
    std::set<triple> done;                         // output elements of blocks that were closed
    std::map<mode_sizes, std::uint32_t> next_rows; // of the open blocks of the output, by their corners
    std::uint64_t rows = 0, opened = 0, operands = 0, operand_elements = 0;
    for (std::uint64_t p = 0; p < stage.passes(); ++p) {
        for (std::uint32_t n = 0; n < stage.pass(p).operand.size[stage.mode]; ++n) {
            EXPECT_EQ(stage.pass_of(rows + n), p);
        }
        const auto pass = stage.pass(p);
        for (unsigned m = 0; m < 3; ++m) {
            ASSERT_LE(pass.operand.size[m], stage.operand_tile[m]);
            ASSERT_LE(pass.result.size[m], stage.result_tile[m]);
            ASSERT_EQ(pass.box()[m], std::max(pass.operand.size[m], pass.result.size[m]));
            ASSERT_GE(std::min(pass.operand.size[m], pass.result.size[m]), 1u);
            if (m != stage.mode) {
                ASSERT_EQ(pass.operand.first[m], pass.result.first[m]);
                ASSERT_EQ(pass.operand.size[m], pass.result.size[m]);
            }
        }
        const auto before = p == 0 ? pass : stage.pass(p - 1);
        if (p == 0 || pass.operand_number != before.operand_number) {
            ASSERT_EQ(pass.operand_number, operands++);
            operand_elements += isa::volume_of(pass.operand.size);
        } else {
            ASSERT_EQ(pass.operand.first, before.operand.first);
        }
        if (pass.opens) {
            ASSERT_EQ(next_rows.count(pass.result.first), 0u);
            next_rows[pass.result.first] = 0;
            ASSERT_EQ(pass.result_number, opened++);
            ASSERT_LE(next_rows.size(), stage.partials);
        }
        ASSERT_EQ(next_rows.count(pass.result.first), 1u);
        std::uint32_t& next_row = next_rows[pass.result.first];
        const std::uint32_t first_row = pass.operand.first[stage.mode];
        ASSERT_EQ(pass.first_row, rows);
        ASSERT_EQ(first_row, next_row); // rows ascend
        next_row += pass.operand.size[stage.mode];
        ASSERT_EQ(pass.closes, next_row == stage.input[stage.mode]);
        for (const auto& e : elements_of(pass.result)) {
            ASSERT_EQ(done.count(e), 0u);
            for (std::uint32_t r = first_row; r < next_row; ++r) { ASSERT_TRUE(seen.emplace(e, r).second); }
            if (pass.closes) { done.insert(e); }
        }
        if (pass.closes) { next_rows.erase(pass.result.first); }
        rows += pass.operand.size[stage.mode];
    }
    const std::uint64_t volume = std::uint64_t{stage.output[0]} * stage.output[1] * stage.output[2];
    EXPECT_EQ(done.size(), volume);
    EXPECT_EQ(seen.size(), volume * stage.input[stage.mode]);
    EXPECT_EQ(stage.result_elements(), volume);
    EXPECT_EQ(stage.rows(), rows);
    EXPECT_EQ(stage.results(), opened);
    EXPECT_EQ(stage.operands(), operands);
    EXPECT_EQ(stage.operand_elements(), operand_elements);
}

// Tiles of another size along a mode before and behind its sum.
TEST(tile_plan, of_random_products_does_every_multiplication_once)
{
    std::mt19937 random(5);
    const auto draw = [&](std::uint32_t most) { return static_cast<std::uint32_t>(1 + random() % most); };
    const auto sizes = [&](std::uint32_t most) { return mode_sizes{draw(most), draw(most), draw(most)}; };
    for (int i = 0; i < 80; ++i) {
        SCOPED_TRACE(i);
        std::vector<unsigned> modes{0, 1, 2};
        std::shuffle(modes.begin(), modes.end(), random);
        modes.resize(draw(3));
        const auto input = sizes(7), input_tile = sizes(4), of_output = sizes(7), of_tile = sizes(4);
        mode_sizes output = input, output_tile = input_tile;
        for (const unsigned m : modes) {
            output[m] = of_output[m];
            output_tile[m] = of_tile[m];
        }
        const std::uint32_t partials = draw(4);
        const auto plan = isa::plan_tiles(input, output, modes, input_tile, output_tile, partials);
        ASSERT_EQ(plan.stages.size(), modes.size());
        std::uint64_t rows = 0, passes = 0, between = 0;
        bool fits = true;
        mode_sizes shape = input, tile = input_tile;
        for (std::size_t s = 0; s < modes.size(); ++s) {
            const auto& stage = plan.stages[s];
            EXPECT_EQ(stage.position, s);
            EXPECT_EQ(stage.partials, partials);
            EXPECT_EQ(stage.mode, modes[s]);
            EXPECT_EQ(stage.input, shape);
            EXPECT_EQ(stage.operand_tile, tile);
            EXPECT_EQ(plan.workspace_offset(s), between);
            shape[modes[s]] = output[modes[s]];
            tile[modes[s]] = output_tile[modes[s]];
            EXPECT_EQ(stage.output, shape);
            EXPECT_EQ(stage.result_tile, tile);
            expect_every_product_once(stage);
            rows += stage.rows();
            passes += stage.passes();
            between += s + 1 < modes.size() ? stage.result_elements() : 0;
        }
        for (unsigned m = 0; m < 3; ++m) { fits = fits && input[m] <= input_tile[m] && output[m] <= output_tile[m]; }
        EXPECT_EQ(plan.fits, fits);
        EXPECT_EQ(plan.rows(), rows);
        EXPECT_EQ(plan.passes(), passes);
        EXPECT_EQ(plan.workspace_elements(), fits ? 0 : between);
    }
}

TEST(block_descriptor, keeps_strides_and_moves_the_base)
{
    auto tensor = isa::dense_descriptor(0x10000, element_type::f32, {4, 5, 6});
    tensor.stride = {30, -6, 1};
    const auto block = isa::block_descriptor(tensor, {{1, 2, 3}, {3, 2, 1}});
    EXPECT_EQ(block.base, 0x10000u + 4 * (30 - 12 + 3));
    EXPECT_EQ(block.size[0], 3u);
    EXPECT_EQ(block.size[1], 2u);
    EXPECT_EQ(block.size[2], 1u);
    EXPECT_EQ(block.stride, tensor.stride);
    EXPECT_EQ(block.type, tensor.type);
}

// Element by element: tiles one after the other, each in C order.
TEST(tile_descriptor, is_where_the_tile_begins)
{
    std::mt19937 random(6);
    const auto draw = [&](std::uint32_t most) { return static_cast<std::uint32_t>(1 + random() % most); };
    for (int i = 0; i < 40; ++i) {
        const mode_sizes size{draw(9), draw(9), draw(9)}, tile{draw(4), draw(4), draw(4)};
        const auto tensor = isa::dense_descriptor(0x10000, element_type::f32, {size[0], size[1], size[2]});
        std::uint64_t at = 0x10000;
        isa::tensor_block block;
        for (block.first[0] = 0; block.first[0] < size[0]; block.first[0] += tile[0]) {
            for (block.first[1] = 0; block.first[1] < size[1]; block.first[1] += tile[1]) {
                for (block.first[2] = 0; block.first[2] < size[2]; block.first[2] += tile[2]) {
                    for (unsigned m = 0; m < 3; ++m) { block.size[m] = std::min(tile[m], size[m] - block.first[m]); }
                    const auto found = isa::tile_descriptor(tensor, tile, block);
                    EXPECT_EQ(found.base, at);
                    EXPECT_EQ(found.type, tensor.type);
                    EXPECT_EQ(found.size[2], block.size[2]);
                    EXPECT_EQ(found.stride[0], std::int64_t{block.size[1]} * block.size[2]);
                    at += 4 * isa::volume_of(block.size);
                }
            }
        }
        EXPECT_EQ(at, 0x10000 + 4 * isa::volume_of(size));
    }
}

} // namespace
} // namespace tensorloom::test
