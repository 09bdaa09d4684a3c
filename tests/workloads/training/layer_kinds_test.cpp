#include <algorithm>
#include <cmath>
#include <set>
#include <gtest/gtest.h>
#include <tensorloom/workloads/training/model_emulation.h>
#include <tensorloom/workloads/training/model_file.h>
#include <tensorloom/workloads/training/step_words.h>
#include "workloads/training/gradient_of_loss.h"
#include "workloads/training/network_definition.h"

namespace tensorloom::test {
namespace {

using workloads::labelled_samples;
using workloads::parameter_values;
using workloads::training_state;

// Layers of other kinds than linear, in front of one that is: gradients against those of the definition.
class layer_kinds : public ::testing::Test {
protected:
    // Initial parameters, but that biases and norms of an encoder differ from element to element.
    static training_state start_of(const workloads::model_description& model,
                                   const workloads::model_contractions& contractions)
    {
        auto state = workloads::initial_state(model, 3);
        for (std::size_t p = 0; p < state.masters.size(); ++p) {
            const auto& parameter = contractions.parameters[p];
            const auto& layer = model.layers[parameter.layer].what;
            if (parameter.is_core || !(std::holds_alternative<workloads::encoder_layer>(layer) ||
                                       std::holds_alternative<workloads::norm_layer>(layer) ||
                                       std::holds_alternative<workloads::residual_layer>(layer))) {
                continue;
            }
            for (std::size_t i = 0; i < parameter.values; ++i) {
                state.masters[p][i] += 0.1f * std::sin(3.0f * static_cast<float>(i));
            }
        }
        return state;
    }

