// The cycles that docs/torus.md prints are those of the code.
#include <tensorloom/models/torus/isa/timing.h>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <gtest/gtest.h>
#include "models/torus/isa/golden_torus.h"

namespace tensorloom::test {
namespace {

using namespace torus;

// A row of numbers, without the commas between thousands.
std::vector<double> numbers_of(std::string row)
{
    row.erase(std::remove(row.begin(), row.end(), ','), row.end());
    std::replace_if(
        row.begin(), row.end(), [](char c) { return c == '|' || c == '%'; }, ' ');
    std::istringstream text(row);
    std::vector<double> numbers;
    for (double number; text >> number;) { numbers.push_back(number); }
    return numbers;
}

std::vector<std::vector<double>> rows_below(const std::string& begin)
{
    std::ifstream page(TENSORLOOM_DOCS "/torus.md");
    std::vector<std::vector<double>> rows;
    bool inside = false;
    for (std::string line; std::getline(page, line);) {
        if (line.rfind(begin, 0) == 0) { inside = true; }
        if (inside && line.empty()) { break; }
        if (const auto numbers = numbers_of(line); inside && numbers.size() > 1) { rows.push_back(numbers); }
    }
    return rows;
}

TEST(torus_page, cycles_by_overlap)
{
    constexpr std::uint32_t side = 8;
    const auto rows = rows_below("| b | ideal");
    ASSERT_EQ(rows.size(), 5u);
    for (const auto& row : rows) {
        ASSERT_EQ(row.size(), 7u);
        const auto b = static_cast<std::uint32_t>(row[0]);
        const auto sizes = cubic_blocks(b);
        timing_parameters timing{1, 4, 1, hop_cycles(side, true, 1), overlap_kind::none, 0};
        const auto stages = stages_of(direction::forward, {}, side);
        const auto cycles = [&](overlap_kind overlap) {
            timing.overlap = overlap;
            std::uint64_t sum = 0;
            for (const auto& stage : stages) { sum += stage_cycles(stage, sizes, timing); }
            return static_cast<double>(sum);
        };
        const double macs = b * b * b * b;
        EXPECT_EQ(row[1], 3 * side * macs);
        EXPECT_EQ(row[2], cycles(overlap_kind::none)) << b;
        EXPECT_EQ(row[3], cycles(overlap_kind::operand)) << b;
        EXPECT_EQ(row[4], cycles(overlap_kind::sliced)) << b;
        EXPECT_EQ(row[5], cycles(overlap_kind::shared)) << b;
        timing.overlap = overlap_kind::none;
        const auto computing = static_cast<double>(step_compute_cycles(stages[0], sizes, timing));
        EXPECT_NEAR(row[6], 100 * macs / computing, 0.05) << b;
    }
}

} // namespace
} // namespace tensorloom::test
