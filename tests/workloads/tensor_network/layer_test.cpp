#include <tensorloom/workloads/tensor_network/layer.h>
#include <set>
#include <gtest/gtest.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include "contraction_search/golden_networks.h"
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using workloads::layer_format;
using workloads::tensorized_layer;

std::string text_of(const workloads::tensor_network& network)
{
    std::string text;
    const auto add = [&](const workloads::index_list& indices) {
        for (const auto& index : indices) { text += index + " "; }
    };
    for (const auto& node : network.nodes) {
        text += node.name + ": ";
        add(node.indices);
    }
    text += "-> ";
    add(network.out);
    return text;
}

TEST(layer, networks_of_every_format)
{
    const tensorized_layer tt{layer_format::tt, {2, 3}, {4, 5}, {2, 3, 4}, 6};
    EXPECT_EQ(text_of(workloads::forward_network(tt)),
              "X: b n1 n2 G1: m1 r1 G2: r1 m2 r2 G3: r2 n1 r3 G4: r3 n2 -> b m1 m2 ");
    auto nm = tt;
    nm.order = workloads::core_order::nm;
    EXPECT_EQ(text_of(workloads::backward_network(nm)),
              "dY: b m1 m2 G1: n1 r1 G2: r1 n2 r2 G3: r2 m1 r3 G4: r3 m2 -> b n1 n2 ");
    const tensorized_layer ttm{layer_format::ttm, {2, 3, 2}, {4, 5, 2}, {2, 3}, 6};
    EXPECT_EQ(text_of(workloads::gradient_network(ttm, "G2")),
              "X: b n1 n2 n3 dY: b m1 m2 m3 G1: m1 n1 r1 G3: r2 m3 n3 -> r1 m2 n2 r2 ");
    const tensorized_layer tr{layer_format::tr, {2}, {4, 5}, {2, 3, 4}, 6};
    EXPECT_EQ(text_of(workloads::matrix_network(tr)), "G1: r0 m1 r1 G2: r1 n1 r2 G3: r2 n2 r0 -> m1 n1 n2 ");
    const tensorized_layer ht{layer_format::ht, {2, 2, 2, 2, 2}, {2, 2, 2, 2, 2}, {2, 3, 4, 5, 6, 7, 8, 9}, 6};
    EXPECT_EQ(text_of(workloads::matrix_network(ht)),
              "U1: m1 n1 l1 U2: m2 n2 l2 U3: m3 n3 l3 U4: m4 n4 l4 U5: m5 n5 l5 B1_2: t1_2 l1 l2 B1_3: t1_3 t1_2 l3 "
              "B4_5: t4_5 l4 l5 B1_5: t1_3 t4_5 -> m1 m2 m3 m4 m5 n1 n2 n3 n4 n5 ");
    const tensorized_layer bt{layer_format::bt, {2, 3}, {4, 5}, {2, 3}, 6, 7};
    EXPECT_EQ(text_of(workloads::forward_network(bt)), "X: b n1 n2 A1: m1 n1 q1 A2: m2 n2 q2 S: q1 q2 -> b m1 m2 ");
    EXPECT_EQ(workloads::parameters(bt), 7u * (2 * 4 * 2 + 3 * 5 * 3 + 6));
}

TEST(layer, phases_by_name)
{
    const auto& layer = workloads::find_named_layer("ucf-ttm").layer;
    EXPECT_EQ(text_of(workloads::phase_network(layer, "fp")), text_of(workloads::forward_network(layer)));
    EXPECT_EQ(text_of(workloads::phase_network(layer, "bp")), text_of(workloads::backward_network(layer)));
    EXPECT_EQ(text_of(workloads::phase_network(layer, "wg:G3")), text_of(workloads::gradient_network(layer, "G3")));
    for (const char* phase : {"", "wg", "wg:", "wg:X", "update"}) {
        EXPECT_NE(message_of([&] { workloads::phase_network(layer, phase); }), "") << phase;
    }
}

// Nodes, results and sizes of the golden's networks, made from its factors and ranks.
TEST(layer, golden_networks)
{
    std::size_t compared = 0;
    for (const auto& phase : golden_phases()) {
        auto layer = workloads::find_named_layer(names_of_golden_layers().at(phase.layer)).layer;
        const auto& index = phase.network.sizes;
        if (index.count("b") != 0) { layer.batch = index.at("b"); }
        std::string name = phase.phase;
        name[0] = static_cast<char>(name[0] + 'a' - 'A');
        name[1] = static_cast<char>(name[1] + 'a' - 'A');
        const auto network = workloads::phase_network(layer, name);
        EXPECT_EQ(text_of(network), text_of(phase.network)) << name_of(phase);
        EXPECT_EQ(network.sizes, phase.network.sizes) << name_of(phase);
        ++compared;
    }
    EXPECT_EQ(compared, 88u);
}

