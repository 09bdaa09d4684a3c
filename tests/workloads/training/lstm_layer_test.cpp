#include <tensorloom/workloads/training/layers/lstm/lstm_layer.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/elementary_functions.h>
#include <tensorloom/workloads/training/layers/layer_emulation.h>
#include <tensorloom/workloads/training/model_file.h>
#include <tensorloom/workloads/training/training_run.h>
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using workloads::emulated_values;
using workloads::lstm_layer;
using workloads::rounded;

const lstm_layer& lstm(const workloads::model_description& model)
{
    return std::get<lstm_layer>(model.layers.front().what);
}

workloads::model_description parsed_lstm(const std::string& layer)
{
    return workloads::parse_model("layers: [{kind: lstm, " + layer + "}]", "net.yaml");
}

std::string error_of_lstm(const std::string& layer)
{
    return message_of([&] { parsed_lstm(layer); });
}

TEST(lstm_layer, keys)
{
    const auto model =
        parsed_lstm("name: a, frames: 5, features: 6, hidden: 8, output: all, format: tt, rows: 8x4, cols: "
                    "3x2, ranks: 2, bias: false, hidden_weights: {format: ttm, rows: 8x4, cols: 4x2, "
                    "ranks: 3}");
    const auto& layer = lstm(model);
    EXPECT_EQ(model.layers[0].name, "a");
    EXPECT_EQ(layer.inputs(), 30u);
    EXPECT_EQ(layer.outputs(), 40u);
    EXPECT_EQ(layer.dense_twin().parameters(), 32u * 6 + 32 * 8);
    EXPECT_EQ(layer.parameters(), 8u * 2 + 2 * 4 * 2 + 2 * 3 * 2 + 2 * 2 + 8 * 4 * 3 + 3 * 4 * 2);
}

TEST(lstm_layer, what_is_left_out)
{
    const auto model = parsed_lstm("features: 6, hidden: 8");
    const auto& layer = lstm(model);
    EXPECT_EQ(layer.frames, 1u);
    EXPECT_EQ(layer.outputs(), 8u);
    EXPECT_TRUE(layer.weights.dense && layer.hidden_weights.dense && layer.weights.bias);
    EXPECT_EQ(layer.parameters(), 32u * 6 + 32 + 32 * 8);
    EXPECT_EQ(layer.dense_twin().parameters(), layer.parameters());
}

TEST(lstm_layer, keys_that_are_none)
{
    const std::pair<const char*, std::vector<const char*>> refused[] = {
        {"features: 6", {"hidden is 0", "from 1 to 65536"}},
        {"features: 0, hidden: 6", {"features is 0", "from 1 to 65536"}},
        {"features: 6, hidden: 65537", {"hidden is 65537"}},
        {"features: 6, hidden: 8, frames: 0", {"frames is 0"}},
        {"features: 6, hidden: 8, output: first", {"'first'", "last, all"}},
        {"features: 6, hidden: 8, activation: tanh", {"'activation'", "hidden_weights"}},
        {"features: 6, hidden: 8, rows: 31", {"rows make 31, expected 32, 4 times hidden"}},
        {"features: 6, hidden: 8, cols: 7", {"cols make 7, expected 6, the features of a frame"}},
        {"features: 6, hidden: 8, format: ttm, rows: 8x4, cols: 2x2, ranks: 2", {"cols make 4, expected 6"}},
        {"features: 6, hidden: 8, format: ttm, ranks: 2", {"net.yaml:1:", "rows and cols"}},
        {"features: 6, hidden: 8, hidden_weights: dense", {"'dense'", "a map"}},
        {"features: 6, hidden: 8, hidden_weights: {bias: true}", {"'bias'", "format"}},
        {"features: 6, hidden: 8, hidden_weights: {rows: 8}", {"rows of hidden_weights make 8, expected 32"}},
        {"features: 6, hidden: 8, hidden_weights: {cols: 6}", {"cols of hidden_weights make 6, expected 8"}},
        {"features: 6, hidden: 8, hidden_weights: {format: tt, rows: 8x4, cols: 8, ranks: \"2,3,4,5,6\"}",
         {"net.yaml:1: layer"}},
    };
    for (const auto& [layer, words] : refused) {
        const auto error = error_of_lstm(layer);
        EXPECT_THAT(error, HasSubstr("net.yaml")) << layer;
        for (const char* word : words) { EXPECT_THAT(error, HasSubstr(word)) << layer; }
    }
}

