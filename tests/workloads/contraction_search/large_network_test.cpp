#include <ctime>
#include <random>
#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction_search/good_sequence.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>

namespace {

using namespace tensorloom;

// A tree of nodes with as many further edges, and an index of the result at every fourth node.
workloads::tensor_network random_network(std::size_t nodes, unsigned seed)
{
    std::mt19937 random(seed);
    workloads::tensor_network network;
    for (std::size_t n = 0; n < nodes; ++n) { network.nodes.push_back({"N" + std::to_string(n), {}}); }
    const auto join = [&](std::size_t a, std::size_t b) {
        const auto index = "e" + std::to_string(network.sizes.size());
        network.sizes[index] = std::uint64_t{2} << random() % 3;
        network.nodes[a].indices.push_back(index);
        network.nodes[b].indices.push_back(index);
    };
    for (std::size_t n = 1; n < nodes; ++n) { join(n, random() % n); }
    for (std::size_t e = 0; e < nodes / 2; ++e) {
        const std::size_t a = random() % nodes;
        join(a, (a + 1 + random() % (nodes - 1)) % nodes);
    }
    for (std::size_t n = 0; n < nodes; n += 4) {
        const auto index = "o" + std::to_string(n);
        network.sizes[index] = 3;
        network.nodes[n].indices.insert(network.nodes[n].indices.begin(), index);
        network.out.push_back(index);
    }
    workloads::check_network(network);
    return network;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// The least of all trees, without the tested search: each set from all its halves.
std::uint64_t fewest_macs(const workloads::tensor_network& network)
{
    const std::size_t sets = std::size_t{1} << network.nodes.size();
    const auto legs = [&](std::size_t set) {
        workloads::index_list all;
        for (const auto& [index, size] : network.sizes) {
            bool inside = false, outside = workloads::has_index(network.out, index);
            for (std::size_t n = 0; n < network.nodes.size(); ++n) {
                if (!workloads::has_index(network.nodes[n].indices, index)) { continue; }
                ((set >> n & 1) != 0 ? inside : outside) = true;
            }
            if (inside && outside) { all.push_back(index); }
        }
        return all;
    };
    std::vector<workloads::index_list> of(sets);
    std::vector<std::uint64_t> cost(sets, 0);
    for (std::size_t s = 1; s < sets; ++s) {
        of[s] = legs(s);
        if ((s & (s - 1)) == 0) { continue; }
        cost[s] = ~std::uint64_t{0};
        for (std::size_t a = (s - 1) & s; a != 0; a = (a - 1) & s) {
            if (a < (s & ~a)) { continue; }
            auto joined = of[a];
            for (const auto& index : of[s & ~a]) {
                if (!workloads::has_index(joined, index)) { joined.push_back(index); }
            }
            cost[s] = std::min(cost[s], cost[a] + cost[s & ~a] + workloads::elements_of(joined, network.sizes));
        }
    }
    return cost.back();
}

// The bound leaves sets out from 10 nodes on.
TEST(large_networks, have_the_fewest_macs_of_all_trees)
{
    for (unsigned seed = 0; seed < 4; ++seed) {
        const auto network = random_network(10 + seed % 2, seed);
        const auto found = workloads::search_subsets(network, {});
        EXPECT_EQ(found.best.front().macs, fewest_macs(network)) << seed;
        EXPECT_TRUE(found.optimal);
        EXPECT_EQ(workloads::costs_of(network, found.best.front().tree).macs, found.best.front().macs);
        EXPECT_EQ(workloads::optimal_macs(network), found.best.front().macs);
    }
}

TEST(large_networks, good_sequences_are_trees_and_cost_no_less_than_the_best)
{
    double worst = 1;
    for (unsigned seed = 0; seed < 20; ++seed) {
        const auto network = random_network(2 + seed % 12, seed);
        const workloads::node_sets sets(network, workloads::search_objective::macs, {});
        const auto good = workloads::good_sequence(sets);
        workloads::check_tree(network, workloads::tree_of(good, sets.nodes()));
        const auto best = workloads::optimal_macs(network), cost = workloads::cost_of(sets, good).first;
        EXPECT_GE(cost, best);
        worst = std::max(worst, static_cast<double>(cost) / static_cast<double>(best));
    }
    EXPECT_LT(worst, 1.5); // 1 for most of them: parts of up to 8 tensors are searched exactly
}

TEST(large_networks, a_limit_of_time_holds)
{
    const auto network = random_network(20, 1);
    for (const auto objective : {workloads::search_objective::macs, workloads::search_objective::traffic}) {
        workloads::search_request request;
        request.objective = objective;
        request.seconds = 0.2;
        const double begin = cpu_seconds();
        const auto found = workloads::search_subsets(network, request);
        EXPECT_LT(cpu_seconds() - begin, 1.0);
        workloads::check_tree(network, found.best.front().tree);
        const workloads::node_sets sets(network, objective, {});
        EXPECT_LE(found.best.front().cost.first, workloads::cost_of(sets, workloads::good_sequence(sets)).first);
        EXPECT_TRUE(found.optimal || !found.complete);
    }
}

} // namespace
