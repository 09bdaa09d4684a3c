#include <algorithm>
#include <set>
#include <utility>
#include <gmock/gmock.h>
#include <tensorloom/workloads/segmented/inputs.h>
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using namespace workloads;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;

TEST(segmented_inputs, formulas)
{
    EXPECT_THAT(formula_values(4), ElementsAre(2, 9, -7, 0)); // 13, 7932 = 20, 15851 = 4, 23770 = 11 (mod 23), less 11
    EXPECT_THAT(formula_values(2, 2), ElementsAre(-7, 0));
    EXPECT_THAT(formula_flags(8), ElementsAre(1, 0, 0, 0, 1, 0, 0, 1)); // i (i + 3) divided by 7
    EXPECT_THAT(formula_operand(3, 2, 4), ElementsAre(1959 % 16, 42462 % 16, 82965 % 16));
    const auto m = formula_matrix(4); // rows of 0, 1, 5, 4 elements
    EXPECT_THAT(m.row_starts, ElementsAre(0, 0, 1, 6, 10));
    EXPECT_THAT(m.column, ElementsAre(13, 26, 33, 0, 7, 14, 39, 6, 13, 20));
    EXPECT_THAT(m.value, ElementsAre(2, 3, 6, 9, 12, 15, 4, 7, 10, 13));
    EXPECT_EQ(validate(m), std::nullopt);
}

TEST(segmented_inputs, chance_is_the_same_everywhere)
{
    EXPECT_EQ(random_values<std::int64_t>(5, 7), random_values<std::int64_t>(5, 7));
    EXPECT_NE(random_values<std::int64_t>(5, 7), random_values<std::int64_t>(5, 8));
    EXPECT_THAT(random_values<std::int64_t>(3, 42), ElementsAre(4, 2, 4)); // as int8 of fill.h: same stream, same rule
    EXPECT_EQ(random_values<double>(1, 42)[0], 0x1.05477df5bb978p-1);
}

TEST(segmented_inputs, values_have_their_ranges)
{
    const auto whole = random_values<std::int64_t>(10000, 1);
    EXPECT_EQ(*std::min_element(whole.begin(), whole.end()), -8);
    EXPECT_EQ(*std::max_element(whole.begin(), whole.end()), 8);
    const auto bits = random_values<std::int64_t>(10000, 1, 5);
    EXPECT_EQ(*std::min_element(bits.begin(), bits.end()), 0);
    EXPECT_EQ(*std::max_element(bits.begin(), bits.end()), 31);
    const auto flags = random_flags(10000, 0.1, 3);
    EXPECT_NEAR(static_cast<double>(std::count(flags.begin(), flags.end(), 1)), 1000, 150);
    EXPECT_THAT(random_flags(100, 1, 3), Each(1));
    EXPECT_THAT(random_flags(100, 0, 3), Each(0));
}

TEST(segmented_inputs, random_matrix_has_as_many_different_places_as_asked_for)
{
    for (const std::uint64_t nonzeros : {0u, 1u, 300u, 599u, 600u}) {
        const auto m = random_matrix<double>(20, 30, nonzeros, 4);
        EXPECT_EQ(validate(m), std::nullopt);
        EXPECT_EQ(m.nonzeros(), nonzeros);
        std::set<std::pair<std::uint64_t, std::uint64_t>> places;
        for (std::uint64_t r = 0; r < m.rows; ++r) {
            EXPECT_TRUE(std::is_sorted(m.column.begin() + static_cast<std::ptrdiff_t>(m.row_starts[r]),
                                       m.column.begin() + static_cast<std::ptrdiff_t>(m.row_starts[r + 1])));
            for (std::uint64_t e = m.row_starts[r]; e < m.row_starts[r + 1]; ++e) { places.insert({r, m.column[e]}); }
        }
        EXPECT_EQ(places.size(), nonzeros);
    }
    EXPECT_GT(random_matrix<double>(1000, 1000, 1000, 1).empty_rows(), 300u); // about 1000 / e
    EXPECT_EQ(random_matrix<double>(20, 30, 600, 4).empty_rows(), 0u);
}

TEST(segmented_inputs, a_million_elements)
{
    const auto m = random_matrix<std::int64_t>(100000, 100000, 1000000, 1);
    EXPECT_EQ(validate(m), std::nullopt);
    EXPECT_EQ(m.nonzeros(), 1000000u);
}

TEST(segmented_inputs, attention_is_full_in_its_global_rows_and_has_windows_and_random_blocks_elsewhere)
{
    constexpr std::uint64_t rows = 60, block = 3, blocks = 20, random_blocks = 4;
    const attention_pattern pattern{block, random_blocks};
    const auto m = attention_matrix<std::int64_t>(rows, pattern, 9, 5);
    ASSERT_FALSE(validate(m)); // columns of a row ascend, so none is there twice
    EXPECT_EQ(m.nonzeros(), pattern.nonzeros(rows));
    EXPECT_EQ(m.empty_rows(), 0u);
    std::vector<std::uint64_t> drawn(blocks);
    for (std::uint64_t r = 0; r < rows; ++r) {
        const std::uint64_t row = r / block;
        const bool global = row == 0 || row == blocks - 1;
        std::vector<std::uint64_t> elements(blocks);
        for (std::uint64_t at = m.row_starts[r]; at < m.row_starts[r + 1]; ++at) { ++elements[m.column[at] / block]; }
        std::uint64_t others = 0;
        for (std::uint64_t column = 0; column < blocks; ++column) {
            const bool fixed =
                global || column == 0 || column == blocks - 1 || (column + 1 >= row && column <= row + 1);
            EXPECT_TRUE(elements[column] == block || (elements[column] == 0 && !fixed)) << r << ", " << column;
            if (!fixed && elements[column] > 0) {
                ++others;
                ++drawn[column];
            }
        }
        EXPECT_EQ(others, global ? 0 : random_blocks) << r;
    }
    EXPECT_GT(*std::min_element(drawn.begin() + 1, drawn.end() - 1), 0u); // every block has a chance
}

TEST(segmented_inputs, attention_of_the_paper_has_its_elements)
{
    // 128 blocks of 64: 2 full rows, 2 rows with 4 + 2 blocks, 124 with 5 + 2
    EXPECT_EQ((attention_pattern{64, 2}).nonzeros(8192), (2 * 128 + 2 * 6 + 124 * 7) * 4096u);
    EXPECT_EQ((attention_pattern{64, 2}).least_blocks(), 7u);
}

TEST(segmented_inputs, more_elements_than_places_are_refused)
{
    EXPECT_THAT(message_of([] { random_matrix<double>(20, 30, 601, 1); }),
                HasSubstr("601 elements found, expected at most the places of 20 x 30"));
    EXPECT_THAT(message_of([] { random_matrix<double>(std::uint64_t{1} << 62, 4, 1, 1); }),
                HasSubstr("expected at most the places"));
}

} // namespace
} // namespace tensorloom::test
