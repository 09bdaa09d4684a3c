#include <tensorloom/workloads/tensor_formats/named_values.h>
#include <functional>
#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/fill.h>
#include "finite_differences.h"
#include "small_layers.h"

namespace tensorloom::test {
namespace {

using workloads::index_list;
using workloads::index_sizes;
using workloads::named_values;

named_values random_values(const index_list& indices, const index_sizes& sizes, std::uint64_t seed)
{
    const auto elements = static_cast<std::size_t>(workloads::elements_of(indices, sizes));
    return {indices, workloads::fill_tensor<double>(workloads::fill_kind::random, {elements, 1, 1}, 0, seed).data};
}

// An element by the digits of all indices.
double element(const named_values& of, const index_sizes& sizes, const std::map<std::string, std::size_t>& digits)
{
    std::size_t place = 0;
    for (const auto& index : of.indices) { place = place * sizes.at(index) + digits.at(index); }
    return of.data[place];
}

// A network by its definition: the sum of products over all digits of all indices.
std::vector<double> summed(const workloads::tensor_network& network, const std::vector<named_values>& nodes)
{
    std::vector<double> sums(static_cast<std::size_t>(workloads::elements_of(network.out, network.sizes)), 0);
    std::map<std::string, std::size_t> digits;
    std::vector<std::string> indices;
    for (const auto& [index, size] : network.sizes) { indices.push_back(index); }
    const std::function<void(std::size_t)> visit = [&](std::size_t i) {
        if (i < indices.size()) {
            for (std::size_t digit = 0; digit < network.sizes.at(indices[i]); ++digit) {
                digits[indices[i]] = digit;
                visit(i + 1);
            }
            return;
        }
        double product = 1;
        for (const auto& node : nodes) { product *= element(node, network.sizes, digits); }
        std::size_t place = 0;
        for (const auto& index : network.out) { place = place * network.sizes.at(index) + digits.at(index); }
        sums[place] += product;
    };
    visit(0);
    return sums;
}

TEST(named_values, permuted)
{
    const index_sizes sizes{{"i", 2}, {"j", 3}, {"k", 4}};
    const auto x = random_values({"i", "j", "k"}, sizes, 1);
    const auto y = workloads::permuted(x, {"k", "i", "j"}, sizes);
    for (std::size_t i = 0; i < 2; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
            for (std::size_t k = 0; k < 4; ++k) { EXPECT_EQ(y.data[(k * 2 + i) * 3 + j], x.data[(i * 3 + j) * 4 + k]); }
        }
    }
}

TEST(named_values, contraction_with_every_group_of_indices)
{
    const workloads::tensor_network network{{{"A", {"k", "b", "i", "c"}}, {"B", {"j", "b", "c", "l", "k"}}},
                                            {"l", "i", "b", "j"},
                                            {{"b", 2}, {"c", 3}, {"i", 2}, {"j", 4}, {"k", 2}, {"l", 3}}};
    const std::vector<named_values> nodes{random_values(network.nodes[0].indices, network.sizes, 1),
                                          random_values(network.nodes[1].indices, network.sizes, 2)};
    expect_near(workloads::contracted(nodes[0], nodes[1], network.out, network.sizes).data, summed(network, nodes),
                1e-14);
}

TEST(named_values, every_sequence_gives_the_sum_of_products)
{
    for (const auto& small : small_layers()) {
        auto layer = small.layer;
        layer.batch = 2;
        const auto network = workloads::forward_network(layer);
        if (workloads::elements_of(
                [&] {
                    index_list all;
                    for (const auto& [index, size] : network.sizes) { all.push_back(index); }
                    return all;
                }(),
                network.sizes) > 3000000) {
            continue; // too long for a sum by its definition
        }
        std::vector<named_values> nodes;
        for (const auto& node : network.nodes) {
            nodes.push_back(random_values(node.indices, network.sizes, nodes.size()));
        }
        const auto expected = summed(network, nodes);
        for (const auto& sequence : workloads::search_subsets(network, {}).best) {
            expect_near(workloads::value_of(network, sequence.tree, nodes).data, expected, 1e-12);
        }
        for (const auto& fixed : workloads::fixed_sequences()) {
            const auto tree = workloads::fixed_tree(network, fixed.name);
            if (tree) { expect_near(workloads::value_of(network, *tree, nodes).data, expected, 1e-12); }
        }
    }
}

class gradients : public testing::TestWithParam<small_layer> {};

// <dY, Y> is linear in each element of X and of cores.
TEST_P(gradients, are_finite_differences)
{
    const auto& layer = GetParam().layer;
    const auto network = workloads::forward_network(layer);
    std::vector<named_values> given;
    for (const auto& node : network.nodes) {
        given.push_back(random_values(node.indices, network.sizes, given.size()));
    }
    given.push_back(random_values(network.out, network.sizes, 99));
    const auto best = workloads::search_subsets(network, {}).best;
    for (const auto& tree : {best.front().tree, best.back().tree}) {
        const auto product = [&] {
            const auto y = workloads::value_of(network, tree, {given.begin(), given.end() - 1});
            double sum = 0;
            for (std::size_t i = 0; i < y.data.size(); ++i) { sum += y.data[i] * given.back().data[i]; }
            return sum;
        };
        const auto values = workloads::values_of(workloads::reverse_mode(network, tree, true), given);
        for (std::size_t n = 0; n < network.nodes.size(); ++n) {
            const auto& found = values.at("d" + network.nodes[n].name);
            ASSERT_EQ(found.indices, network.nodes[n].indices);
            expect_near(found.data, central_differences(given[n].data, product), 1e-10);
        }
    }
}

// The gradient network of each core gives the same as reverse mode.
TEST_P(gradients, are_those_of_networks_of_their_own)
{
    const auto& layer = GetParam().layer;
    const auto network = workloads::forward_network(layer);
    std::vector<named_values> given;
    for (const auto& node : network.nodes) {
        given.push_back(random_values(node.indices, network.sizes, given.size()));
    }
    given.push_back(random_values(network.out, network.sizes, 99));
    const auto tree = workloads::search_subsets(network, {}).best.front().tree;
    const auto values = workloads::values_of(workloads::reverse_mode(network, tree, true), given);
    for (const auto& core : workloads::cores_of(layer)) {
        const auto own = workloads::gradient_network(layer, core.name);
        std::vector<named_values> nodes;
        for (const auto& node : own.nodes) { nodes.push_back(values.at(node.name)); }
        const auto own_tree = workloads::search_subsets(own, {}).best.front().tree;
        expect_near(workloads::value_of(own, own_tree, nodes).data, values.at("d" + core.name).data, 1e-12);
    }
    const auto back = workloads::backward_network(layer);
    std::vector<named_values> nodes;
    for (const auto& node : back.nodes) { nodes.push_back(values.at(node.name)); }
    expect_near(workloads::value_of(back, workloads::search_subsets(back, {}).best.front().tree, nodes).data,
                values.at("dX").data, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(formats, gradients, testing::ValuesIn(small_layers()), name_of_layer);

} // namespace
} // namespace tensorloom::test
