#include <algorithm>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include "golden_networks.h"

namespace tensorloom::test {
namespace {

std::uint64_t macs_of_sequence(const workloads::tensor_network& network, const std::string& sequence)
{
    const auto tree = workloads::fixed_tree(network, sequence);
    if (!tree) { return 0; }
    workloads::check_tree(network, *tree);
    return workloads::costs_of(network, *tree).macs;
}

std::string text_of(const workloads::tensor_network& network, const std::string& sequence)
{
    return workloads::tree_text(network, *workloads::fixed_tree(network, sequence));
}

TEST(fixed_sequences, cost_what_the_golden_says)
{
    const std::map<std::string, std::string> figures{{"ascending", "seq_ascending_macs"},
                                                     {"descending", "seq_descending_macs"},
                                                     {"tetrix", "tetrix_xfirst_best_macs"},
                                                     {"reconstruct", "recon_then_dense_macs"}};
    std::size_t compared = 0;
    for (const auto& phase : golden_phases()) {
        for (const auto& [sequence, figure] : figures) {
            if (!phase.figures.contains(figure)) { continue; }
            EXPECT_EQ(macs_of_sequence(phase.network, sequence), phase.figures.at(figure))
                << name_of(phase) << " " << sequence;
            ++compared;
        }
    }
    EXPECT_EQ(compared, 48u);
}

// Layers that the golden does not have: the table of the specification, which the same prototype made.
TEST(fixed_sequences, cost_what_is_known_of_other_layers)
{
    struct row {
        const char* layer;
        std::uint64_t optimum, tetrix;
    };
    for (const row& known : {row{"ucf-tr", 141468350, 246441600}, row{"bert-tt-ffn2", 475472640, 784662528},
                             row{"wmt-tt-ffn1", 168501248, 335544320}, row{"vgg-fc6-ttm", 51390976, 58327040},
                             row{"tednet-tr", 458752000, 466944000}, row{"ht-4096", 269029376, 587202560}}) {
        EXPECT_EQ(workloads::optimal_macs(forward(known.layer)), known.optimum) << known.layer;
        EXPECT_EQ(macs_of_sequence(forward(known.layer), "tetrix"), known.tetrix) << known.layer;
    }
    EXPECT_EQ(macs_of_sequence(forward("ucf-tr"), "ascending"), 856867200u);
    EXPECT_EQ(macs_of_sequence(forward("tednet-tr"), "ascending"), 516096000u);
}

TEST(fixed_sequences, directions_are_apart)
{
    EXPECT_EQ(macs_of_sequence(forward("ucf-ttm"), "ascending"), 1210318848u);
    EXPECT_EQ(macs_of_sequence(forward("ucf-ttm"), "descending"), 185991168u);
    EXPECT_LT(macs_of_sequence(forward("ucf-tt"), "descending"), macs_of_sequence(forward("ucf-tt"), "ascending"));
    EXPECT_LT(macs_of_sequence(forward("atis-tt"), "ascending"), macs_of_sequence(forward("atis-tt"), "descending"));
}

// Claims of FETTA, section VII-B, that need no device.
TEST(fixed_sequences, claims_about_tetrix)
{
    const auto optimum = [](const char* layer) { return workloads::optimal_macs(forward(layer)); };
    EXPECT_EQ(macs_of_sequence(forward("ucf-ttm"), "tetrix"), optimum("ucf-ttm"));
    for (const char* layer : {"ucf-tt", "atis-tt", "bert-tt-attention", "bert-tt-ffn1", "bert-tt-ffn2",
                              "wmt-tt-attention", "wmt-tt-ffn1"}) {
        const auto network = forward(layer);
        EXPECT_EQ(macs_of_sequence(network, "tetrix"),
                  std::min(macs_of_sequence(network, "ascending"), macs_of_sequence(network, "descending")))
            << layer;
    }
    EXPECT_EQ(macs_of_sequence(forward("ucf-tr"), "tetrix"), 246441600u);
    EXPECT_EQ(optimum("ucf-tr"), 141468350u);
}

// Outer products are searched, and no layer needs one.
TEST(fixed_sequences, the_best_sequence_has_no_outer_product)
{
    for (const auto& layer : workloads::named_layers()) {
        const auto network = workloads::forward_network(layer.layer);
        workloads::search_request request;
        request.top = 1;
        const auto tree = workloads::search_subsets(network, request).best.front().tree;
        const auto indices = workloads::indices_of(network, tree);
        for (const auto& step : tree.steps) {
            const auto& b = indices[step.b];
            EXPECT_TRUE(std::any_of(b.begin(), b.end(), [&](const auto& index) {
                return workloads::has_index(indices[step.a], index);
            })) << layer.name;
        }
    }
}

TEST(fixed_sequences, trees)
{
    EXPECT_EQ(text_of(forward("ucf-ttm"), "ascending"), "(((X.G1).G2).G3).G4");
    EXPECT_EQ(text_of(forward("ucf-ttm"), "descending"), "(((X.G4).G3).G2).G1");
    EXPECT_EQ(text_of(forward("ucf-ttm"), "reconstruct"), "X.(((G1.G2).G3).G4)");
    EXPECT_EQ(text_of(forward("atis-tt"), "bidirectional"), "(X.((G1.G2).G3)).((G6.G5).G4)");
    EXPECT_EQ(text_of(forward("ucf-tt"), "bidirectional"), "(X.(((G7.G6).G5).G4)).((G1.G2).G3)");
}

TEST(fixed_sequences, reconstructing_in_the_best_order_is_no_dearer)
{
    for (const auto& layer : workloads::named_layers()) {
        const auto network = workloads::forward_network(layer.layer);
        EXPECT_LE(macs_of_sequence(network, "reconstruct-best"), macs_of_sequence(network, "reconstruct"))
            << layer.name;
        EXPECT_GE(macs_of_sequence(network, "reconstruct-best"),
                  workloads::dense_macs(layer.layer) / layer.layer.blocks);
    }
}

TEST(named_sequence, is_fixed_or_the_best_by_an_objective)
{
    const auto network = forward("ucf-ttm");
    const auto macs = [&](const std::string& name) {
        return workloads::costs_of(network, *workloads::named_sequence(network, name)).macs;
    };
    EXPECT_EQ(macs("ascending"), 1210318848u);
    EXPECT_EQ(macs("csse-macs"), 185991168u);
    EXPECT_EQ(macs("csse-memory"), 417064960u);
    EXPECT_FALSE(workloads::named_sequence(network, "bidirectional"));
    EXPECT_THROW(workloads::named_sequence(network, "csse-flops"), base::input_error);
}

TEST(fixed_sequences, what_a_network_does_not_have)
{
    EXPECT_FALSE(workloads::fixed_tree(forward("ucf-ttm"), "bidirectional"));
    const auto gradient = workloads::gradient_network(workloads::find_named_layer("atis-tt").layer, "G2");
    for (const char* sequence : {"bidirectional", "reconstruct", "reconstruct-best"}) {
        EXPECT_FALSE(workloads::fixed_tree(gradient, sequence)) << sequence;
    }
    EXPECT_GT(macs_of_sequence(gradient, "tetrix"), 0u);
    EXPECT_THROW(workloads::fixed_tree(gradient, "best"), base::input_error);
}

} // namespace
} // namespace tensorloom::test
