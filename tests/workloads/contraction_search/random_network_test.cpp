#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>

namespace tensorloom::test {
namespace {

using workloads::search_objective;
using workloads::tensor_network;

// 2 to 6 nodes with indices in one to three of them; an index of one node alone is in the result.
tensor_network random_network(std::mt19937& random, std::size_t nodes)
{
    const auto draw = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
    tensor_network network;
    for (std::size_t n = 0; n < nodes; ++n) { network.nodes.push_back({"N" + std::to_string(n), {}}); }
    const int indices = draw(static_cast<int>(nodes), static_cast<int>(2 * nodes));
    for (int i = 0; i < indices; ++i) {
        const std::string index = "i" + std::to_string(i);
        std::set<int> owners;
        for (int o = draw(1, 3); o > 0; --o) { owners.insert(draw(0, static_cast<int>(nodes) - 1)); }
        for (const int owner : owners) { network.nodes[static_cast<std::size_t>(owner)].indices.push_back(index); }
        network.sizes[index] = static_cast<std::uint64_t>(draw(1, 6));
        if (owners.size() == 1 || draw(0, 4) == 0) { network.out.push_back(index); }
    }
    workloads::check_network(network);
    return network;
}

using indices = std::set<std::string>;

// Costs of every sequence of a network, by the words of the paper: any pair, its union of indices.
class every_sequence {
public:
    explicit every_sequence(const tensor_network& network) : m_network(network)
    {
        std::vector<indices> tensors;
        for (const auto& node : network.nodes) { tensors.emplace_back(node.indices.begin(), node.indices.end()); }
        visit(tensors, 0, 0);
    }
    std::uint64_t least_macs = ~std::uint64_t{0}, least_memory = ~std::uint64_t{0};
    std::uint64_t sequences = 0;

private:
    std::uint64_t elements(const indices& of) const
    {
        std::uint64_t product = 1;
        for (const auto& index : of) { product *= m_network.sizes.at(index); }
        return product;
    }
    void visit(const std::vector<indices>& tensors, std::uint64_t macs, std::uint64_t memory)
    {
        if (tensors.size() == 1) {
            least_macs = std::min(least_macs, macs);
            least_memory = std::min(least_memory, memory);
            ++sequences;
            return;
        }
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            for (std::size_t j = i + 1; j < tensors.size(); ++j) {
                indices both = tensors[i];
                both.insert(tensors[j].begin(), tensors[j].end());
                std::vector<indices> left;
                indices needed(m_network.out.begin(), m_network.out.end());
                for (std::size_t k = 0; k < tensors.size(); ++k) {
                    if (k == i || k == j) { continue; }
                    left.push_back(tensors[k]);
                    needed.insert(tensors[k].begin(), tensors[k].end());
                }
                indices made;
                for (const auto& index : both) {
                    if (needed.count(index) != 0) { made.insert(index); }
                }
                left.push_back(made);
                visit(left, macs + elements(both),
                      memory + elements(tensors[i]) + elements(tensors[j]) + elements(made));
            }
        }
    }
    const tensor_network& m_network;
};

workloads::search_request request_for(search_objective objective, std::size_t top)
{
    workloads::search_request request;
    request.objective = objective;
    request.top = top;
    request.near_copy_share = 0;
    return request;
}

TEST(random_networks, optimum_is_that_of_every_sequence)
{
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        const auto network = random_network(random, 2 + static_cast<std::size_t>(round) % 5);
        const every_sequence all(network);
        for (const auto& search : {workloads::search_depth_first, workloads::search_subsets}) {
            const auto macs = search(network, request_for(search_objective::macs, 1)).best.front();
            EXPECT_EQ(macs.macs, all.least_macs) << round;
            EXPECT_EQ(workloads::costs_of(network, macs.tree).macs, all.least_macs) << round;
            const auto memory = search(network, request_for(search_objective::memory, 1)).best.front();
            EXPECT_EQ(memory.cost.first, all.least_memory) << round;
            EXPECT_EQ(workloads::costs_of(network, memory.tree).memory, all.least_memory) << round;
        }
    }
}

TEST(random_networks, number_of_sequences_and_of_trees)
{
    std::mt19937 random(2);
    const std::size_t sequences[] = {1, 3, 18, 180, 2700}, trees[] = {1, 3, 15, 105, 945};
    for (std::size_t nodes = 2; nodes <= 6; ++nodes) {
        const auto network = random_network(random, nodes);
        EXPECT_EQ(every_sequence(network).sequences, sequences[nodes - 2]);
        for (const auto& search : {workloads::search_depth_first, workloads::search_subsets}) {
            EXPECT_EQ(search(network, request_for(search_objective::macs, 2000)).best.size(), trees[nodes - 2]);
        }
    }
}

TEST(random_networks, both_searches_keep_the_same_costs)
{
    std::mt19937 random(3);
    for (int round = 0; round < 60; ++round) {
        const auto network = random_network(random, 3 + static_cast<std::size_t>(round) % 4);
        for (const auto objective : {search_objective::macs, search_objective::memory, search_objective::traffic}) {
            auto request = request_for(objective, 8);
            request.traffic.on_chip_elements = 20;
            const auto one = workloads::search_depth_first(network, request).best;
            const auto other = workloads::search_subsets(network, request).best;
            ASSERT_EQ(one.size(), other.size());
            for (std::size_t i = 0; i < one.size(); ++i) { EXPECT_EQ(one[i].cost, other[i].cost) << round << " " << i; }
        }
    }
}

TEST(random_networks, no_fixed_sequence_is_better)
{
    std::mt19937 random(4);
    for (int round = 0; round < 200; ++round) {
        const auto network = random_network(random, 2 + static_cast<std::size_t>(round) % 6);
        const auto optimum = workloads::optimal_macs(network);
        for (const auto& sequence : workloads::fixed_sequences()) {
            const auto tree = workloads::fixed_tree(network, sequence.name);
            if (!tree) { continue; }
            workloads::check_tree(network, *tree);
            EXPECT_GE(workloads::costs_of(network, *tree).macs, optimum) << round << " " << sequence.name;
        }
    }
}

} // namespace
} // namespace tensorloom::test
