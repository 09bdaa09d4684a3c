#include <tensorloom/workloads/training/model_file.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using workloads::activation_kind;
using workloads::layer_format;
using workloads::model_description;
using workloads::optimizer_kind;

constexpr const char* one_layer = "layers: [{format: dense, rows: 10, cols: 64}]\n";

model_description parsed_model(const std::string& text) { return workloads::parse_model(text, "net.yaml"); }

const workloads::linear_layer& linear(const workloads::model_layer& layer)
{
    return std::get<workloads::linear_layer>(layer.what);
}

std::string error_of_model(const std::string& text)
{
    return message_of([&] { parsed_model(text); });
}

TEST(model_file, every_key)
{
    const auto model =
        parsed_model("data: digits\n"
                     "epochs: 7\n"
                     "batch: 24\n"
                     "optimizer: {kind: adam, rate: 0.25, momentum: 0.5, first_decay: 0.75, second_decay: 0.875,\n"
                     "            epsilon: 0.125, rate_decay: 0.0625}\n"
                     "layers:\n"
                     "  - {name: a, format: bt, rows: 4x8, cols: 8x8, ranks: 2, blocks: 3, bias: false,\n"
                     "     activation: tanh}\n"
                     "  - {name: b, format: tt, rows: 2x5, cols: 32, ranks: \"2,3\", order: nm, bias: true,\n"
                     "     activation: sigmoid}\n");
    EXPECT_EQ(model.name, "net.yaml");
    EXPECT_EQ(model.epochs, 7u);
    EXPECT_EQ(model.batch, 24u);
    const auto& o = model.optimizer;
    EXPECT_EQ(o.kind, optimizer_kind::adam);
    EXPECT_THAT((std::vector<float>{o.rate, o.momentum, o.first_decay, o.second_decay, o.epsilon, o.rate_decay}),
                ElementsAre(0.25f, 0.5f, 0.75f, 0.875f, 0.125f, 0.0625f));
    ASSERT_EQ(model.layers.size(), 2u);
    const auto& a = linear(model.layers[0]);
    EXPECT_EQ(model.layers[0].name, "a");
    EXPECT_EQ(a.map.shape.format, layer_format::bt);
    EXPECT_THAT(a.map.shape.rows, ElementsAre(4, 8));
    EXPECT_THAT(a.map.shape.columns, ElementsAre(8, 8));
    EXPECT_THAT(a.map.shape.ranks, ElementsAre(2, 2));
    EXPECT_EQ(a.map.shape.blocks, 3u);
    EXPECT_FALSE(a.map.bias);
    EXPECT_FALSE(a.map.dense);
    EXPECT_EQ(a.activation, activation_kind::tanh);
    const auto& b = linear(model.layers[1]);
    EXPECT_THAT(b.map.shape.ranks, ElementsAre(2, 3));
    EXPECT_EQ(b.map.shape.order, workloads::core_order::nm);
    EXPECT_TRUE(b.map.bias);
    EXPECT_EQ(b.activation, activation_kind::sigmoid);
    EXPECT_EQ(model.features(), 64u);
    EXPECT_EQ(model.classes(), 10u);
}

TEST(model_file, decays_clipping_schedules_and_validation)
{
    const auto model = parsed_model("validation: 0.25\npatience: 4\n"
                                    "optimizer: {kind: adamw, weight_decay: 0.125, clip_norm: 2, schedule: cosine,\n"
                                    "            warm_up: 9, step_epochs: 3, step_factor: 0.5, least_rate: 0.03125,\n"
                                    "            schedule_epochs: 11}\n" +
                                    std::string(one_layer));
    EXPECT_EQ(model.validation, 0.25f);
    EXPECT_EQ(model.patience, 4u);
    const auto& o = model.optimizer;
    EXPECT_EQ(o.kind, optimizer_kind::adamw);
    EXPECT_EQ(o.schedule, workloads::rate_schedule::cosine);
    EXPECT_THAT((std::vector<float>{o.weight_decay, o.clip_norm, o.step_factor, o.least_rate}),
                ElementsAre(0.125f, 2, 0.5f, 0.03125f));
    EXPECT_THAT((std::vector<std::uint64_t>{o.warm_up, o.step_epochs, o.schedule_epochs}), ElementsAre(9, 3, 11));
}