TEST(layer, golden_parameters)
{
    for (const auto& golden : golden_layers()) {
        auto layer = workloads::find_named_layer(names_of_golden_layers().at(golden.at("name"))).layer;
        layer.batch = golden.at("B");
        EXPECT_EQ(workloads::parameters(layer), golden.at("params")) << golden.at("name");
        EXPECT_EQ(workloads::dense_macs(layer), golden.at("dense_fp_macs"));
    }
}

// The table of specification and literature.
TEST(named_layers, parameters)
{
    const std::map<std::string, std::uint64_t> known{{"ucf-ttm", 3360},
                                                     {"ucf-tt", 3302},
                                                     {"ucf-tr", 1725},
                                                     {"ucf-ht", 1584},
                                                     {"ucf-bt", 3392},
                                                     {"atis-tt", 4896},
                                                     {"bert-tt-attention", 20448},
                                                     {"bert-tt-ffn1", 28960},
                                                     {"bert-tt-ffn2", 28960},
                                                     {"wmt-tt-attention", 6272},
                                                     {"wmt-tt-ffn1", 9536},
                                                     {"vgg-fc6-ttm", 2016},
                                                     {"fc4096-ttm", 34816},
                                                     {"tednet-tr", 115200},
                                                     {"tednet-bt", 102450},
                                                     {"ht-4096", 3136}};
    for (const auto& [name, parameters] : known) {
        EXPECT_EQ(workloads::parameters(workloads::find_named_layer(name).layer), parameters) << name;
    }
}

TEST(named_layers, are_all_right)
{
    std::set<std::string> names;
    for (const auto& layer : workloads::named_layers()) {
        EXPECT_NO_THROW(workloads::check_layer(layer.layer)) << layer.name;
        EXPECT_TRUE(names.insert(layer.name).second) << layer.name;
    }
    EXPECT_EQ(workloads::forward_network(workloads::find_named_layer("ucf-tr").layer).nodes.size(), 14u);
    EXPECT_NE(message_of([] { workloads::find_named_layer("ucf"); }).find("ucf-ttm"), std::string::npos);
}

TEST(layer, ranks_as_a_user_gives_them)
{
    const tensorized_layer tt{layer_format::tt, {2, 3}, {4}, {}, 1};
    EXPECT_EQ(workloads::completed_ranks({7}, tt), (std::vector<std::uint64_t>{7, 7}));
    EXPECT_EQ(workloads::completed_ranks({1, 5, 6, 1}, tt), (std::vector<std::uint64_t>{5, 6}));
    EXPECT_EQ(workloads::completed_ranks({5, 6}, tt), (std::vector<std::uint64_t>{5, 6}));
    EXPECT_NE(message_of([&] { workloads::completed_ranks({5, 6, 7}, tt); }), "");
    EXPECT_NE(message_of([&] { workloads::completed_ranks({2, 5, 6, 1}, tt); }), "");
}

TEST(layer, refusals)
{
    const tensorized_layer right{layer_format::ttm, {2, 3}, {4, 5}, {2}, 6};
    const auto error = [&](const auto& change) {
        auto layer = right;
        change(layer);
        return message_of([&] { workloads::check_layer(layer); });
    };
    EXPECT_NO_THROW(workloads::check_layer(right));
    const auto has = [](const std::string& text, const char* words) { return text.find(words) != std::string::npos; };
    EXPECT_TRUE(has(error([](auto& l) { l.ranks = {0}; }), "rank 1 of 0"));
    EXPECT_TRUE(has(error([](auto& l) { l.ranks = {2, 2}; }), "2 ranks of ttm"));
    EXPECT_TRUE(has(error([](auto& l) { l.rows.push_back(2); }), "3 factors of rows and 2 of columns"));
    EXPECT_TRUE(has(error([](auto& l) { l.rows[1] = 0; }), "factor of rows 2 of 0"));
    EXPECT_TRUE(has(error([](auto& l) { l.batch = 0; }), "a batch of 0"));
    EXPECT_TRUE(has(error([](auto& l) { l.blocks = 2; }), "2 blocks of ttm"));
    EXPECT_TRUE(has(error([](auto& l) { l.rows.clear(); }), "no factors"));
    EXPECT_TRUE(has(error([](auto& l) { l = {layer_format::ht, {2}, {2}, {}, 1}; }), "one pair"));
}

} // namespace
} // namespace tensorloom::test
