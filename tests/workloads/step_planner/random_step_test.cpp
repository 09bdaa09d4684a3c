#include <cmath>
#include <map>
#include <random>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <tensorloom/workloads/step_planner/step_run.h>
#include "support/fetta_reference.h"

using namespace tensorloom;
using namespace tensorloom::workloads;

namespace {

using random_numbers = std::mt19937;

std::uint64_t number(random_numbers& random, std::uint64_t least, std::uint64_t most)
{
    return least + random() % (most - least + 1);
}

tensorized_layer random_layer(random_numbers& random)
{
    tensorized_layer layer;
    layer.format = static_cast<layer_format>(number(random, 0, 4));
    const std::uint64_t factors = number(random, 2, 3);
    for (std::uint64_t f = 0; f < factors; ++f) {
        layer.rows.push_back(number(random, 1, 5));
        layer.columns.push_back(number(random, 1, 6));
    }
    if (layer.format == layer_format::bt) { layer.blocks = number(random, 1, 2); }
    for (std::size_t r = 0; r < rank_count(layer.format, factors, factors); ++r) {
        layer.ranks.push_back(number(random, 1, 4));
    }
    layer.batch = number(random, 1, 9);
    return layer;
}

fetta::device_limits random_limits(random_numbers& random)
{
    fetta::device_limits g;
    g.engines = number(random, 0, 1) == 0 ? 4 : 16;
    g.side = number(random, 0, 1) == 0 ? 2 : 4;
    g.bank_bytes = number(random, 0, 1) == 0 ? 4096 : 8192;
    g.accumulator_bank_bytes = 2048;
    return g;
}

// Y[b][m] of X, and of W put together element by element, as the formula of a network says: the product of all nodes,
// summed over every index that the result does not have.
std::vector<double> naive_result(const tensor_network& network, const step_values& values)
{
    std::vector<std::string> indices;
    for (const auto& [name, size] : network.sizes) { indices.push_back(name); }
    const auto offset = [&](const index_list& of, const std::map<std::string, std::uint64_t>& at) {
        std::uint64_t place = 0;
        for (const auto& index : of) { place = place * network.sizes.at(index) + at.at(index); }
        return place;
    };
    std::vector<double> y(elements_of(network.out, network.sizes));
    std::map<std::string, std::uint64_t> at;
    for (const auto& index : indices) { at[index] = 0; }
    for (;;) {
        double product = 1;
        for (std::size_t n = 0; n < network.nodes.size(); ++n) {
            product *= values.tensor[n][offset(network.nodes[n].indices, at)];
        }
        y[offset(network.out, at)] += product;
        std::size_t i = 0;
        while (i < indices.size() && ++at[indices[i]] == network.sizes.at(indices[i])) { at[indices[i++]] = 0; }
        if (i == indices.size()) { break; }
    }
    return y;
}

// What the device counts in a way that only hardware knows.
bool is_counted_by_hardware_alone(fetta::event e)
{
    return e == fetta::event::vector_word_read || e == fetta::event::vector_word_write ||
           e == fetta::event::overlapped_cycle;
}

class random_step_test : public ::testing::TestWithParam<unsigned> {};

// Planned, run on an interpreter of programs that knows nothing of plans, and compared.
TEST_P(random_step_test, gives_the_ordered_sums_bit_by_bit)
{
    random_numbers random(GetParam());
    unsigned ran = 0;
    for (unsigned i = 0; i < 10; ++i) {
        const auto layer = random_layer(random);
        const auto g = random_limits(random);
        const auto network = forward_network(layer);
        const auto& sequences = fixed_sequences();
        const auto tree = fixed_tree(network, sequences[number(random, 0, sequences.size() - 1)].name);
        step_settings settings;
        settings.training = number(random, 0, 4) != 0;
        settings.update = number(random, 0, 2) != 0;
        settings.residency = static_cast<step_residency>(number(random, 0, 4));
        settings.between = static_cast<between_passes>(number(random, 0, 2));
        if (settings.residency == step_residency::keep) {
            settings.block = layer.batch;
        } else if (number(random, 0, 1) == 0) {
            settings.block = 1;
        }
        const bool with_dx = number(random, 0, 1) == 0;
        if (!tree) { continue; }
        const auto graph = step_graph(layer, *tree, with_dx);
        const auto given = random_values(graph, GetParam() + i);
        constexpr float rate = -0.125f;
        step_plan plan;
        try {
            plan = plan_step(graph, g, settings);
        } catch (const base::input_error&) {
            continue; // it does not fit such a small memory
        }
        ++ran;
        test::fetta_reference machine(g);
        const auto program = write_step(plan, machine.data_base(), machine.data_bytes());
        const auto run = run_step(machine, plan, program, given, rate);
        const auto check = check_step(plan, given, run.values, rate);
        EXPECT_TRUE(check.same_bits) << check.first_difference << " of seed " << GetParam() << ", " << i;
        EXPECT_TRUE(check.within_bound) << check.worst << " " << check.worst_share;
        EXPECT_EQ(machine.cycles().total(), plan.engine_cycles()) << "seed " << GetParam() << ", " << i;
        EXPECT_EQ(plan.totals.program_bytes, program.bytes.size()) << "seed " << GetParam() << ", " << i;
        const auto counts = plan.estimated_counts();
        for (std::size_t e = 0; e < fetta::event_count; ++e) {
            const auto event = static_cast<fetta::event>(e);
            if (is_counted_by_hardware_alone(event)) { continue; }
            EXPECT_EQ(counts[event], machine.counted()[event])
                << fetta::event_definitions[e].name << " of seed " << GetParam() << ", " << i;
        }
        if (layer.blocks != 1) { continue; }
        const auto expected = naive_result(network, given);
        for (std::size_t t = 0; t < plan.graph.tensors.size(); ++t) {
            if (plan.graph.tensors[t].name != "Y") { continue; }
            ASSERT_EQ(run.values.tensor[t].size(), expected.size());
            double largest = 1;
            for (const double e : expected) { largest = std::max(largest, std::fabs(e)); }
            for (std::size_t e = 0; e < expected.size(); ++e) {
                EXPECT_NEAR(run.values.tensor[t][e], expected[e], 0.05 * largest);
            }
        }
    }
    EXPECT_GT(ran, 2u);
}

INSTANTIATE_TEST_SUITE_P(seeds, random_step_test, ::testing::Range(1u, 9u));

} // namespace
