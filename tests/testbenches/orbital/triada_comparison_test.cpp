// Rolling blocks beside broadcast lines: what both devices count, in one convention.
#include "orbital/triada_comparison.h"
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include "models/arch/torus/golden_torus.h"

namespace tensorloom::test {
namespace {

using namespace testbench;
namespace torus = arch::torus;
namespace triada = arch::triada;
using arch::element_type;

nlohmann::json golden_triada()
{
    std::ifstream file(std::string(TENSORLOOM_TEST_DATA) + "/triada_counts.json");
    return nlohmann::json::parse(file);
}

std::uint64_t all(const by_direction& words) { return words[0] + words[1] + words[2]; }
shape3 cube(std::uint32_t size) { return {size, size, size}; }

// What a cell-by-cell simulation has counted.
TEST(triada_comparison, time_steps_are_those_of_the_golden_file)
{
    int compared = 0;
    for (const auto& golden : golden_triada()) {
        if (golden.at("esop") || golden.at("shape") != golden.at("out_shape") ||
            golden.at("order") != nlohmann::json{3, 1, 2}) {
            continue;
        }
        const auto counts = dense_step_counts(golden.at("shape").get<shape3>());
        std::uint64_t steps = 0, coefficients = 0, operands = 0, macs = 0;
        for (const auto& stage : golden.at("stages")) {
            steps += stage.at("steps").get<std::uint64_t>();
            coefficients += stage.at("coefficient_sends").get<std::uint64_t>();
            operands += stage.at("operand_sends").get<std::uint64_t>();
            macs += stage.at("macs").get<std::uint64_t>();
        }
        EXPECT_EQ(counts[triada::event::step], steps) << golden.at("shape");
        EXPECT_EQ(counts[triada::event::coefficient_send], coefficients) << golden.at("shape");
        EXPECT_EQ(counts[triada::event::operand_send], operands) << golden.at("shape");
        EXPECT_EQ(counts[triada::event::mac], macs) << golden.at("shape");
        ++compared;
    }
    EXPECT_GT(compared, 3);
}

// What a simulation with labelled blocks has counted.
TEST(triada_comparison, rolls_are_those_of_the_golden_file)
{
    int compared = 0;
    for (const auto& golden : golden_torus("cases")) {
        if (golden.at("dir") != "forward" || !golden.at("b").is_number()) { continue; }
        const auto counts =
            orbital_step_counts(golden.at("N").get<shape3>(), golden.at("P").get<std::uint32_t>(), element_type::f64);
        by_direction words{}, pitches{};
        std::uint64_t blocks = 0, wraps = 0;
        for (const auto& roll : golden.at("rolls")) {
            const auto axis = std::string("QRS").find(roll[2].get<std::string>().at(1));
            blocks += roll[3].get<std::uint64_t>();
            words[axis] += roll[4].get<std::uint64_t>();
            wraps += roll[5].get<std::uint64_t>();
            pitches[axis] += roll[6].get<std::uint64_t>();
        }
        EXPECT_EQ(counts[torus::event::step], golden.at("steps"));
        EXPECT_EQ(counts[torus::event::mac], golden.at("macs"));
        EXPECT_EQ(counts[torus::event::roll_block], blocks);
        EXPECT_EQ(counts[torus::event::wrap_word], wraps);
        EXPECT_EQ(counts[torus::event::block_read], all(words));
        EXPECT_EQ(link_word_pitches(counts), pitches);
        ++compared;
    }
    EXPECT_GT(compared, 8);
}

// With one element per node the torus moves every word twice as far as TriADA's lines do, in all 12 N^3 (N - 1) against
// 6 N^3 (N - 1); TriADA itself counts 6 N^4 hops.
TEST(triada_comparison, twice_the_word_pitches_of_lines)
{
    for (const std::uint64_t n : {2, 3, 8, 64}) {
        const auto shape = cube(static_cast<std::uint32_t>(n));
        const auto lines = dense_step_counts(shape);
        std::uint64_t hops = 0;
        for (unsigned mode = 0; mode < 3; ++mode) {
            hops += lines[triada::coefficient_hop(mode)] + lines[triada::operand_hop(mode)];
        }
        EXPECT_EQ(hops, 6 * n * n * n * n);
        EXPECT_EQ(all(line_word_pitches(lines, shape)), 6 * n * n * n * (n - 1));
        EXPECT_EQ(all(link_word_pitches(orbital_step_counts(shape, shape[0], element_type::f64))),
                  12 * n * n * n * (n - 1));
    }
}

TEST(triada_comparison, words_of_the_torus_grow_with_its_side)
{
    const std::uint64_t n = 32;
    for (const std::uint64_t p : {1, 2, 4, 8, 16, 32}) {
        const auto counts = orbital_step_counts(cube(n), static_cast<std::uint32_t>(p), element_type::f64);
        const std::uint64_t words = p == 1 ? 0 : 5 * n * n * n * p + n * n * p * p;
        EXPECT_EQ(counts[torus::event::block_write], words) << p;
        EXPECT_EQ(counts[torus::event::mac], 3 * n * n * n * n) << p;
        EXPECT_EQ(counts[torus::event::step], 3 * p) << p;
    }
}

TEST(triada_comparison, sums_of_bf16_roll_as_float32)
{
    const auto wide = orbital_step_counts(cube(8), 4, element_type::bf16);
    const auto narrow = orbital_step_counts(cube(8), 4, element_type::f64);
    const std::uint64_t accumulators = 3 * 256 * 8; // P^4 blocks of 2 x 2 x 2 in each stage
    EXPECT_EQ(wide[torus::event::block_read], narrow[torus::event::block_read] + accumulators);
    EXPECT_EQ(wide[torus::event::roll_block], narrow[torus::event::roll_block]);
}

TEST(triada_comparison, a_wire_takes_as_long_as_it_is)
{
    EXPECT_EQ(wire_cycles(30'000, 0), 1u);
    EXPECT_EQ(wire_cycles(30'000, 10), 3u);
    EXPECT_EQ(wire_cycles(30'001, 10), 4u);
    EXPECT_EQ(wire_cycles(3, 10), 1u);
    EXPECT_EQ(wire_cycles(0, 10), 1u);
}

class compared_devices : public ::testing::Test {
protected:
    arch::technology tech = arch::load_technology("45nm");
    comparison_settings settings;
};

TEST_F(compared_devices, steps_of_triada_wait_for_its_lines)
{
    const auto at_once = triada_at(tech, 128, settings);
    EXPECT_EQ(at_once.steps, 384u);
    EXPECT_EQ(at_once.cycles, 384u * (1 + 1 + 1));
    EXPECT_NEAR(at_once.longest_wire_um, 127 * 231.83001, 1e-6);
    EXPECT_NEAR(at_once.utilisation(), 1.0 / 3, 1e-12);
    settings.mm_per_cycle = 10; // 29.4 mm
    EXPECT_EQ(triada_at(tech, 128, settings).cycles, 384u * (3 + 3 + 1));
    settings.cell_mac_cycles = 4;
    settings.mm_per_cycle = 0;
    EXPECT_EQ(triada_at(tech, 128, settings).cycles, 384u * 6);
}

TEST_F(compared_devices, a_torus_takes_the_cycles_of_the_golden_file)
{
    settings.overlap = torus::overlap_kind::none;
    const auto of = [&](std::uint32_t side, std::uint32_t block) {
        return torus_at(tech, side * block, block, settings).cycles;
    };
    EXPECT_EQ(of(4, 1), 3u * 4 * (1 + 3 + 1 + 1)); // a multiply-add, 3 more until it is done, a word, its hop
    EXPECT_EQ(of(1, 4), 777u);
}

// Of 8 x 8 x 8, with blocks of 2 on the torus: all figures by hand.
TEST_F(compared_devices, energy_of_wires_is_words_by_length)
{
    const auto mesh = triada_at(tech, 8, settings);
    // Coefficients have 65 bits, operands 64; of 6 x 8^3 x 7 word-pitches operands of the last stage go through vias.
    const double planar_operands = 2 * 512 * 7, coefficients = 3 * 512 * 7, vertical = 512 * 7;
    const double mm = 0.23183001, pj_per_bit_mm = 0.06, pj_per_via = 0.006;
    EXPECT_NEAR(mesh.pj("lines"),
                (planar_operands * 64 + coefficients * 65) * mm * pj_per_bit_mm + vertical * 64 * pj_per_via, 1e-6);
    EXPECT_EQ(mesh.word_pitches, 6u * 512 * 7);
    EXPECT_NEAR(mesh.word_mm, 5 * 512 * 7 * mm, 1e-9);
    EXPECT_NEAR(mesh.pj("mac"), 3 * 4096 * 20, 1e-6);

    const auto nodes = torus_at(tech, 8, 2, settings);
    const double pitch = nodes.pitch_um / 1000;
    const double q = 2 * 512 * 4 + 64 * 16, r = 512 * 4, s = 2 * 512 * 4; // words
    EXPECT_EQ(nodes.word_pitches, static_cast<std::uint64_t>((q + r + s) * 2 * 3 / 4));
    EXPECT_NEAR(nodes.pj("links"), ((q + s) * pitch * pj_per_bit_mm + r * pj_per_via) * 64 * 2 * 3 / 4, 1e-6);
    EXPECT_NEAR(nodes.word_mm, (q + s) * 2 * 3 / 4 * pitch, 1e-9);
    EXPECT_NEAR(nodes.longest_wire_um, 2 * nodes.pitch_um, 1e-9);
    EXPECT_EQ(nodes.multipliers, 64u);
    EXPECT_EQ(nodes.memory_words, 64u * (6 * 8 + 3 * 4));
    EXPECT_NEAR(nodes.pj("mac"), mesh.pj("mac"), 1e-6);
}

TEST_F(compared_devices, with_as_many_multipliers_a_node_is_as_wide_as_its_cells)
{
    settings.macs_per_cycle = 0;
    settings.words_per_cycle = 0;
    const auto nodes = torus_at(tech, 32, 4, settings);
    EXPECT_EQ(nodes.multipliers, 32u * 32 * 32);
    EXPECT_GT(nodes.pitch_um, 8 * 231.83); // sqrt(64) cells
    EXPECT_LT(nodes.pitch_um, 8.4 * 231.83);
}

} // namespace
} // namespace tensorloom::test
