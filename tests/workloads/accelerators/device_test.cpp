// FETTA in the evaluation beside the device: cycles of runs with the fast fidelity and LPDDR4.
#include <cmath>
#include <fstream>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/workloads/accelerators/evaluation.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include "accelerators/lpddr4.h"

using namespace tensorloom;
using namespace tensorloom::workloads;
using test::settings_of;

namespace {

constexpr double wanted = 0.10; // of the device's cycles and energy

/// tnn_step --layer LAYER --sequence SEQUENCE [--residency spill]; no sequence: the best by estimate.
struct measured_step {
    const char* layer;
    const char* sequence;
    evaluated_residency residency;
    double cycles, uj;
};

constexpr auto blocked = evaluated_residency::blocked, spilled = evaluated_residency::spilled;
constexpr measured_step steps[] = {
    {"ucf-tt", "csse-macs", blocked, 1001826, 1766.3},
    {"ucf-ttm", "csse-macs", blocked, 2233950, 2380.1},
    {"ucf-tr", "", blocked, 1215026, 1928.2},
    {"ucf-tr", "tetrix", blocked, 12473325, 16830.0},
    {"ucf-ht", "csse-macs", blocked, 2201973, 2370.1},
    {"ucf-bt", "csse-macs", blocked, 6143310, 3190.5},
    {"atis-tt", "csse-macs", blocked, 17852, 23.63},
    {"bert-tt-attention", "csse-macs", blocked, 2327284, 2569.8},
    {"wmt-tt-attention", "csse-macs", blocked, 1048835, 1539.0},
    {"ucf-ttm", "csse-macs", spilled, 3783091, 6082.3},
    {"ucf-ht", "csse-macs", spilled, 3572619, 5753.5},
    {"ucf-bt", "csse-macs", spilled, 10231270, 14254.6},
    {"atis-tt", "csse-macs", spilled, 24455, 32.85},
    {"bert-tt-attention", "csse-macs", spilled, 2258415, 3035.8},
};

void expect_near(const measured_step& step, const evaluation_settings& settings, const costs::technology& technology)
{
    const auto& fetta = find_accelerator("fetta");
    const auto& named = find_named_layer(step.layer);
    const auto tree = *step.sequence != 0 ? *named_sequence(forward_network(named.layer), step.sequence)
                                          : best_sequence(fetta, named.layer, !named.first, mapping_objective::latency,
                                                          technology, settings);
    const auto found = evaluate(fetta, step_graph(named.layer, tree, !named.first), technology, settings);
    ASSERT_TRUE(found) << step.layer;
    EXPECT_NEAR(static_cast<double>(found->cycles), step.cycles, wanted * step.cycles)
        << step.layer << " " << step.sequence;
    EXPECT_NEAR(found->energy_pj / 1e6, step.uj, wanted * step.uj) << step.layer << " " << step.sequence;
}

TEST(fetta_evaluation, is_within_a_tenth_of_the_device_in_whole_training_steps)
{
    const auto technology = costs::load_technology("fetta-7nm");
    for (const auto& step : steps) { expect_near(step, settings_of(step.residency), technology); }
}

// tnn_step --mode-orders natural --sequence macs: every tensor in C order, rows that lie in one bank wait.
TEST(fetta_evaluation, is_within_a_tenth_of_the_device_with_natural_layouts)
{
    const auto technology = costs::load_technology("fetta-7nm");
    auto settings = settings_of(blocked);
    settings.layouts = line_layouts::natural;
    constexpr measured_step natural[] = {
        {"ucf-ttm", "csse-macs", blocked, 3162913, 3626.3},
        {"ucf-ht", "csse-macs", blocked, 2279910, 2389.1},
        {"ucf-bt", "csse-macs", blocked, 7255168, 3349.4},
        {"atis-tt", "csse-macs", blocked, 19122, 24.44},
        {"bert-tt-attention", "csse-macs", blocked, 2616318, 2630.8},
    };
    for (const auto& step : natural) { expect_near(step, settings, technology); }
}

// contract --einsum bmk,bkn->bmn: tests/testbenches/contract/golden_steps_test.py runs them.
TEST(fetta_evaluation, is_within_a_tenth_of_the_device_in_every_golden_step)
{
    const auto technology = costs::load_technology("fetta-7nm");
    auto settings = settings_of(blocked);
    settings.update = false;
    std::ifstream file(std::string(TENSORLOOM_TEST_DATA) + "/golden_step_cycles.csv");
    std::string header;
    std::getline(file, header);
    std::uint64_t g = 0, m = 0, n = 0, k = 0, cycles = 0;
    char comma = 0;
    unsigned checked = 0;
    for (; file >> g >> comma >> m >> comma >> n >> comma >> k >> comma >> cycles; ++checked) {
        const auto found = evaluate_apart(find_accelerator("fetta"), product_graph(g, m, n, k), technology, settings);
        const auto device = static_cast<double>(cycles);
        EXPECT_NEAR(static_cast<double>(found.cycles), device, wanted * device)
            << g << " " << m << " " << n << " " << k;
        EXPECT_EQ(found.macs, g * m * n * k);
    }
    EXPECT_EQ(checked, 83u);
}

} // namespace
