#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/contraction_search/training_step.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include "golden_networks.h"

namespace tensorloom::test {
namespace {

using workloads::training_phase;

workloads::contraction_tree best_tree(const workloads::tensor_network& network)
{
    workloads::search_request request;
    request.top = 1;
    return workloads::search_subsets(network, request).best.front().tree;
}

workloads::training_step best_step(const workloads::tensor_network& network, bool with_dx)
{
    return workloads::reverse_mode(network, best_tree(network), with_dx);
}

TEST(training_step, costs_three_forward_passes)
{
    for (const auto& layer : workloads::named_layers()) {
        const auto network = workloads::forward_network(layer.layer);
        const auto tree = best_tree(network);
        const auto forward = workloads::costs_of(network, tree).macs;
        const auto step = workloads::reverse_mode(network, tree, true);
        EXPECT_EQ(step.macs(), 3 * forward) << layer.name;
        EXPECT_EQ(step.macs(training_phase::fp), forward);
    }
}

TEST(training_step, without_dx_what_takes_x_is_saved)
{
    const auto network = workloads::forward_network(workloads::find_named_layer("ucf-ttm").layer);
    EXPECT_EQ(best_step(network, true).macs(), 557973504u);
    EXPECT_EQ(best_step(network, false).macs(), 469499904u);
    for (const auto& tensor : best_step(network, false).tensors) { EXPECT_NE(tensor.name, "dX"); }
}

TEST(training_step, figures_of_the_golden)
{
    std::size_t compared = 0;
    for (const auto& layer : golden_layers()) {
        for (const auto& phase : golden_phases()) {
            if (phase.layer != layer.at("name") || phase.phase != "FP") { continue; }
            const auto& train = layer.at("train");
            EXPECT_EQ(best_step(phase.network, true).macs(), train.at("reverse_mode_total")) << phase.layer;
            EXPECT_EQ(best_step(phase.network, false).macs(), train.at("reverse_mode_no_dx")) << phase.layer;
            ++compared;
        }
    }
    EXPECT_EQ(compared, 12u);
}

// Every weight gradient as a network of its own: (P + 2) / 3 times reverse mode.
TEST(training_step, phases_apart_cost_more)
{
    for (const auto& layer : golden_layers()) {
        std::uint64_t apart = 0;
        for (const auto& phase : golden_phases()) {
            if (phase.layer == layer.at("name")) { apart += workloads::optimal_macs(phase.network); }
        }
        EXPECT_EQ(apart, layer.at("train").at("independent_total")) << layer.at("name");
    }
}

TEST(training_step, every_operand_is_made_before_it_is_taken)
{
    for (const auto& layer : workloads::named_layers()) {
        const auto network = workloads::forward_network(layer.layer);
        const auto step = best_step(network, true);
        std::set<std::string> there{"dY"};
        for (const auto& node : network.nodes) { there.insert(node.name); }
        for (const auto& c : step.contractions) {
            EXPECT_TRUE(there.count(step.tensors[c.a].name) != 0) << layer.name << step.tensors[c.a].name;
            EXPECT_TRUE(there.count(step.tensors[c.b].name) != 0) << layer.name << step.tensors[c.b].name;
            EXPECT_TRUE(there.insert(step.tensors[c.result].name).second) << step.tensors[c.result].name;
        }
        for (const auto& node : network.nodes) { EXPECT_EQ(there.count("d" + node.name), 1u) << layer.name; }
    }
}

TEST(training_step, phases)
{
    const auto network = workloads::forward_network(workloads::find_named_layer("ucf-ttm").layer);
    const auto step = best_step(network, true);
    std::vector<std::string> texts;
    for (const auto& c : step.contractions) {
        texts.push_back(std::string(workloads::training_phase_values[static_cast<int>(c.phase)].name) + " " +
                        step.tensors[c.result].name + "=" + step.tensors[c.a].name + "." + step.tensors[c.b].name);
    }
    EXPECT_EQ(texts, (std::vector<std::string>{"fp T1=X.G4", "fp T2=T1.G3", "fp T3=T2.G2", "fp Y=T3.G1", "bp dT3=dY.G1",
                                               "wg dG1=T3.dY", "bp dT2=dT3.G2", "wg dG2=T2.dT3", "bp dT1=dT2.G3",
                                               "wg dG3=T1.dT2", "bp dX=dT1.G4", "wg dG4=X.dT1"}));
}

} // namespace
} // namespace tensorloom::test
