#include <tensorloom/workloads/training/layers/encoder/encoder_layer.h>
#include <algorithm>
#include <set>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tensorloom/workloads/training/model_contractions.h>
#include <tensorloom/workloads/training/model_file.h>
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using workloads::encoder_layer;

encoder_layer parsed_encoder(const std::string& keys)
{
    const auto model = workloads::parse_model("layers: [{kind: encoder, " + keys + "}]", "net.yaml");
    return std::get<encoder_layer>(model.layers.at(0).what);
}

TEST(encoder_layer, every_key)
{
    const auto layer = parsed_encoder("frames: 3, features: 16, heads: 4, hidden: 24, norm: pre, epsilon: 0.25,\n"
                                      "attention: {format: ttm, rows: 4x4, cols: 2x8, ranks: 3, bias: false},\n"
                                      "up: {format: bt, rows: 6x4, cols: 4x4, ranks: 2, blocks: 3},\n"
                                      "down: {format: tt, rows: 4x4, cols: 24, ranks: \"2,5\", order: nm}");
    EXPECT_EQ(layer.frames, 3u);
    EXPECT_EQ(layer.features, 16u);
    EXPECT_EQ(layer.heads, 4u);
    EXPECT_EQ(layer.hidden, 24u);
    EXPECT_EQ(layer.norm, workloads::norm_place::pre);
    EXPECT_EQ(layer.epsilon, 0.25f);
    EXPECT_EQ(layer.inputs(), 48u);
    EXPECT_EQ(layer.outputs(), 48u);
    EXPECT_EQ(layer.attention.shape.format, workloads::layer_format::ttm);
    EXPECT_THAT(layer.attention.shape.columns, ElementsAre(2, 8));
    EXPECT_FALSE(layer.attention.bias);
    EXPECT_EQ(layer.up.shape.blocks, 3u);
    EXPECT_TRUE(layer.up.bias);
    EXPECT_THAT(layer.down.shape.ranks, ElementsAre(2, 5));
    EXPECT_EQ(layer.down.shape.order, workloads::core_order::nm);
}

TEST(encoder_layer, what_is_left_out_is_dense)
{
    const auto layer = parsed_encoder("features: 6, hidden: 5, down: {bias: false}");
    EXPECT_EQ(layer.frames, 1u);
    EXPECT_EQ(layer.heads, 1u);
    EXPECT_EQ(layer.norm, workloads::norm_place::post);
    EXPECT_EQ(layer.epsilon, 1e-5f);
    for (const auto* map : {&layer.attention, &layer.up, &layer.down}) { EXPECT_TRUE(map->dense); }
    EXPECT_EQ(layer.attention.outputs(), 6u);
    EXPECT_EQ(layer.up.outputs(), 5u);
    EXPECT_EQ(layer.down.inputs(), 5u);
    EXPECT_FALSE(layer.down.bias);
    EXPECT_EQ(layer.parameters(), 4u * (36 + 6) + (30 + 5) + 30 + 4 * 6);
    EXPECT_EQ(layer.dense_twin().parameters(), layer.parameters());
}

TEST(encoder_layer, parameters_and_those_of_its_dense_twin)
{
    const auto layer =
        parsed_encoder("features: 16, hidden: 24, attention: {format: ttm, rows: 4x4, cols: 4x4, ranks: 3},"
                       "up: {format: tt, rows: 24, cols: 16, ranks: 2}");
    EXPECT_EQ(layer.parameters(), 4u * (2 * 4 * 4 * 3 + 16) + (24 * 2 + 2 * 16 + 24) + (16 * 24 + 16) + 4 * 16);
    EXPECT_EQ(layer.dense_twin().parameters(), 4u * (16 * 16 + 16) + (24 * 16 + 24) + (16 * 24 + 16) + 4 * 16);
}

TEST(encoder_layer, first_parameters)
{
    const auto layer = parsed_encoder("features: 16, hidden: 24, heads: 2");
    const auto values = layer.initial_values(7);
    ASSERT_EQ(values.size(), 2u * 6 + 4);
    std::uint64_t count = 0;
    for (const auto& v : values) { count += v.size(); }
    EXPECT_EQ(count, layer.parameters());
    std::set<std::vector<float>> matrices;
    for (std::size_t map = 0; map < 6; ++map) {
        matrices.insert(values[2 * map]);
        EXPECT_THAT(values[2 * map + 1], Each(0.0f));
    }
    EXPECT_EQ(matrices.size(), 6u); // each another one
    for (const std::size_t norm : {12, 14}) {
        EXPECT_THAT(values[norm], Each(1.0f));
        EXPECT_THAT(values[norm + 1], Each(0.0f));
    }
}