// What a saved state is compared with.
TEST(lstm_layer, text_tells_all)
{
    const std::string plain = "features: 6, hidden: 8";
    const auto text = [](const std::string& layer) { return lstm(parsed_lstm(layer)).text(); };
    for (const char* change :
         {", frames: 2", ", output: all", ", bias: false", ", format: ttm, rows: 8x4, cols: 2x3, ranks: 2",
          ", hidden_weights: {format: ttm, rows: 8x4, cols: 2x4, ranks: 2}"}) {
        EXPECT_NE(text(plain + change), text(plain)) << change;
    }
    EXPECT_NE(text("features: 6, hidden: 9"), text(plain));
}

TEST(lstm_layer, first_parameters)
{
    const auto values = lstm(parsed_lstm("features: 6, hidden: 8")).initial_values(1);
    ASSERT_EQ(values.size(), 3u);
    EXPECT_EQ(values[0].size(), 32u * 6);
    EXPECT_EQ(values[2].size(), 32u * 8);
    const auto& bias = values[1];
    EXPECT_THAT(std::vector<float>(bias.begin() + 8, bias.begin() + 16), Each(1.0f)); // of the forget gates
    EXPECT_THAT(std::vector<float>(bias.begin(), bias.begin() + 8), Each(0.0f));
    EXPECT_THAT(std::vector<float>(bias.begin() + 16, bias.end()), Each(0.0f));
}

// One sample, feature and number of h: contractions are single products, which are exact in float32. What is left is
// the order of everything else, and of the sums over frames.
TEST(lstm_layer, bits_of_one_number)
{
    constexpr std::size_t frames = 7;
    auto model = parsed_lstm("frames: 7, features: 1, hidden: 1, output: all");
    model.batch = 1;
    const auto masters = lstm(model).initial_values(5);
    const fetta::device_limits g;
    const auto contractions = workloads::contractions_of(model, g);
    workloads::emulated_parameters parameters{contractions, g, masters, masters};
    const auto layer = lstm(model).emulation(contractions.layers[0], parameters);
    const emulated_values x{0.3f, -1.1f, 0.7f, 1.9f, -0.4f, 0.05f, 0.6f},
        dz{0.1f, 0.7f, -0.3f, 0.9f, 0.2f, -1.3f, 0.4f};
    const auto h = layer->forward(x);
    layer->backward(dz);

    struct moment {
        float i, f, g, o, before, c, h_before;
    };
    std::vector<moment> all;
    float c = 0, state = 0;
    for (std::size_t t = 0; t < frames; ++t) {
        const auto inside = [&](std::size_t gate) {
            return rounded(masters[0][gate]) * rounded(x[t]) + masters[1][gate] +
                   rounded(masters[2][gate]) * rounded(state);
        };
        const moment m{arithmetic::sigmoid(inside(0)),
                       arithmetic::sigmoid(inside(1)),
                       arithmetic::hyperbolic_tangent(inside(2)),
                       arithmetic::sigmoid(inside(3)),
                       c,
                       0,
                       state};
        all.push_back(m);
        c = m.f * c + m.i * m.g;
        all.back().c = c;
        state = m.o * arithmetic::hyperbolic_tangent(c);
        EXPECT_EQ(h[t], state) << t;
    }
    float du[4] = {}, dh = 0, dc = 0;
    emulated_values dw[4];
    for (std::size_t t = frames; t-- > 0;) {
        const auto& m = all[t];
        const float bent = arithmetic::hyperbolic_tangent(m.c);
        dh += dz[t];
        dc = (dc + dh * m.o) - dh * m.o * bent * bent;
        const float d[] = {dc * m.g * (m.i - m.i * m.i), dc * m.before * (m.f - m.f * m.f), dc * m.i * (1 - m.g * m.g),
                           dh * bent * (m.o - m.o * m.o)};
        dh = 0;
        for (std::size_t gate = 0; gate < 4; ++gate) {
            du[gate] += rounded(d[gate]) * rounded(m.h_before);
            dw[gate].push_back(rounded(d[gate]) * rounded(x[t]));
            dh = std::fma(rounded(d[gate]), rounded(masters[2][gate]), dh);
        }
        dc *= m.f;
    }
    for (std::size_t gate = 0; gate < 4; ++gate) {
        EXPECT_EQ(parameters.gradients[2][gate], du[gate]) << gate;
        float sum = 0;
        for (const float part : dw[gate]) { sum += part; }
        EXPECT_NEAR(parameters.gradients[0][gate], sum, 1e-6) << gate; // one contraction, in its own order
    }
}

} // namespace
} // namespace tensorloom::test