// Sizes that follow from the layer before, from the picture or from the kernel.
TEST(model_file, sizes_of_norms_pools_and_dropout)
{
    const auto model = parsed_model("layers:\n"
                                    "  - {kind: pool, height: 8, width: 8, kernel: 2x4}\n"
                                    "  - {kind: pool, height: 4, width: 2, kernel: 2x2, stride: 1, function: average}\n"
                                    "  - {kind: pool, height: 3, width: 1, kernel: global}\n"
                                    "  - {format: dense, rows: 12, cols: 1}\n"
                                    "  - {kind: norm, frames: 3}\n"
                                    "  - {kind: residual, layers: [{kind: dropout, rate: 0.125}, {kind: norm}]}\n"
                                    "  - {format: dense, rows: 10, cols: 12}\n");
    using workloads::pool_layer;
    const auto pool = [&](std::size_t layer) { return std::get<pool_layer>(model.layers.at(layer).what); };
    EXPECT_EQ(pool(0).stride_height, 2u);
    EXPECT_EQ(pool(0).stride_width, 4u);
    EXPECT_EQ(pool(0).outputs(), 8u);
    EXPECT_EQ(pool(1).outputs(), 3u);
    EXPECT_EQ(pool(1).function, workloads::pool_function::average);
    EXPECT_EQ(pool(2).kernel_height, 3u);
    EXPECT_EQ(pool(2).outputs(), 1u);
    EXPECT_EQ(std::get<workloads::norm_layer>(model.layers[4].what).features, 4u);
    const auto& inner = std::get<workloads::residual_layer>(model.layers[5].what).layers;
    EXPECT_EQ(std::get<workloads::dropout_layer>(inner.at(0).what).features, 12u);
    EXPECT_EQ(std::get<workloads::dropout_layer>(inner.at(0).what).rate, 0.125f);
    EXPECT_EQ(std::get<workloads::norm_layer>(inner.at(1).what).features, 12u);
    EXPECT_EQ(model.parameters(), 24u + 8u + 24u + 130u);
}

TEST(model_file, what_is_left_out)
{
    const auto model = parsed_model(one_layer);
    const model_description plain;
    EXPECT_EQ(model.data, workloads::sample_set::digits);
    EXPECT_EQ(model.epochs, plain.epochs);
    EXPECT_EQ(model.batch, plain.batch);
    EXPECT_EQ(model.optimizer.kind, optimizer_kind::sgd);
    const auto& layer = linear(model.layers.at(0));
    EXPECT_EQ(model.layers[0].name, "layer 1");
    EXPECT_TRUE(layer.map.dense);
    EXPECT_TRUE(layer.map.bias);
    EXPECT_EQ(layer.activation, activation_kind::none);
    EXPECT_THAT(layer.map.shape.ranks, IsEmpty());
}

