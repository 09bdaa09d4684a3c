#include <tensorloom/workloads/tensor_network/network.h>
#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using workloads::tensor_network;

tensor_network chain() { return {{{"A", {"i", "j"}}, {"B", {"j", "k"}}}, {"i", "k"}, {{"i", 2}, {"j", 3}, {"k", 4}}}; }

template <class Change> std::string error_after(const Change& change)
{
    auto network = chain();
    change(network);
    return message_of([&] { workloads::check_network(network); });
}

TEST(network, a_chain_is_right) { EXPECT_NO_THROW(workloads::check_network(chain())); }

TEST(network, refusals)
{
    const auto has = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
    EXPECT_TRUE(has(error_after([](auto& n) { n.nodes.clear(); }), "no nodes"));
    EXPECT_TRUE(has(error_after([](auto& n) { n.nodes[1].name = "A"; }), "two nodes 'A'"));
    EXPECT_TRUE(has(error_after([](auto& n) { n.nodes[1].name = ""; }), "without a name"));
    EXPECT_TRUE(has(error_after([](auto& n) { n.nodes[0].indices = {"i", "i"}; }), "'i' twice in 'A'"));
    EXPECT_TRUE(has(error_after([](auto& n) { n.sizes.erase("j"); }), "'j' of 'A' without a size"));
    EXPECT_TRUE(has(error_after([](auto& n) { n.sizes["q"] = 1; }), "'q', which no node has"));
    EXPECT_TRUE(has(error_after([](auto& n) { n.sizes["j"] = 0; }), "size 0 of index 'j'"));
    EXPECT_TRUE(has(error_after([](auto& n) { n.out.push_back("q"); }), "'q' in out, which no node has"));
    EXPECT_TRUE(has(error_after([](auto& n) { n.out = {"i"}; }), "'k' in 'B' only"));
    EXPECT_TRUE(has(error_after([](auto& n) { n.out.push_back("i"); }), "'i' twice in out"));
    EXPECT_TRUE(has(error_after([](auto& n) {
                        n.sizes["i"] = n.sizes["j"] = n.sizes["k"] = (1u << 31) - 1;
                        n.nodes[0].indices.push_back("k");
                    }),
                    "more than 2^63 elements"));
}

TEST(network, a_scalar_has_no_indices)
{
    EXPECT_NO_THROW(workloads::check_network({{{"A", {"i"}}, {"B", {"i"}}}, {}, {{"i", 2}}}));
}

TEST(merged_neighbours, are_those_that_stay_together)
{
    const tensor_network network{{{"X", {"b", "n1", "n2", "n3", "n4"}}, {"T", {"r", "n3", "n4"}}},
                                 {"b", "n1", "n2", "r"},
                                 {{"b", 2}, {"n1", 3}, {"n2", 5}, {"n3", 7}, {"n4", 11}, {"r", 4}}};
    const auto merged = workloads::merged_neighbours(network);
    EXPECT_EQ(merged.nodes[0].indices, (workloads::index_list{"bn1n2", "n3n4"}));
    EXPECT_EQ(merged.nodes[1].indices, (workloads::index_list{"r", "n3n4"}));
    EXPECT_EQ(merged.out, (workloads::index_list{"bn1n2", "r"}));
    EXPECT_EQ(merged.sizes, (workloads::index_sizes{{"bn1n2", 30}, {"n3n4", 77}, {"r", 4}}));
    workloads::check_network(merged);
}

TEST(merged_neighbours, in_another_order_stay_apart)
{
    const tensor_network network{{{"A", {"i", "j"}}, {"B", {"j", "i"}}}, {}, {{"i", 2}, {"j", 3}}};
    EXPECT_EQ(workloads::merged_neighbours(network).sizes.size(), 2u);
}

// A CONTRACT takes tensors of at most eight modes; UCF-TR's X has nine.
TEST(merged_neighbours, every_step_of_ucf_tr_fits_into_a_command)
{
    const auto network = workloads::forward_network(workloads::find_named_layer("ucf-tr").layer);
    EXPECT_EQ(network.nodes[0].indices.size(), 9u);
    workloads::contraction_tree tree; // X takes one core after the other
    for (std::uint32_t core = 1; core < network.nodes.size(); ++core) {
        const auto before = static_cast<std::uint32_t>(network.nodes.size()) + core - 2;
        tree.steps.push_back({core == 1 ? 0 : before, core});
    }
    const auto indices = workloads::indices_of(network, tree);
    for (std::size_t s = 0; s < tree.steps.size(); ++s) {
        tensor_network step{
            {{"A", indices[tree.steps[s].a]}, {"B", indices[tree.steps[s].b]}}, indices[network.nodes.size() + s], {}};
        for (const auto& node : step.nodes) {
            for (const auto& index : node.indices) { step.sizes[index] = network.sizes.at(index); }
        }
        const auto merged = workloads::merged_neighbours(step);
        workloads::check_network(merged);
        EXPECT_LE(merged.nodes[0].indices.size(), 8u);
        EXPECT_LE(merged.out.size(), 8u);
    }
}

} // namespace
} // namespace tensorloom::test
