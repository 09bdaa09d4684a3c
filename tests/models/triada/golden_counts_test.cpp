// The 152 square cases of the golden file, in both fidelities. The file was made by a slow cell-by-cell oracle.
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include "models/triada/device_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arch::triada_event;

constexpr int square_cases = 152;

const nlohmann::json& square_case(int index)
{
    static const std::vector<nlohmann::json> cases = [] {
        std::ifstream file(std::string(TENSORLOOM_TEST_DATA) + "/triada_counts.json");
        std::vector<nlohmann::json> square;
        for (auto& c : nlohmann::json::parse(file)) {
            if (c.at("shape") == c.at("out_shape")) { square.push_back(c); }
        }
        return square;
    }();
    return cases.at(static_cast<std::size_t>(index));
}

// The integer inputs that the golden file was made with.
gemt_case<double> golden_input(const nlohmann::json& golden)
{
    gemt_case<double> g;
    for (unsigned m = 0; m < 3; ++m) {
        g.shape[m] = golden.at("shape")[m].get<std::uint32_t>();
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
        const unsigned n = g.shape[mode - 1];
        for (unsigned a = 0; a < n; ++a) {
            for (unsigned b = 0; b < n; ++b) {
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
    const auto& golden = square_case(std::get<0>(GetParam()));
    const auto g = golden_input(golden);
    triada::config config;
    config.mesh = g.shape;
    config.fidelity = std::get<1>(GetParam());
    gemt_outcome<double> outcome;
    device_bench bench("bench", config, [&](device_bench& b) { outcome = b.run(g); });
    sc_core::sc_start();
    ASSERT_TRUE(bench.finished());

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
        arch::triada_counts total;
        for (const auto& row : outcome.rows) {
            if (row.phase != "stage_" + std::to_string(stage)) { continue; }
            for (std::size_t e = 0; e < total.size(); ++e) { total.data()[e] += row.counts[e]; }
        }
        const auto& expected = golden.at("stages")[stage - 1];
        EXPECT_EQ(expected.at("mode").get<unsigned>(), g.order[stage - 1]);
        EXPECT_EQ(total[triada_event::step], expected.at("steps").get<std::uint64_t>());
        EXPECT_EQ(total[triada_event::step_skipped], expected.at("steps_skipped").get<std::uint64_t>());
        EXPECT_EQ(total[triada_event::coefficient_send], expected.at("coefficient_sends").get<std::uint64_t>());
        EXPECT_EQ(total[triada_event::operand_send], expected.at("operand_sends").get<std::uint64_t>());
        EXPECT_EQ(total[triada_event::mac], expected.at("macs").get<std::uint64_t>());
        EXPECT_EQ(total[triada_event::mac_skipped], expected.at("macs_skipped").get<std::uint64_t>());
        steps += total[triada_event::step];
        const std::uint64_t n = g.shape[g.order[stage - 1] - 1];
        EXPECT_EQ(total[triada_event::step], n - total[triada_event::step_skipped]); // N_s steps less the skipped rows
        if (!g.esop) {
            EXPECT_EQ(total[triada_event::mac], total[triada_event::step] * g.volume());
        } // 100 % utilisation
    }
    std::uint64_t compute_cycles = 0;
    for (const auto& [cause, cycles] : bench.log().cycles_by_cause()) {
        compute_cycles += cause == "compute" ? cycles : 0;
    }
    EXPECT_EQ(compute_cycles, steps * config.step_cycles);
}

INSTANTIATE_TEST_SUITE_P(cases, golden_counts,
                         ::testing::Combine(::testing::Range(0, square_cases),
                                            ::testing::Values(triada::fidelity::fast, triada::fidelity::detailed)));

TEST(golden_file, holds_every_square_case)
{
    EXPECT_NO_THROW(square_case(square_cases - 1));
    EXPECT_THROW(square_case(square_cases), std::out_of_range);
}

} // namespace
