#include <tensorloom/workloads/contraction/named_contraction.h>
#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/contraction_search/training_step.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include "support/message_of.h"

namespace tensorloom::workloads {
namespace {

TEST(named_contraction_test, neighbours_that_stay_together_are_one_mode)
{
    const auto step = lettered({"b", "n1", "n2", "n3", "n4"}, {"r", "n3", "n4"}, {"b", "n1", "n2", "r"},
                               {{"b", 2}, {"n1", 3}, {"n2", 5}, {"n3", 7}, {"n4", 11}, {"r", 4}});
    EXPECT_EQ(step.problem.a, "ab");
    EXPECT_EQ(step.problem.b, "cb");
    EXPECT_EQ(step.problem.c, "ac");
    EXPECT_EQ(step.problem.extent("a"), 30u);
    EXPECT_EQ(step.problem.macs(), 30u * 77 * 4);
    EXPECT_EQ(step.indices, (std::map<char, index_list>{{'a', {"b", "n1", "n2"}}, {'b', {"n3", "n4"}}, {'c', {"r"}}}));
}

// Names that are the beginning of others, and names of names.
TEST(named_contraction_test, names_may_contain_each_other)
{
    const auto step =
        lettered({"n", "n1", "nn"}, {"nn", "n11"}, {"n", "n1", "n11"}, {{"n", 2}, {"n1", 3}, {"nn", 5}, {"n11", 7}});
    EXPECT_EQ(step.indices, (std::map<char, index_list>{{'a', {"n", "n1"}}, {'b', {"nn"}}, {'c', {"n11"}}}));
}

TEST(named_contraction_test, scalars_and_outer_products)
{
    EXPECT_EQ(lettered({"i", "j"}, {"i", "j"}, {}, {{"i", 2}, {"j", 3}}).problem.contracted, "a");
    EXPECT_EQ(lettered({"i"}, {"j"}, {"i", "j"}, {{"i", 2}, {"j", 3}}).problem.macs(), 6u);
}

// Each step of every layer by name, forward and in reverse mode, along the best tree by MACs and the fixed ones.
TEST(named_contraction_test, every_step_of_every_layer_has_at_most_eight_modes)
{
    std::size_t steps = 0;
    for (const auto& layer : named_layers()) {
        const auto network = forward_network(layer.layer);
        std::vector<contraction_tree> trees{search_subsets(network, {}).best.front().tree};
        for (const char* name : {"ascending", "descending", "tetrix"}) { trees.push_back(*fixed_tree(network, name)); }
        for (const auto& tree : trees) {
            const auto training = reverse_mode(network, tree, true);
            for (const auto& c : training.contractions) {
                const auto& t = training.tensors;
                if (elements_of(t[c.result].indices, network.sizes) > max_tensor_elements ||
                    elements_of(t[c.a].indices, network.sizes) > max_tensor_elements ||
                    elements_of(t[c.b].indices, network.sizes) > max_tensor_elements) {
                    continue;
                }
                const auto step = lettered(t[c.a].indices, t[c.b].indices, t[c.result].indices, training.sizes);
                EXPECT_EQ(step.problem.macs(), c.macs()) << layer.name;
                ++steps;
            }
        }
    }
    EXPECT_GT(steps, 500u);
}

TEST(named_contraction_test, refusals)
{
    index_list many, other, result;
    index_sizes sizes;
    for (int i = 0; i < 9; ++i) { // every second index goes elsewhere, so that none stays with its neighbour
        const auto name = "i" + std::to_string(i);
        many.push_back(name);
        (i % 2 == 0 ? other : result).push_back(name);
        sizes[name] = 2;
    }
    EXPECT_NE(test::message_of([&] { lettered(many, other, result, sizes); }).find("9 modes"), std::string::npos);
}

} // namespace
} // namespace tensorloom::workloads
