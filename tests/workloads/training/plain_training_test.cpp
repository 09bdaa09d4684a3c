#include "training/plain_training.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/training/model_emulation.h>
#include <tensorloom/workloads/training/model_file.h>

namespace tensorloom::test {
namespace {

using namespace workloads;

double norm_of(const std::vector<double>& values)
{
    return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

// Random features and labels, all samples to train with.
labelled_samples random_samples(std::uint64_t features, std::uint64_t classes, std::size_t count)
{
    labelled_samples samples;
    samples.name = "random";
    samples.features = features;
    samples.classes = classes;
    for (const double x : fill_tensor<double>(fill_kind::random, {count, features, 1}, 0, 7).data) {
        samples.values.push_back(static_cast<float>(arithmetic::bfloat16(static_cast<float>(x))));
    }
    for (std::uint32_t s = 0; s < count; ++s) {
        samples.labels.push_back(static_cast<std::uint32_t>(s * s % classes));
        samples.training.push_back(s);
    }
    return samples;
}

struct small_model {
    const char* name;
    const char* layer;      ///< the first of two, 12 inputs, 6 outputs
    const char* activation; ///< of it
    friend std::ostream& operator<<(std::ostream& out, const small_model& m) { return out << m.name; }
};
const small_model small_models[] = {
    {"dense", "format: dense, rows: 6, cols: 12", "tanh"},
    {"tt", "format: tt, rows: 3x2, cols: 2x3x2, ranks: \"2,4,3,2\"", "relu"},
    {"ttm", "format: ttm, rows: 3x2, cols: 4x3, ranks: 3", "sigmoid"},
    {"tr", "format: tr, rows: 3x2, cols: 4x3, ranks: \"2,3,2,3\"", "tanh"},
    {"ht", "format: ht, rows: 3x2, cols: 4x3, ranks: \"3,3\"", "sigmoid"},
    {"bt", "format: bt, rows: 3x2, cols: 4x3, ranks: \"2,3\", blocks: 2", "tanh"},
    {"tt_without_bias", "format: tt, rows: 3x2, cols: 4x3, ranks: 3, order: nm, bias: false", "none"},
};

constexpr std::uint64_t inputs = 12, classes = 5, batch = 8;

model_description model_of(const small_model& of)
{
    return parse_model("data: digits\nbatch: 8\nlayers:\n  - {name: first, " + std::string(of.layer) +
                           ", activation: " + of.activation + "}\n  - {name: last, format: dense, rows: 5, cols: 6}\n",
                       of.name);
}

struct gradient_of_format : testing::TestWithParam<small_model> {
    const model_description model = model_of(GetParam());
    const labelled_samples samples = random_samples(inputs, classes, batch);
    const training_state begin = initial_state(model, 3);
    plain_training plain{model, samples, begin};
};

TEST_P(gradient_of_format, of_plain_training_is_the_slope_of_the_loss)
{
    const auto gradients = plain.gradients(samples.training);
    constexpr double step = 1e-6;
    for (std::size_t p = 0; p < gradients.size(); ++p) {
        for (std::size_t i = 0; i < gradients[p].size(); ++i) {
            double& x = plain.parameters[p][i];
            const double kept = x;
            x = kept + step;
            const double above = plain.mean_loss(samples.training);
            x = kept - step;
            const double slope = (above - plain.mean_loss(samples.training)) / (2 * step);
            x = kept;
            EXPECT_NEAR(gradients[p][i], slope, 1e-8) << "parameter " << p << ", element " << i;
        }
    }
}

// The first velocity is the gradient. Each operand of each contraction on the way, there and back, is rounded to bf16,
// each time by 2^-8 at most.
TEST_P(gradient_of_format, of_emulated_training_is_plain_within_the_rounding_of_operands)
{
    const fetta::device_limits g;
    const auto contractions = contractions_of(model, g);
    workloads::model_emulation emulation(model, samples, contractions, g, begin);
    emulation.train(samples.training);
    const auto gradients = plain.gradients(samples.training);
    const auto moments = emulation.state().moments[0];
    std::size_t roundings = 0;
    for (const auto& of : contractions.graphs) { roundings += 2 * of.graph.contractions.size(); }
    for (std::size_t p = 0; p < gradients.size(); ++p) {
        const auto& found = moments[p];
        ASSERT_EQ(found.size(), gradients[p].size());
        std::vector<double> difference;
        for (std::size_t i = 0; i < found.size(); ++i) { difference.push_back(found[i] - gradients[p][i]); }
        EXPECT_LE(norm_of(difference), std::ldexp(static_cast<double>(roundings), -8) * norm_of(gradients[p]))
            << "parameter " << p;
        RecordProperty("parameter_" + std::to_string(p), std::to_string(norm_of(difference) / norm_of(gradients[p])));
    }
}

INSTANTIATE_TEST_SUITE_P(training, gradient_of_format, testing::ValuesIn(small_models),
                         [](const auto& test) { return std::string(test.param.name); });

struct shipped_training {
    const char* model;
    base::element_type psum;
    std::uint64_t epochs;
    optimizer_kind optimizer = optimizer_kind::sgd;
    friend std::ostream& operator<<(std::ostream& out, const shipped_training& t) { return out << t.model; }
};

// The emulation has the bits of the device.
struct loss_of_every_epoch : testing::TestWithParam<shipped_training> {};

TEST_P(loss_of_every_epoch, is_that_of_plain_training)
{
    const auto samples = shipped_digits();
    auto model = load_model(GetParam().model);
    model.optimizer.kind = GetParam().optimizer;
    if (model.optimizer.kind == optimizer_kind::adam) { model.optimizer.rate = 0.002f; }
    fetta::device_limits g;
    g.psum = GetParam().psum;
    const bool coarse = g.psum == base::element_type::bf16;
    const auto contractions = contractions_of(model, g);
    constexpr std::uint64_t seed = 1;
    const auto begin = initial_state(model, seed);
    workloads::model_emulation emulation(model, samples, contractions, g, begin);
    plain_training plain(model, samples, begin);
    for (std::uint64_t e = 0; e < GetParam().epochs; ++e) {
        const auto order = order_of_epoch(samples, seed, e);
        const double found = sum_of(emulation.train(order)).mean_loss();
        const double expected = plain.train(order).mean_loss();
        const double tolerance = std::max((coarse ? 0.1 : 0.05) * expected, coarse ? 0.02 : 0.005);
        EXPECT_NEAR(found, expected, tolerance) << "epoch " << e + 1;
        RecordProperty("epoch_" + std::to_string(e + 1), std::to_string(found) + " " + std::to_string(expected));
    }
}

INSTANTIATE_TEST_SUITE_P(training, loss_of_every_epoch,
                         testing::Values(shipped_training{"digits-ttm", base::element_type::f32, 4},
                                         shipped_training{"digits-ttm", base::element_type::bf16, 4},
                                         shipped_training{"digits-tt", base::element_type::f32, 2},
                                         shipped_training{"digits-tt", base::element_type::bf16, 2},
                                         shipped_training{"digits-ttm", base::element_type::f32, 2,
                                                          optimizer_kind::adam}),
                         [](const auto& test) {
                             std::string name = test.param.model;
                             std::replace(name.begin(), name.end(), '-', '_');
                             name += test.param.psum == base::element_type::bf16 ? "_bf16_sums" : "_f32_sums";
                             return name + (test.param.optimizer == optimizer_kind::adam ? "_adam" : "");
                         });

} // namespace
} // namespace tensorloom::test
