// Rolling blocks beside broadcast lines, in one convention: of what simulations of both have counted.
#include "orbital/triada_comparison.h"
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include "models/torus/isa/golden_torus.h"

namespace tensorloom::test {
namespace {

using namespace testbench;
using sizes3 = std::array<std::uint32_t, 3>;

std::uint64_t all(const by_direction& words) { return words[0] + words[1] + words[2]; }

// What the device counts of the golden file's sends: a hop for each cell of the line. In stages 1 and 2 coefficients go
// along the mode that is neither summed nor summed last, in stage 3 along the one summed second; operands along the
// summed one.
triada::counts counts_of(const nlohmann::json& golden)
{
    const auto shape = golden.at("shape").get<sizes3>();
    const auto order = golden.at("order").get<sizes3>();
    const unsigned along_x[] = {order[1] - 1, order[0] - 1, order[1] - 1};
    triada::counts counts;
    for (unsigned i = 0; i < 3; ++i) {
        const auto& stage = golden.at("stages")[i];
        const unsigned summed = stage.at("mode").get<unsigned>() - 1;
        counts[triada::coefficient_hop(along_x[i])] +=
            stage.at("coefficient_sends").get<std::uint64_t>() * shape[along_x[i]];
        counts[triada::operand_hop(summed)] += stage.at("operand_sends").get<std::uint64_t>() * shape[summed];
    }
    return counts;
}

// Dense transforms of N x N x N, and of others: hops, words and word-pitches.
TEST(triada_comparison, a_line_that_reaches_n_cells_has_n_less_one_pitches)
{
    std::ifstream file(std::string(TENSORLOOM_TEST_DATA) + "/triada_counts.json");
    int compared = 0;
    for (const auto& golden : nlohmann::json::parse(file)) {
        if (golden.at("esop") || golden.at("shape") != golden.at("out_shape")) { continue; }
        const auto shape = golden.at("shape").get<sizes3>();
        const auto counts = counts_of(golden);
        const std::uint64_t volume = std::uint64_t{shape[0]} * shape[1] * shape[2];
        // In every time-step an operand or coefficient comes to each cell over one line of its stage's directions.
        std::uint64_t hops = 0, words = 0;
        for (unsigned i = 0; i < 3; ++i) {
            const auto& stage = golden.at("stages")[i];
            hops += 2 * volume * stage.at("steps").get<std::uint64_t>();
            words +=
                stage.at("coefficient_sends").get<std::uint64_t>() + stage.at("operand_sends").get<std::uint64_t>();
        }
        EXPECT_EQ(all(line_words(counts, shape)), words) << golden.at("shape");
        EXPECT_EQ(all(line_word_pitches(counts, shape)), hops - words) << golden.at("shape");
        ++compared;
    }
    EXPECT_GT(compared, 10);
}

triada::counts of_a_cube(std::uint64_t n)
{
    triada::counts counts;
    const std::uint64_t hops = n * n * n * n;
    for (const unsigned mode : {0u, 1u, 2u}) { counts[triada::operand_hop(mode)] = hops; }
    counts[triada::coefficient_hop(0)] = 2 * hops;
    counts[triada::coefficient_hop(2)] = hops;
    return counts;
}

TEST(triada_comparison, pitches_replace_hops_and_nothing_else)
{
    auto counts = of_a_cube(4);
    counts[triada::event::mac] = 768;
    const auto pitches = in_pitches(counts, {4, 4, 4});
    EXPECT_EQ(pitches[triada::event::mac], 768u);
    EXPECT_EQ(pitches[triada::event::lateral_coefficient_hop], 2u * 64 * 3);
    EXPECT_EQ(pitches[triada::event::frontal_operand_hop], 64u * 3);
    EXPECT_EQ(line_word_pitches(counts, {4, 4, 4}), (by_direction{3 * 64 * 3, 64 * 3, 2 * 64 * 3}));
    EXPECT_EQ(line_word_pitches(of_a_cube(1), {1, 1, 1}), (by_direction{}));
}

// A torus with one element per node moves every word twice as far as lines: 12 N^3 (N - 1) against 6 N^3 (N - 1).
TEST(triada_comparison, blocks_of_one_element_pass_twice_the_pitches_of_lines)
{
    int compared = 0;
    for (const auto& golden : golden_torus("cases")) {
        if (golden.at("b") != 1 || golden.at("dir") != "forward") { continue; }
        const std::uint64_t n = golden.at("P");
        torus::counts counts;
        for (const auto& roll : golden.at("rolls")) {
            const auto along = static_cast<torus::axis>(std::string("QRS").find(roll[2].get<std::string>().at(1)));
            counts[torus::roll_word(along)] += roll[4].get<std::uint64_t>();
            counts[torus::link_word_pitch(along)] += roll[6].get<std::uint64_t>();
        }
        const auto side = static_cast<std::uint32_t>(n);
        const auto lines = line_word_pitches(of_a_cube(n), {side, side, side});
        EXPECT_EQ(all(lines), 6 * n * n * n * (n - 1)) << n;
        EXPECT_EQ(all(link_word_pitches(counts)), 2 * all(lines)) << n;
        EXPECT_EQ(all(link_words(counts)), n == 1 ? 0 : 6 * n * n * n * n) << n;
        ++compared;
    }
    EXPECT_GT(compared, 2);
}

} // namespace
} // namespace tensorloom::test