    // The first velocity is the gradient. `bound`: of what bf16 rounds off, by its size. The bias of keys adds the same
    // to all scores of a row: it has no gradient.
    void expect_gradients(const std::string& layers, const labelled_samples& samples, double bound = 0.03)
    {
        const auto model =
            workloads::parse_model("batch: 8\noptimizer: {rate: 0.25, momentum: 0.5}\nlayers:\n" + layers, "net.yaml");
        workloads::check_samples(model, samples);
        const fetta::device_limits limits;
        const auto contractions = workloads::contractions_of(model, limits);
        const auto initial = start_of(model, contractions);
        for (const std::size_t count : {std::size_t{8}, std::size_t{5}}) { // full, and filled up
            const std::vector<std::uint32_t> of(samples.training.begin(),
                                                samples.training.begin() + static_cast<std::ptrdiff_t>(count));
            workloads::model_emulation host(model, samples, contractions, limits, initial);
            const auto metrics = host.train(of);
            masks.key.reset();
            if (model.has_dropout()) { masks.key = workloads::mask_key(initial.seed, 0, 0); }
            EXPECT_NEAR(metrics.at(0).loss, cross_entropy(model, initial.masters, samples, of), 0.05);
            const auto mean_loss = [&](const parameter_values& values) {
                return cross_entropy(model, values, samples, of) / static_cast<double>(count);
            };
            for (std::size_t p = 0; p < initial.masters.size(); ++p) {
                auto expected = gradient_of(mean_loss, initial.masters, p);
                const double size = norm(expected);
                for (std::size_t i = 0; i < expected.size(); ++i) { expected[i] -= host.state().moments[0][p][i]; }
                const auto& name = contractions.parameters[p].name;
                if (name.find("bias of key") == 0) {
                    EXPECT_LT(size, 1e-6) << name;
                    EXPECT_LT(norm(expected), 1e-3) << name;
                    continue;
                }
                EXPECT_GT(size, 1e-3) << name;
                EXPECT_LT(norm(expected), bound * size) << name << ", " << count << " samples";
            }
        }
    }
};

// Of 4 tokens each, some of them twice in a sample; token 5 is in none.
labelled_samples token_samples()
{
    labelled_samples samples;
    samples.features = 4;
    samples.vocabulary = 6;
    samples.classes = 3;
    for (std::uint32_t s = 0; s < 8; ++s) {
        for (std::uint32_t f = 0; f < 4; ++f) { samples.values.push_back(static_cast<float>((s * 3 + f * f) % 5)); }
        samples.labels.push_back(s * s % 3);
        samples.training.push_back(s);
    }
    return samples;
}

TEST_F(layer_kinds, gradients_of_an_embedding)
{
    const std::string embedding = "  - {kind: embedding, vocabulary: 6, frames: 4, features: 3, positions: ",
                      output = "  - {format: dense, rows: 3, cols: ";
    expect_gradients(embedding + "false}\n" + output + "12}\n", token_samples());
    expect_gradients(embedding + "true}\n" + output + "12}\n", token_samples());
    expect_gradients(embedding + "true}\n  - {format: dense, rows: 2, cols: 3, frames: 4, activation: tanh}\n" +
                         output + "8}\n",
                     token_samples());
}

labelled_samples number_samples(std::uint32_t features)
{
    labelled_samples samples;
    samples.features = features;
    samples.classes = 3;
    for (std::uint32_t s = 0; s < 8; ++s) {
        for (std::uint32_t f = 0; f < features; ++f) {
            samples.values.push_back(static_cast<float>((s * 7 + f * f * 5 + s * f) % 17) / 16);
        }
        samples.labels.push_back(s * s % 3);
        samples.training.push_back(s);
    }
    return samples;
}

// Pictures of 5 x 4 with 2 channels; ahead of the last convolution one more, so that it has a dX.
TEST_F(layer_kinds, gradients_of_convolutions)
{
    const auto convolution = [](const char* picture, const char* keys) {
        return "  - {kind: convolution, " + std::string(picture) + ", " + keys + ", activation: tanh}\n";
    };
    const auto output = [](unsigned inputs) {
        return "  - {format: dense, rows: 3, cols: " + std::to_string(inputs) + "}\n";
    };
    const char* data = "height: 5, width: 4, channels: 2";
    struct two {
        const char *first, *picture, *second; // what the first one makes
        unsigned outputs;
    };
    const two pairs[] = {
        {"kernel: 2x2, format: dense, rows: 3, cols: 8", "height: 4, width: 3, channels: 3",
         "kernel: 3x2, format: dense, rows: 2, cols: 18", 2 * 2 * 2},
        {"kernel: 3x3, padding: 1, format: dense, rows: 4, cols: 18", "height: 5, width: 4, channels: 4",
         "kernel: 3x3, padding: 1, stride: 2, format: ttm, rows: 2x2, cols: 6x6, ranks: 3", 3 * 2 * 4},
        {"kernel: 1x2, stride: 2, format: dense, rows: 4, cols: 4, bias: false", "height: 3, width: 2, channels: 4",
         "kernel: 2x1, padding: 2, stride: 3, format: tt, rows: 2x2, cols: 8, ranks: 3, bias: false", 2 * 2 * 4},
        {"kernel: 5x4, padding: 3, stride: 4, format: tr, rows: 4, cols: 5x8, ranks: 3",
         "height: 2, width: 2, channels: 4", "kernel: 1x1, format: dense, rows: 3, cols: 4", 2 * 2 * 3},
    };
    for (const auto& of : pairs) {
        expect_gradients(convolution(data, of.first) + convolution(of.picture, of.second) + output(of.outputs),
                         number_samples(40));
    }
}

// A sequence is a picture of one row.
TEST_F(layer_kinds, gradients_of_a_convolution_behind_an_embedding)
{
    expect_gradients("  - {kind: embedding, vocabulary: 6, frames: 4, features: 3, positions: true}\n"
                     "  - {kind: convolution, height: 1, width: 4, channels: 3, kernel: 1x2, format: dense, rows: 5, "
                     "cols: 6, activation: tanh}\n"
                     "  - {format: dense, rows: 3, cols: 15}\n",
                     token_samples());
}

TEST_F(layer_kinds, gradients_of_an_lstm)
{
    const std::string ahead = "  - {format: dense, rows: 4, cols: 2, frames: 3, activation: tanh}\n",
                      lstm = "  - {kind: lstm, frames: 3, features: ", output = "  - {format: dense, rows: 3, cols: ";
    expect_gradients(lstm + "2, hidden: 4, bias: false}\n" + output + "4}\n", number_samples(6));
    expect_gradients(ahead + lstm + "4, hidden: 5, output: all}\n" + output + "15}\n", number_samples(6));
    expect_gradients(lstm + "2, hidden: 5, output: all}\n" + lstm + "5, hidden: 4}\n" + output + "4}\n",
                     number_samples(6));
    const std::string matrices[] = {
        "format: tt, rows: 8x4, cols: 2x2, ranks: 3, hidden_weights: {format: tt, rows: 8x4, cols: 2x4, ranks: 3}",
        "hidden_weights: {format: tt, order: nm, rows: 8x4, cols: 2x4, ranks: 2}",
        "hidden_weights: {format: ttm, rows: 8x4, cols: 2x4, ranks: 3}",
        "hidden_weights: {format: tr, rows: 8x4, cols: 2x4, ranks: 2}",
        "hidden_weights: {format: ht, rows: 8x2x2, cols: 2x2x2, ranks: 2}",
        "hidden_weights: {format: bt, rows: 8x4, cols: 2x4, ranks: 2, blocks: 2}",
    };
    for (const auto& matrix : matrices) {
        SCOPED_TRACE(matrix);
        expect_gradients(ahead + lstm + "4, hidden: 8, " + matrix + "}\n" + output + "8}\n", number_samples(6));
    }
}

// Numbers of the rows differ by more than what bf16 rounds off.
TEST_F(layer_kinds, gradients_of_norms)
{
    const std::string rows = "  - {frames: 3, format: dense, rows: 8, cols: 2}\n",
                      output = "  - {format: dense, rows: 3, cols: ";
    expect_gradients(rows + "  - {kind: norm, frames: 3, features: 8, epsilon: 0.25}\n" + output + "24}\n",
                     number_samples(6), 0.05);
    expect_gradients(rows + "  - {kind: norm, epsilon: 0.25}\n" + output + "24}\n", number_samples(6), 0.05);
    expect_gradients("  - {kind: norm, frames: 2, epsilon: 0.25, features: 3}\n" + output + "6}\n", number_samples(6),
                     0.05);
}

TEST_F(layer_kinds, gradients_of_pools)
{
    const std::string picture = "  - {kind: convolution, height: 5, width: 4, channels: 2, kernel: 1x1, format: dense, "
                                "rows: 3, cols: 2, activation: tanh}\n",
                      pool = "  - {kind: pool, height: 5, width: 4, channels: 3, function: ",
                      output = "  - {format: dense, rows: 3, cols: ";
    for (const std::string function : {"max", "average"}) {
        SCOPED_TRACE(function);
        const auto expect = [&](const std::string& keys, unsigned outputs) {
            SCOPED_TRACE(keys);
            expect_gradients(picture + pool + function + ", " + keys + "}\n" + output + std::to_string(outputs) + "}\n",
                             number_samples(40));
        };
        expect("kernel: 2x2", 2 * 2 * 3);
        expect("kernel: 3x2, stride: 1", 3 * 3 * 3);
        expect("kernel: 2x2, stride: 2x1, padding: 1", 3 * 5 * 3);
        expect("kernel: 5x2", 2 * 3);
        expect("kernel: 1x1, stride: 3", 2 * 2 * 3);
        expect("kernel: global", 3);
    }
    // the first layer, of the samples
    expect_gradients("  - {kind: pool, height: 5, width: 4, channels: 2, kernel: 2x2, stride: 1}\n" + output + "24}\n",
                     number_samples(40));
}

// All pixels are equal: those of the data are multiplied by 0.
TEST_F(layer_kinds, the_gradient_of_a_largest_pixel_goes_to_the_first_of_equal_ones)
{
    const auto samples = number_samples(6);
    const auto model =
        workloads::parse_model("batch: 8\nlayers:\n  - {format: dense, rows: 6, cols: 6}\n  - {kind: pool, height: 2, "
                               "width: 3, kernel: 2x2, stride: 1}\n  - {format: dense, rows: 3, cols: 2}\n",
                               "net.yaml");
    const fetta::device_limits limits;
    const auto contractions = workloads::contractions_of(model, limits);
    auto begin = workloads::initial_state(model, 3);
    std::fill(begin.masters[0].begin(), begin.masters[0].end(), 0.0f);
    workloads::model_emulation host(model, samples, contractions, limits, begin);
    host.train(samples.training);
    const auto of_bias = host.state().moments[0][1];
    for (std::size_t pixel = 0; pixel < 6; ++pixel) { EXPECT_EQ(of_bias[pixel] != 0, pixel < 2) << pixel; }
}

// A value that bf16 rounds to the other side of relu's bend changes a gradient by its whole size.
TEST_F(layer_kinds, gradients_of_activations_after_other_layers)
{
    const std::string hidden = "  - {format: dense, rows: 12, cols: 6, activation: tanh}\n",
                      output = "  - {format: dense, rows: 3, cols: 12}\n";
    for (const std::string function : {"none", "relu", "sigmoid", "tanh", "gelu"}) {
        SCOPED_TRACE(function);
        const double bound = function == "relu" ? 0.25 : 0.05;
        const auto layer = "{kind: activation, function: " + function + "}";
        expect_gradients(hidden + "  - {kind: norm, epsilon: 0.25}\n  - " + layer + "\n" + output, number_samples(6),
                         bound);
        expect_gradients("  - {kind: activation, features: 6, function: " + function + "}\n" + hidden +
                             "  - {kind: residual, layers: [" + layer + ", {format: dense, rows: 12, cols: 12}, " +
                             layer + "]}\n" + output,
                         number_samples(6), bound);
    }
}

TEST_F(layer_kinds, gradients_of_dropout)
{
    const std::string hidden = "  - {format: dense, rows: 12, cols: 6, activation: tanh}\n",
                      output = "  - {format: dense, rows: 3, cols: 12}\n";
    expect_gradients(hidden + "  - {kind: dropout, rate: 0.25}\n" + output, number_samples(6));
    expect_gradients("  - {kind: dropout, rate: 0.5, features: 6}\n" + hidden + "  - {kind: dropout}\n" + output,
                     number_samples(6));
}

TEST_F(layer_kinds, gradients_of_residual_sums)
{
    const std::string first = "  - {format: dense, rows: 8, cols: 6, activation: tanh}\n",
                      output = "  - {format: dense, rows: 3, cols: 8}\n";
    const std::string inner[] = {
        "{format: dense, rows: 8, cols: 8, activation: tanh}",
        "{kind: norm, epsilon: 0.25}, {format: ttm, rows: 4x2, cols: 2x4, ranks: 2}",
        "{format: dense, rows: 5, cols: 8, activation: sigmoid}, {kind: dropout, rate: 0.25}, "
        "{format: dense, rows: 8, cols: 5}",
        "{kind: residual, layers: [{format: dense, rows: 8, cols: 8, activation: tanh}]}",
        "{kind: pool, height: 4, width: 2, kernel: 1x1}, {format: dense, rows: 8, cols: 8, activation: tanh}",
    };
    for (const auto& layers : inner) {
        SCOPED_TRACE(layers);
        expect_gradients(first + "  - {kind: residual, layers: [" + layers + "]}\n" + output, number_samples(6), 0.05);
    }
    // the first layer, of the samples; one of whose own layers has no parameters
    expect_gradients("  - {kind: residual, layers: [{kind: dropout, rate: 0.25, features: 6}, {format: dense, rows: 6, "
                     "cols: 6, activation: tanh}]}\n  - {format: dense, rows: 3, cols: 6}\n",
                     number_samples(6));
}

// Nothing is dropped when the test set is measured, and every step drops other values.
TEST_F(layer_kinds, masks_of_dropout)
{
    const auto samples = number_samples(6);
    const std::string layers = "  - {format: dense, rows: 3, cols: 6}\n";
    const auto model_of = [&](const std::string& dropout) {
        return workloads::parse_model("batch: 8\noptimizer: {rate: 0}\nlayers:\n" + dropout + layers, "net.yaml");
    };
    const auto plain = model_of(""), with = model_of("  - {kind: dropout, features: 6}\n");
    auto tested = samples;
    tested.test = samples.training;
    const fetta::device_limits limits;
    const auto of_plain = workloads::contractions_of(plain, limits), of_with = workloads::contractions_of(with, limits);
    const auto begin = workloads::initial_state(plain, 5);
    workloads::model_emulation host(with, tested, of_with, limits, begin),
        other(plain, tested, of_plain, limits, begin);
    EXPECT_EQ(host.test().at(0).loss, other.test().at(0).loss);
    std::set<double> losses{other.train(samples.training).at(0).loss};
    for (unsigned epoch = 0; epoch < 2; ++epoch) { // of rate 0: parameters stay
        for (const auto& batch : host.train([&] {
                 auto twice = samples.training;
                 twice.insert(twice.end(), samples.training.begin(), samples.training.end());
                 return twice;
             }())) {
            losses.insert(batch.loss);
        }
    }
    EXPECT_EQ(losses.size(), 5u);
    auto seeded = begin;
    seeded.seed = 6;
    workloads::model_emulation of_seed(with, tested, of_with, limits, seeded);
    EXPECT_EQ(losses.count(of_seed.train(samples.training).at(0).loss), 0u);
}

// What the blocks of a batch change is the order of sums, not the masks.
TEST_F(layer_kinds, masks_do_not_depend_on_blocks)
{
    auto samples = number_samples(6);
    samples.training.resize(7);
    const auto model = workloads::parse_model("batch: 8\noptimizer: {rate: 0.5, momentum: 0, clip_norm: 0.125}\n"
                                              "layers:\n  - {kind: dropout, features: 6}\n"
                                              "  - {format: dense, rows: 9, cols: 6, activation: tanh}\n"
                                              "  - {kind: dropout, rate: 0.25}\n  - {kind: norm, epsilon: 0.25}\n"
                                              "  - {format: dense, rows: 3, cols: 9}\n",
                                              "net.yaml");
    const fetta::device_limits limits;
    const auto trained = [&](std::uint64_t block) {
        const auto contractions = workloads::contractions_of(model, limits, workloads::operand_paths::gathered, block);
        EXPECT_EQ(contractions.blocks, (8 + block - 1) / block);
        workloads::model_emulation host(model, samples, contractions, limits, workloads::initial_state(model, 5));
        const double loss = host.train(samples.training).at(0).loss;
        return std::pair(loss, host.state().moments[0]);
    };
    const auto [loss, gradients] = trained(8);
    for (const std::uint64_t block : {5, 3, 1}) {
        const auto [of_blocks, found] = trained(block);
        EXPECT_NEAR(of_blocks, loss, 1e-5) << block;
        for (std::size_t p = 0; p < found.size(); ++p) {
            for (std::size_t i = 0; i < found[p].size(); ++i) {
                EXPECT_NEAR(found[p][i], gradients[p][i], 1e-5) << block << ", parameter " << p;
            }
        }
    }
}

// Rows of few numbers may be near to one another: epsilon keeps what bf16 rounds off, several times on the way, from
// growing.
TEST_F(layer_kinds, gradients_of_an_encoder)
{
    constexpr double bound = 0.06;
    const std::string rows = "  - {frames: 3, format: dense, rows: 8, cols: 2}\n",
                      first = "  - {kind: encoder, frames: 2, features: 3, hidden: 4, epsilon: 0.25, ",
                      second = "  - {kind: encoder, frames: 3, features: 8, hidden: 12, epsilon: 0.25, ",
                      output = "  - {format: dense, rows: 3, cols: ";
    expect_gradients(rows + second + "heads: 2}\n" + output + "24}\n", number_samples(6), bound);
    expect_gradients(rows + second + "heads: 2, norm: pre}\n" + output + "24}\n", number_samples(6), bound);
    expect_gradients(first + "heads: 3}\n" + output + "6}\n", number_samples(6), bound);
    expect_gradients(first + "norm: pre}\n" + output + "6}\n", number_samples(6), bound);
    expect_gradients(rows + second +
                         "heads: 4, attention: {format: ttm, rows: 4x2, cols: 2x4, ranks: 3}, "
                         "up: {format: tt, rows: 4x3, cols: 8, ranks: 3}, "
                         "down: {format: tr, rows: 4x2, cols: 3x4, ranks: 2}}\n" +
                         output + "24}\n",
                     number_samples(6), bound);
    expect_gradients(rows + second +
                         "attention: {format: bt, rows: 4x2, cols: 2x4, ranks: 2, blocks: 2, bias: false}, "
                         "up: {format: ht, rows: 4x3, cols: 2x4, ranks: 3, bias: false}, down: {bias: false}}\n" +
                         output + "24}\n",
                     number_samples(6), bound);
}

// Tokens of a filler are 0; they must not change the row of token 0.
TEST_F(layer_kinds, a_filler_changes_no_row_of_a_table)
{
    auto samples = token_samples();
    for (float& token : samples.values) { token += token == 0 ? 1.0f : 0.0f; }
    const auto model = workloads::parse_model(
        "batch: 8\nlayers:\n  - {kind: embedding, vocabulary: 6, frames: 4, features: 3}\n  - {format: dense, rows: 3, "
        "cols: 12}\n",
        "net.yaml");
    const fetta::device_limits limits;
    const auto contractions = workloads::contractions_of(model, limits);
    workloads::model_emulation host(model, samples, contractions, limits, workloads::initial_state(model, 3));
    host.train({0, 1, 2});
    for (std::size_t i = 0; i < 18; ++i) {
        const bool is_there = i >= 3 && i < 15; // rows of tokens 1 to 4
        EXPECT_EQ(host.state().moments[0][0][i] != 0, is_there) << i;
    }
}

} // namespace
} // namespace tensorloom::test