// A dense matrix is 64 x 256 and 256 x 10 with biases; cores by hand.
TEST(model_file, parameters_of_the_shipped_models)
{
    const auto dense = workloads::load_model("digits-dense"), ttm = workloads::load_model("digits-ttm"),
               tt = workloads::load_model("digits-tt");
    const std::uint64_t twin = 64 * 256 + 256 + 256 * 10 + 10;
    EXPECT_EQ(dense.parameters(), twin);
    EXPECT_EQ(dense.dense_parameters(), twin);
    EXPECT_EQ(ttm.dense_parameters(), twin);
    EXPECT_EQ(ttm.parameters(), 16u * 8 * 4 + 4 * 16 * 8 + 256 + 2 * 16 * 4 + 4 * 5 * 16 + 10);
    EXPECT_EQ(tt.dense_parameters(), twin + 256 * 256 + 256);
    EXPECT_EQ(tt.parameters(), 16u * 6 + 6 * 16 * 12 + 12 * 8 * 6 + 6 * 8 + 256 + 16 * 6 + 6 * 16 * 12 + 12 * 16 * 6 +
                                   6 * 16 + 256 + 2560 + 10);
    EXPECT_GE(ttm.dense_parameters(), 10 * ttm.parameters());
    EXPECT_GE(tt.dense_parameters(), 10 * tt.parameters());
    for (const char* name : {"digits-dense", "digits-ttm", "digits-tt"}) {
        EXPECT_TRUE(workloads::is_shipped_model(name));
    }
    EXPECT_FALSE(workloads::is_shipped_model("digits"));
}

TEST(model_file, keys_of_an_embedding)
{
    const auto model = parsed_model("data: sequences\nlayers:\n"
                                    "  - {kind: embedding, vocabulary: 20, frames: 6, features: 5, positions: true}\n"
                                    "  - {format: dense, rows: 4, cols: 30}\n");
    EXPECT_EQ(model.data, workloads::sample_set::sequences);
    const auto& layer = std::get<workloads::embedding_layer>(model.layers[0].what);
    EXPECT_EQ(layer.vocabulary, 20u);
    EXPECT_EQ(layer.frames, 6u);
    EXPECT_EQ(layer.features, 5u);
    EXPECT_TRUE(layer.positions);
    EXPECT_EQ(model.features(), 6u);
    EXPECT_EQ(model.vocabulary(), 20u);
    EXPECT_EQ(model.parameters(), 20u * 5 + 6 * 5 + 4 * 30 + 4);
    EXPECT_EQ(model.dense_parameters(), model.parameters());
    EXPECT_FALSE(std::get<workloads::embedding_layer>(
                     parsed_model("layers: [{kind: embedding, vocabulary: 2, frames: 2, features: 2}]").layers[0].what)
                     .positions);
    EXPECT_EQ(parsed_model(one_layer).vocabulary(), 0u);
}

TEST(model_file, keys_of_a_convolution)
{
    const auto model =
        parsed_model("layers:\n"
                     "  - {kind: convolution, height: 8, width: 9, channels: 2, kernel: 3x2, stride: 2,\n"
                     "     padding: 1, format: ttm, rows: 2x3, cols: 3x4, ranks: 2, bias: false,\n"
                     "     activation: relu, patches: bus}\n");
    const auto& layer = std::get<workloads::convolution_layer>(model.layers[0].what);
    EXPECT_EQ(layer.height, 8u);
    EXPECT_EQ(layer.width, 9u);
    EXPECT_EQ(layer.channels, 2u);
    EXPECT_EQ(layer.kernel_height, 3u);
    EXPECT_EQ(layer.kernel_width, 2u);
    EXPECT_EQ(layer.stride, 2u);
    EXPECT_EQ(layer.padding, 1u);
    EXPECT_EQ(layer.patches_from, workloads::patch_source::bus);
    EXPECT_EQ(layer.activation, activation_kind::relu);
    EXPECT_FALSE(layer.map.bias);
    EXPECT_EQ(model.features(), 8u * 9 * 2);
    EXPECT_EQ(model.classes(), 4u * 5 * 6); // of 10 x 11 with the rim
    EXPECT_EQ(model.parameters(), 2u * 3 * 2 + 2 * 3 * 4);
    EXPECT_EQ(model.dense_parameters(), 72u);
    const auto plain =
        parsed_model("layers: [{kind: convolution, height: 3, width: 3, kernel: 3x3, format: dense, rows: 1, "
                     "cols: 9}]");
    const auto& other = std::get<workloads::convolution_layer>(plain.layers[0].what);
    EXPECT_EQ(other.stride, 1u);
    EXPECT_EQ(other.padding, 0u);
    EXPECT_EQ(other.patches_from, workloads::patch_source::chip);
    EXPECT_EQ(plain.classes(), 1u);
}

