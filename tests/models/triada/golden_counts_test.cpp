// The 152 square and the 144 rectangular cases of the golden file, in both fidelities. The file was made by a slow
// cell-by-cell oracle.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include "models/triada/triada_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

constexpr int square_cases = 152;
constexpr int all_cases = 296;

const nlohmann::json& golden_case(int index)
{
    static const nlohmann::json cases = [] {
        std::ifstream file(std::string(TENSORLOOM_TEST_DATA) + "/triada_counts.json");
        return nlohmann::json::parse(file);
    }();
    return cases.at(static_cast<std::size_t>(index));
}

// The integer inputs that the golden file was made with.
gemt_case<double> golden_input(const nlohmann::json& golden)
{
    gemt_case<double> g;
    for (unsigned m = 0; m < 3; ++m) {
        g.shape[m] = golden.at("shape")[m].get<std::uint32_t>();
        g.out[m] = golden.at("out_shape")[m].get<std::uint32_t>();
        g.order[m] = golden.at("order")[m].get<unsigned>();
    }
    g.esop = golden.at("esop").get<bool>();
    const bool sparse_x = golden.at("sparse_tensor").get<bool>();
    const bool sparse_c = golden.at("sparse_matrices").get<bool>();
    for (unsigned i = 0; i < g.shape[0]; ++i) {
        for (unsigned j = 0; j < g.shape[1]; ++j) {
            for (unsigned k = 0; k < g.shape[2]; ++k) {
                const bool kept = !sparse_x || (5 * i + 3 * j + 7 * k) % 3 == 0;
                g.x.push_back(kept ? static_cast<double>((7 * i + 11 * j + 13 * k) % 17) - 8 : 0);
            }
        }
    }
    for (unsigned mode = 1; mode <= 3; ++mode) {
        for (unsigned a = 0; a < g.shape[mode - 1]; ++a) {
            for (unsigned b = 0; b < g.out[mode - 1]; ++b) {
                const bool kept = !sparse_c || ((a + 2 * b + mode) % 3 == 0 && a % 4 != 1);
                g.matrices[mode - 1].push_back(kept ? static_cast<double>((3 * a + 5 * b + mode) % 7) - 3 : 0);
            }
        }
    }
    return g;
}

class golden_counts : public sim_test_with_param<std::tuple<int, triada::fidelity>> {};

TEST_P(golden_counts, results_and_counts_of_every_stage)
{
    const auto& golden = golden_case(std::get<0>(GetParam()));
    const auto g = golden_input(golden);
    triada::config config;
    for (unsigned m = 0; m < 3; ++m) { config.mesh[m] = std::max(g.shape[m], g.out[m]); }
    const std::uint64_t box = std::uint64_t{config.mesh[0]} * config.mesh[1] * config.mesh[2];
    config.fidelity = std::get<1>(GetParam());
    gemt_outcome<double> outcome;
    triada_bench bench("bench", config, [&](triada_bench& b) { outcome = b.run(g); });
    run_to_end(bench);

    double sum = 0;
    double abs_sum = 0;
    for (double y : outcome.y) {
        sum += y;
        abs_sum += std::fabs(y);
    }
    EXPECT_EQ(sum, golden.at("checksum").get<double>());
    EXPECT_EQ(abs_sum, golden.at("abs_checksum").get<double>());
    EXPECT_EQ(outcome.y.front(), golden.at("corner")[0].get<double>());
    EXPECT_EQ(outcome.y.back(), golden.at("corner")[1].get<double>());

    std::uint64_t steps = 0;
    for (unsigned stage = 1; stage <= 3; ++stage) {
        SCOPED_TRACE("stage " + std::to_string(stage));
        triada::counts total;
        for (const auto& row : outcome.rows) {
            if (row.phase != "stage_" + std::to_string(stage)) { continue; }
            total += row.counts;
        }
        const auto& expected = golden.at("stages")[stage - 1];
        EXPECT_EQ(expected.at("mode").get<unsigned>(), g.order[stage - 1]);
        EXPECT_EQ(total[triada::event::step], expected.at("steps").get<std::uint64_t>());
        EXPECT_EQ(total[triada::event::step_skipped], expected.at("steps_skipped").get<std::uint64_t>());
        EXPECT_EQ(total[triada::event::coefficient_send], expected.at("coefficient_sends").get<std::uint64_t>());
        EXPECT_EQ(total[triada::event::operand_send], expected.at("operand_sends").get<std::uint64_t>());
        EXPECT_EQ(total[triada::event::mac], expected.at("macs").get<std::uint64_t>());
        EXPECT_EQ(total[triada::event::mac_skipped], expected.at("macs_skipped").get<std::uint64_t>());
        steps += total[triada::event::step];
        const std::uint64_t n = g.shape[g.order[stage - 1] - 1];
        EXPECT_EQ(total[triada::event::step],
                  n - total[triada::event::step_skipped]); // N_s steps less the skipped rows
        if (!g.esop) { EXPECT_EQ(total[triada::event::mac], total[triada::event::step] * box); } // 100 % utilisation
    }
    std::uint64_t compute_cycles = 0;
    for (const auto& [cause, cycles] : bench.log().cycles_by_cause()) {
        compute_cycles += cause == "compute" ? cycles : 0;
    }
    EXPECT_EQ(compute_cycles, steps * config.step_cycles);
}

INSTANTIATE_TEST_SUITE_P(cases, golden_counts,
                         ::testing::Combine(::testing::Range(0, all_cases),
                                            ::testing::Values(triada::fidelity::fast, triada::fidelity::detailed)));

TEST(golden_file, holds_every_case)
{
    int square = 0;
    for (int i = 0; i < all_cases; ++i) {
        square += golden_case(i).at("shape") == golden_case(i).at("out_shape") ? 1 : 0;
    }
    EXPECT_EQ(square, square_cases);
    EXPECT_THROW(golden_case(all_cases), nlohmann::json::out_of_range);
}

} // namespace