TEST(encoder_layer, all_that_it_is_stands_in_its_text)
{
    const char* others[] = {"features: 16, hidden: 24, heads: 2",
                            "features: 16, hidden: 24, heads: 2, frames: 2",
                            "features: 32, hidden: 24, heads: 2",
                            "features: 16, hidden: 25, heads: 2",
                            "features: 16, hidden: 24, heads: 4",
                            "features: 16, hidden: 24, heads: 2, norm: pre",
                            "features: 16, hidden: 24, heads: 2, epsilon: 0.00001001",
                            "features: 16, hidden: 24, heads: 2, attention: {bias: false}",
                            "features: 16, hidden: 24, heads: 2, up: {bias: false}",
                            "features: 16, hidden: 24, heads: 2, down: {bias: false}"};
    std::set<std::string> texts;
    for (const char* keys : others) { texts.insert(parsed_encoder(keys).text()); }
    EXPECT_EQ(texts.size(), std::size(others));
}

TEST(encoder_layer, what_is_none)
{
    const std::pair<const char*, std::vector<const char*>> refused[] = {
        {"hidden: 24", {"net.yaml:1: layer layer 1: features is 0", "from 1 to 65536"}},
        {"features: 16", {"hidden is 0", "from 1 to 65536"}},
        {"features: 65537, hidden: 24", {"features is 65537"}},
        {"features: 16, hidden: 24, frames: 0", {"frames is 0", "from 1 to 4096"}},
        {"features: 16, hidden: 24, frames: 4097", {"frames is 4097"}},
        {"features: 16, hidden: 24, heads: 0", {"heads is 0", "from 1 to 16"}},
        {"features: 16, hidden: 24, heads: 32", {"heads is 32", "from 1 to 16"}},
        {"features: 16, hidden: 24, heads: 3", {"heads is 3", "a divisor of the 16 features"}},
        {"features: 16, hidden: 24, epsilon: 0", {"epsilon is 0", "from 1e-30 to 1"}},
        {"features: 16, hidden: 24, epsilon: 1.5", {"epsilon is 1.5"}},
        {"features: 16, hidden: 24, epsilon: nan", {"found 'nan'", "a number"}},
        {"features: 16, hidden: 24, norm: last", {"'last'", "one of post, pre"}},
        {"features: 16, hidden: 24, rows: 16", {"'rows'", "one of attention, down, epsilon, features"}},
        {"features: 16, hidden: 24, up: dense", {"'dense'", "a map with some of bias, blocks, cols"}},
        {"features: 16, hidden: 24, up: {frames: 2}", {"'frames'", "one of bias, blocks, cols"}},
        {"features: 16, hidden: 24, attention: {rows: 16, cols: 17}",
         {"attention has 16 outputs and 17 inputs", "expected 16 and 16"}},
        {"features: 16, hidden: 24, up: {format: ttm, rows: 4x4, cols: 4x4, ranks: 2}",
         {"up has 16 outputs and 16 inputs", "expected 24 and 16"}},
        {"features: 16, hidden: 24, down: {format: ttm, rows: 6x4, cols: 4x4, ranks: 2}",
         {"down has 24 outputs and 16 inputs", "expected 16 and 24"}},
        {"features: 16, hidden: 24, attention: {format: ttm}", {"net.yaml:1: layer layer 1", "attention", "rows"}},
        {"features: 16, hidden: 24, attention: {format: ttm, rows: 4x4, cols: 4x4, ranks: \"2,3,4\"}",
         {"net.yaml:1: layer layer 1", "attention", "ranks"}},
    };
    for (const auto& [keys, words] : refused) {
        const auto error = message_of([&, keys = keys] { parsed_encoder(keys); });
        for (const char* word : words) { EXPECT_THAT(error, HasSubstr(word)) << keys; }
        EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 0) << keys;
    }
}

// Six matrices in reverse mode with their biases; between them two products forward and four back.
TEST(encoder_layer, contractions)
{
    for (const char* norm : {"post", "pre"}) {
        const auto model = workloads::parse_model("{batch: 5, layers: [{format: dense, rows: 48, cols: 64}, "
                                                  "{name: e, kind: encoder, frames: 3, features: 16, hidden: 24, "
                                                  "heads: 4, norm: " +
                                                      std::string(norm) + "}]}",
                                                  "net.yaml");
        const auto all = workloads::contractions_of(model, fetta::device_limits{});
        const auto& layer = all.layers.at(1);
        EXPECT_EQ(layer.maps.size(), 6u);
        for (const auto& map : layer.maps) {
            EXPECT_EQ(map.rows, 15u);
            EXPECT_TRUE(map.dx);
        }
        ASSERT_EQ(layer.graphs.size(), 1u);
        const auto& graph = all.graphs[layer.graphs[0]].graph;
        std::vector<workloads::step_phase> phases;
        std::vector<std::uint64_t> macs;
        for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
            phases.push_back(graph.contractions[c].phase);
            macs.push_back(graph.macs(c));
        }
        using workloads::step_phase;
        EXPECT_THAT(phases, ElementsAre(step_phase::fp, step_phase::fp, step_phase::bp, step_phase::bp, step_phase::bp,
                                        step_phase::bp));
        EXPECT_THAT(macs, Each(5u * 3 * 3 * 16));
        EXPECT_EQ(all.parameters.at(layer.parameters.back()).name, "beta of norm 2 of e");
        EXPECT_EQ(layer.parameters.size(), 2u * 6 + 4);
    }
}

} // namespace
} // namespace tensorloom::test