TEST(model_file, a_model_that_does_not_fit_to_samples)
{
    const auto error = [](const std::string& layers, const workloads::labelled_samples& samples) {
        const auto model = parsed_model("layers: [" + layers + "]");
        return message_of([&] { workloads::check_samples(model, samples); });
    };
    const auto digits = workloads::shipped_digits(), sequences = workloads::marked_sequences();
    const std::string embedding = "{kind: embedding, frames: 16, features: 4, vocabulary: ",
                      output = ", {format: dense, rows: 4, cols: 64}", wide = "{format: dense, rows: 10, cols: 64}";
    EXPECT_EQ(error(wide, digits), "");
    EXPECT_EQ(error(embedding + "16}" + output, sequences), "");
    EXPECT_THAT(error(embedding + "17}" + output, sequences),
                AllOf(HasSubstr("takes 17 tokens"), HasSubstr("expected 16 tokens as of sequences")));
    EXPECT_THAT(error("{format: dense, rows: 4, cols: 16}", sequences),
                AllOf(HasSubstr("takes numbers"), HasSubstr("expected 16 tokens")));
    EXPECT_THAT(error("{kind: embedding, frames: 64, features: 1, vocabulary: 16}, " + wide, digits),
                AllOf(HasSubstr("takes 16 tokens"), HasSubstr("expected numbers as of digits")));
    EXPECT_THAT(error(wide, sequences), AllOf(HasSubstr("take 64 and give 10"), HasSubstr("16 features")));
}

TEST(model_file, blocks_count)
{
    const auto model = parsed_model("layers: [{format: bt, rows: 2x5, cols: 8x8, ranks: 2, blocks: 3, bias: false}]");
    EXPECT_EQ(model.parameters(), 3u * (2 * 8 * 2 + 5 * 8 * 2 + 2 * 2));
    EXPECT_EQ(model.dense_parameters(), 640u);
}

TEST(model_file, keys_that_are_unknown_or_stand_there_twice)
{
    const std::string layers = one_layer;
    EXPECT_THAT(
        error_of_model("epoch: 3\n" + layers),
        AllOf(HasSubstr("net.yaml:1: found 'epoch'"), HasSubstr("batch, data, epochs, layers, loss, optimizer")));
    EXPECT_THAT(error_of_model("epochs: 3\nbatch: 2\nepochs: 3\n" + layers),
                AllOf(HasSubstr("net.yaml:3: found 'epochs'"), HasSubstr("each key once")));
    EXPECT_THAT(error_of_model("optimizer:\n  speed: 3\n" + layers),
                AllOf(HasSubstr("net.yaml:2: found 'speed'"), HasSubstr("rate_decay")));
    EXPECT_THAT(error_of_model("optimizer: {rate: 1, rate: 1}\n" + layers), HasSubstr("each key once"));
    EXPECT_THAT(error_of_model("layers: [{format: dense, rows: 10, columns: 64}]"),
                AllOf(HasSubstr("'columns'"), HasSubstr("cols")));
    EXPECT_THAT(error_of_model("layers: [{format: dense, rows: 10, rows: 10, cols: 64}]"), HasSubstr("each key once"));
}

