#include <tensorloom/models/torus/isa/matrix_classes.h>
#include <map>
#include <gtest/gtest.h>
#include "models/torus/isa/golden_matrices.h"

namespace tensorloom::test {
namespace {

using namespace torus;
using label = std::array<std::uint32_t, 2>;

/// Blocks that are only labels: who has which, as drives and rolls have it.
class labelled_plane {
public:
    explicit labelled_plane(const matrix_schedule& schedule) : m_side(schedule.side)
    {
        for (const auto which : {matrix::a, matrix::b, matrix::c}) {
            for (std::uint32_t i = 0; i < m_side; ++i) {
                for (std::uint32_t j = 0; j < m_side; ++j) {
                    m_blocks[which].push_back(home_label(which, schedule, i, j));
                }
            }
        }
    }
    label& at(matrix which, std::uint32_t i, std::uint32_t j) { return m_blocks[which][i * m_side + j]; }
    void roll(const matrix_roll& roll)
    {
        auto moved = m_blocks[roll.which];
        for (std::uint32_t i = 0; i < m_side; ++i) {
            for (std::uint32_t j = 0; j < m_side; ++j) {
                const std::uint32_t step = roll.sign > 0 ? 1 : m_side - 1;
                const std::uint32_t to_i = roll.along == axis::q ? (i + step) % m_side : i;
                const std::uint32_t to_j = roll.along == axis::s ? (j + step) % m_side : j;
                moved[to_i * m_side + to_j] = at(roll.which, i, j);
            }
        }
        m_blocks[roll.which] = std::move(moved);
    }
    const std::map<matrix, std::vector<label>>& blocks() const { return m_blocks; }

private:
    std::uint32_t m_side;
    std::map<matrix, std::vector<label>> m_blocks;
};

// In every step blocks of one i, j and k meet at each node; in the end each sum has had each k once and all are home.
TEST(matrix_classes, blocks_meet_and_go_home)
{
    for (std::uint32_t side = 1; side <= 5; ++side) {
        for (const auto& schedule : all_matrix_schedules(side)) {
            labelled_plane plane(schedule);
            const auto home = plane.blocks();
            const auto program = program_of(schedule);
            std::map<label, std::vector<std::uint32_t>> terms; // by block of the accumulator
            for (std::uint32_t t = 0; t < program.steps; ++t) {
                auto seen = plane;
                for (const auto& drive : program.drives) {
                    for (std::uint32_t line = 0; line < side; ++line) {
                        const std::uint32_t driver = (t + (drive.follows_line ? line : 0)) % side;
                        for (std::uint32_t n = 0; n < side; ++n) {
                            if (drive.along == axis::s) {
                                seen.at(drive.which, line, n) = plane.at(drive.which, line, driver);
                            } else {
                                seen.at(drive.which, n, line) = plane.at(drive.which, driver, line);
                            }
                        }
                    }
                }
                for (std::uint32_t i = 0; i < side; ++i) {
                    for (std::uint32_t j = 0; j < side; ++j) {
                        const std::uint32_t k = summed_block(schedule, i, j, t);
                        ASSERT_EQ(seen.at(matrix::a, i, j), (label{i, k}));
                        ASSERT_EQ(seen.at(matrix::b, i, j), (label{k, j}));
                        ASSERT_EQ(seen.at(matrix::c, i, j), (label{i, j}));
                        const std::uint32_t term = schedule.form == matrix_form::c_ab   ? k
                                                   : schedule.form == matrix_form::a_cb ? j
                                                                                        : i;
                        const auto sum = seen.at(program.accumulator, i, j);
                        ASSERT_EQ(term, term_block(schedule, sum[0], sum[1], t));
                        terms[sum].push_back(term);
                    }
                }
                for (const auto& roll : program.rolls) { plane.roll(roll); }
            }
            EXPECT_EQ(plane.blocks(), home);
            for (auto& [sum, all] : terms) {
                std::sort(all.begin(), all.end());
                for (std::uint32_t n = 0; n < side; ++n) { EXPECT_EQ(all.at(n), n); }
            }
        }
    }
}

TEST(matrix_classes, golden_counts)
{
    const auto table = golden_torus("twod");
    ASSERT_EQ(table.size(), 51u);
    for (const auto& row : table) {
        const std::uint32_t b = row["b"];
        const auto moved = movement_of(golden_schedule(row), {b, b, b}, true);
        EXPECT_EQ(moved.steps, row["steps"]) << row;
        EXPECT_EQ(moved.macs, row["macs"]) << row;
        EXPECT_EQ(moved.driven, row["driven"]) << row;
        EXPECT_EQ(moved.delivered, row["delivered"]) << row;
        EXPECT_EQ(golden_rolls(row), rolls_of(moved)) << row;
        EXPECT_EQ(moved.word_pitches, row["word_pitches"]) << row;
        EXPECT_EQ(moved.longest_line, row["longest_line"]) << row;
        EXPECT_EQ(moved.entered, row.value("entered", 0u)) << row;
    }
}

// i 2, j 3, k 4 elements: sums of 6, 8 and 12 words, of 4, 3 and 2 terms; a multiply-add per cycle, a latency of 4, two
// words per cycle, 3 cycles of a link and 5 of a line.
TEST(matrix_classes, cycles)
{
    timing_parameters timing{1, 4, 2, 3, overlap_kind::none, 0, 5};
    const matrix_blocks blocks{2, 3, 4};
    const auto cycles = [&](const matrix_schedule& s, overlap_kind overlap, std::uint64_t accumulator_words = 1) {
        timing.overlap = overlap;
        const auto program = program_of(s);
        return step_ends(profile_of(program, blocks, accumulator_words), program.steps, timing).back();
    };
    const std::uint64_t p = 4, computing = 24 + 3;
    // A has 8 words, B 12: 4 and 6 cycles, and their way.
    const matrix_schedule bbc{matrix_class::bbc, matrix_form::c_ab, {}, 4};
    EXPECT_EQ(cycles(bbc, overlap_kind::none), p * (6 + 5 + computing));
    EXPECT_EQ(cycles(bbc, overlap_kind::operand), 6 + 5 + p * computing); // the next step's blocks come meanwhile
    const matrix_schedule fox{matrix_class::bcr_row, matrix_form::c_ab, {}, 4};
    EXPECT_EQ(cycles(fox, overlap_kind::none), p * (4 + 5 + computing + 6 + 3));
    EXPECT_EQ(cycles(fox, overlap_kind::operand), 4 + 5 + p * computing);
    const matrix_schedule other{matrix_class::bcr_column, matrix_form::c_ab, {}, 4};
    EXPECT_EQ(cycles(other, overlap_kind::none), p * (6 + 5 + computing + 4 + 3));
    const matrix_schedule cannon{matrix_class::cra, matrix_form::c_ab, {}, 4};
    EXPECT_EQ(cycles(cannon, overlap_kind::none), p * (computing + 6 + 3));
    EXPECT_EQ(cycles(cannon, overlap_kind::operand), p * computing); // sums stay, so all that rolls is hidden
    // Sums roll when they are done: A, then B; twice as wide 8 and 12 cycles.
    const matrix_schedule of_cb{matrix_class::cra, matrix_form::a_cb, {}, 4};
    EXPECT_EQ(cycles(of_cb, overlap_kind::operand), p * (computing + 4 + 3));
    EXPECT_EQ(cycles(of_cb, overlap_kind::none, 2), p * (computing + 8 + 3));
    const matrix_schedule of_ac{matrix_class::cra, matrix_form::b_ac, {}, 4};
    EXPECT_EQ(cycles(of_ac, overlap_kind::operand), p * (computing + 6 + 3));
    EXPECT_EQ(cycles(of_ac, overlap_kind::operand, 2), p * (computing + 12 + 3));
    EXPECT_LT(cycles(of_ac, overlap_kind::sliced), p * (computing + 6 + 3)); // in two slices of the rows
    // Alone, a node waits for nobody.
    for (auto s : all_matrix_schedules(1)) { EXPECT_EQ(cycles(s, overlap_kind::none), computing); }
}

// Lines that take longer than a step: the next block comes when its line is free.
TEST(matrix_classes, lines_that_bound)
{
    const timing_parameters timing{64, 1, 1, 1, overlap_kind::operand, 0, 10};
    const auto program = program_of({matrix_class::bbc, matrix_form::c_ab, {}, 3});
    const std::uint64_t line = 16 + 10, step = 4; // 16 words, a word per cycle; 16 sums at once, of 4 terms
    const auto ends = step_ends(profile_of(program, {4, 4, 4}), 3, timing);
    EXPECT_EQ(ends.back(), 3 * line + step);
    EXPECT_EQ(line_cycles(8, 0.5), 4u);
    EXPECT_EQ(line_cycles(1, 3), 1u);
}

} // namespace
} // namespace tensorloom::test
