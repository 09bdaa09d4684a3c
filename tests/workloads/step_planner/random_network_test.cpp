#include "workloads/step_planner/random_network.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction_search/training_step.h>

namespace tensorloom::test {
namespace {

struct drawn_step {
    workloads::tensor_network network;
    workloads::contraction_tree tree;
};

std::vector<drawn_step> drawn_steps()
{
    std::mt19937 random(1);
    std::vector<drawn_step> all(200);
    for (auto& step : all) {
        step.network = random_layer_network(random);
        step.tree = random_tree(random, step.network.nodes.size());
    }
    return all;
}

TEST(random_layer_networks, are_of_every_kind)
{
    unsigned outer_products = 0, in_three = 0, in_two_and_the_result = 0, of_one = 0;
    for (const auto& [network, tree] : drawn_steps()) {
        EXPECT_NO_THROW(workloads::check_tree(network, tree));
        EXPECT_GE(network.nodes.size(), 3u);
        EXPECT_LE(network.nodes.size(), 7u);
        for (const auto& node : network.nodes) {
            EXPECT_GE(node.indices.size(), 2u);
            EXPECT_LE(node.indices.size(), 4u);
        }
        const auto step = define_step(network, tree, true, true);
        for (const auto& c : step.contractions) {
            const auto& a = step.modes.at(c.a);
            outer_products +=
                std::any_of(a.begin(), a.end(), [&](const auto& mode) { return step.has(c.b, mode); }) ? 0 : 1;
        }
        for (const auto& [mode, size] : network.sizes) {
            const auto nodes = std::count_if(network.nodes.begin(), network.nodes.end(), [m = &mode](const auto& node) {
                return workloads::has_index(node.indices, *m);
            });
            in_three += nodes == 3 ? 1 : 0;
            in_two_and_the_result += nodes == 2 && workloads::has_index(network.out, mode) ? 1 : 0;
            of_one += size == 1 ? 1 : 0;
        }
    }
    EXPECT_GT(outer_products, 100u);
    EXPECT_GT(in_three, 20u);
    EXPECT_GT(in_two_and_the_result, 50u);
    EXPECT_GT(of_one, 200u);
}

// The definition along a tree, the sum over all indices at once and reverse mode of the workloads agree.
TEST(step_definition, gradients_are_naive_sums_and_those_of_reverse_mode)
{
    std::mt19937 random(2);
    for (const auto& [network, tree] : drawn_steps()) {
        const auto step = define_step(network, tree, true, true);
        const auto given = in_double(real_numbers(random, step));
        const auto along = values_along(step, given);
        for (const auto& [name, values] : naive_sums(step, given)) {
            ASSERT_EQ(values.size(), along.at(name).size());
            for (std::size_t i = 0; i < values.size(); ++i) { EXPECT_NEAR(values[i], along.at(name)[i], 1e-9) << name; }
        }
        std::uint64_t macs = 0;
        for (const auto& c : step.contractions) {
            std::uint64_t product = 1;
            for (const auto& [mode, size] : network.sizes) {
                product *= step.has(c.a, mode) || step.has(c.b, mode) ? size : 1;
            }
            macs += product;
        }
        EXPECT_EQ(workloads::reverse_mode(network, tree, true).macs(), macs);
    }
}

} // namespace
} // namespace tensorloom::test