TEST(model_file, values_that_are_none)
{
    const std::string layers = one_layer;
    const std::pair<const char*, std::vector<const char*>> refused[] = {
        {"data: mnist", {"'mnist'", "expected one of digits"}},
        {"data: [digits]", {"a list"}},
        {"epochs: 0", {"epochs is 0", "from 1 to 1000000"}},
        {"epochs: -1", {"'-1'", "a whole number"}},
        {"epochs: 1.5", {"'1.5'", "a whole number"}},
        {"batch: 0", {"batch is 0", "from 1 to 65536"}},
        {"batch: 65537", {"batch is 65537"}},
        {"batch:", {"nothing", "a single value"}},
        {"optimizer: sgd", {"'sgd'", "a map"}},
        {"optimizer: {kind: lion}", {"'lion'", "sgd, adam"}},
        {"optimizer: {rate: nan}", {"'nan'", "a number"}},
        {"optimizer: {rate: -1}", {"rate is -1", "from 0 to 1e+06"}},
        {"optimizer: {rate: 1e7}", {"rate is 1e+07", "from 0 to 1e+06"}},
        {"optimizer: {rate: 1e300}", {"rate is inf"}},
        {"optimizer: {momentum: 1.1}", {"momentum is 1.1", "from 0 to 1"}},
        {"optimizer: {epsilon: 0}", {"epsilon is 0", "from 1e-30 to 1"}},
        {"optimizer: {first_decay: 1}", {"first_decay is 1"}},
    };
    for (const auto& [line, words] : refused) {
        const auto error = error_of_model(line + ("\n" + layers));
        EXPECT_THAT(error, HasSubstr("net.yaml")) << line;
        for (const char* word : words) { EXPECT_THAT(error, HasSubstr(word)) << line; }
    }
}

TEST(model_file, layers_that_are_none)
{
    const std::pair<const char*, std::vector<const char*>> refused[] = {
        {"", {"expected"}},
        {"[]", {"no layer, expected at least one"}},
        {"{rows: 10}", {"a map", "a list of layers"}},
        {"[dense]", {"'dense'", "a map with some of activation"}},
        {"[{format: ttm, cols: 64, ranks: 2}]", {"has no rows", "a matrix with rows and cols"}},
        {"[{format: dense, rows: 10, cols: 64, ranks: 2}]", {"layer 1 has ranks", "none of a dense layer"}},
        {"[{format: ttm, rows: 2x5, cols: 8x8, ranks: 2, order: nm}]", {"layer 1 has an order", "tt and tr alone"}},
        {"[{format: cp, rows: 10, cols: 64}]", {"'cp'", "one of dense, tt, ttm, tr, ht, bt"}},
        {"[{format: dense, rows: 2x5, cols: 64}]", {"one factor of rows and one of cols"}},
        {"[{format: dense, rows: 10, cols: 64, activation: swish}]", {"'swish'", "none, relu, sigmoid, tanh, gelu"}},
        {"[{format: dense, rows: 10, cols: 64, bias: maybe}]", {"'maybe'", "on or off"}},
        {"[{format: dense, rows: ten, cols: 64}]", {"'ten'", "like 16x4"}},
        {"[{format: ttm, rows: 0x4, cols: 8x8, ranks: 2}]", {"'0x4'", "from 1 to 2147483647"}},
        {"[{format: ttm, rows: 4x4, cols: 8x8x1, ranks: 2}]",
         {"net.yaml:1: layer", "2 factors of rows and 3 of columns"}},
        {"[{format: ttm, rows: 4x4, cols: 8x8, ranks: \"2,3,4\"}]", {"net.yaml:1: layer", "expected"}},
        {"[{format: ttm, rows: 4x4, cols: 8x8, ranks: 2, blocks: 2}]", {"net.yaml:1: layer", "bt"}},
        {"[{kind: pooling}]", {"net.yaml:1: found 'pooling'", "one of linear, embedding, convolution"}},
        {"[{kind: convolution, frames: 3}]", {"'frames'", "kernel"}},
        {"[{kind: convolution, patches: dram}]", {"'dram'", "one of chip, bus"}},
        {"[{kind: convolution, kernel: 3}]", {"'3'", "height and width, like 3x3"}},
        {"[{kind: convolution, kernel: 3x0}]", {"'3x0'", "from 1 to 2147483647"}},
        {"[{kind: convolution, format: dense, rows: 1, cols: 1, height: 0}]",
         {"layer 1: height is 0", "from 1 to 65536"}},
        {"[{kind: convolution, format: dense, rows: 1, cols: 1, width: 65537}]", {"layer 1: width is 65537"}},
        {"[{kind: convolution, format: dense, rows: 1, cols: 1, channels: 0}]", {"layer 1: channels is 0"}},
        {"[{kind: convolution, format: dense, rows: 1, cols: 1, stride: 0}]", {"layer 1: stride is 0"}},
        {"[{kind: convolution, format: dense, rows: 1, cols: 1, padding: 65537}]",
         {"layer 1: padding is 65537", "from 0 to 65536"}},
        {"[{kind: convolution, format: dense, rows: 1, cols: 9, height: 2, width: 3, kernel: 3x3}]",
         {"layer 1: kernel is 3x3", "at most the 2x3"}},
        {"[{kind: convolution, format: dense, rows: 1, cols: 8, height: 3, width: 3, kernel: 3x3}]",
         {"layer 1: cols is 8 in all", "kernel x channels, 9"}},
        {"[{kind: convolution, format: dense, rows: 1, cols: 1, height: 65536, width: 65536}]",
         {"layer 1: a sample has 4294967296 numbers with its padding", "at most 16777216"}},
        {"[{kind: convolution, format: dense, rows: 1, cols: 1, height: 256, width: 256, kernel: 100x100}]",
         {"layer 1: a sample has 246490000 numbers of patches", "at most 16777216"}},
        {"[{kind: embedding, rows: 3}]", {"'rows'", "features, frames, kind, name, positions, vocabulary"}},
        {"[{kind: embedding, vocabulary: 0}]", {"layer 1: vocabulary is 0", "from 1 to 65536"}},
        {"[{kind: embedding, frames: 65537}]", {"layer 1: frames is 65537", "from 1 to 65536"}},
        {"[{kind: embedding, features: -1}]", {"'-1'", "a whole number"}},
        {"[{kind: embedding, features: 0}]", {"layer 1: features is 0"}},
        {"[{kind: embedding, positions: 1}]", {"'1'", "on or off"}},
        {"[{kind: activation}]", {"layer 1: features is 0", "from 1"}},
        {"[{kind: activation, function: swish}]", {"'swish'", "one of none, relu, sigmoid, tanh, gelu"}},
        {"[{kind: activation, rate: 1}]", {"'rate'", "features, function, kind, name"}},
        {"[{kind: residual, layers: [{kind: dropout, features: 10}]}]", {"model: no layer has parameters"}},
        {"[{format: dense, rows: 4, cols: 4}, {kind: embedding, frames: 4}]",
         {"layer 2 takes tokens", "the first layer"}},
    };
    for (const auto& [layers, words] : refused) {
        const auto error = error_of_model("layers: " + std::string(layers));
        for (const char* word : words) { EXPECT_THAT(error, HasSubstr(word)) << layers; }
    }
}

TEST(model_file, layers_that_do_not_fit_to_one_another)
{
    EXPECT_THAT(error_of_model("layers:\n"
                               "  - {name: a, format: dense, rows: 16, cols: 64}\n"
                               "  - {name: b, format: dense, rows: 10, cols: 17}\n"),
                AllOf(HasSubstr("layer b has 17 inputs"), HasSubstr("expected the 16 outputs of a")));
}

TEST(model_file, no_yaml)
{
    EXPECT_THAT(error_of_model("layers: [\n  {"), AllOf(HasSubstr("net.yaml:"), HasSubstr("not valid YAML")));
    EXPECT_THAT(error_of_model(""), HasSubstr("a map"));
}

TEST(model_file, no_file)
{
    const auto error = message_of([] { workloads::load_model("no-model"); });
    EXPECT_THAT(error, AllOf(HasSubstr("no-model"), HasSubstr("digits-ttm"), HasSubstr("digits-tt,"),
                             HasSubstr("digits-dense"), HasSubstr("YAML")));
}

} // namespace
} // namespace tensorloom::test
