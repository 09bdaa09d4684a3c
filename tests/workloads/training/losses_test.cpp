// Losses of targets: the emulation against their definition in double precision, and against finite differences of it.
#include <tensorloom/workloads/training/losses/loss.h>
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tensorloom/workloads/training/model_emulation.h>
#include <tensorloom/workloads/training/model_file.h>
#include "support/message_of.h"
#include "workloads/training/gradient_of_loss.h"
#include "workloads/training/network_definition.h"

namespace tensorloom::test {
namespace {

using ::testing::HasSubstr;
using workloads::labelled_samples;
using workloads::loss_kind;
using workloads::model_description;
using workloads::parameter_values;

constexpr std::uint64_t of_seed = 3;

model_description network_of(const std::string& loss, unsigned outputs = 3)
{
    return workloads::parse_model(
        "batch: 8\noptimizer: {rate: 0.25, momentum: 0.5}\nloss: " + loss +
            "\nlayers:\n  - {format: dense, rows: 8, cols: 6, activation: tanh}\n  - {format: "
            "dense, rows: " +
            std::to_string(outputs) + ", cols: 8}\n",
        "net.yaml");
}

// Samples of 6 inputs in bf16, with targets near the outputs and far from them.
labelled_samples samples_with_targets(std::size_t targets, std::size_t count = 24)
{
    labelled_samples samples;
    samples.features = 6;
    samples.target_numbers = targets;
    for (std::uint32_t s = 0; s < count; ++s) {
        for (std::uint32_t f = 0; f < 6; ++f) {
            samples.values.push_back(static_cast<float>((s * 7 + f * f * 5 + s * f) % 17) / 16);
        }
        for (std::size_t t = 0; t < targets; ++t) {
            samples.targets.push_back(static_cast<float>((s * 11 + t * 5) % 13) / 4 - 1.5f);
        }
        samples.training.push_back(s);
    }
    return samples;
}

using loss_function = std::function<double(double)>;

struct defined_loss {
    const char* text;
    loss_function of; // a difference
};
const defined_loss losses[] = {
    {"mse", [](double e) { return e * e; }},
    {"l1", [](double e) { return std::abs(e); }},
    {"huber", [](double e) { return std::abs(e) <= 1 ? e * e / 2 : std::abs(e) - 0.5; }},
    {"{kind: huber, delta: 0.25}",
     [](double e) { return std::abs(e) <= 0.25 ? e * e / 2 : 0.25 * (std::abs(e) - 0.125); }},
};

// Mean over samples and outputs, as PyTorch's losses have it.
double mean_loss(const model_description& model, const parameter_values& parameters, const labelled_samples& samples,
                 std::size_t count, const loss_function& of)
{
    matrix x;
    for (std::size_t s = 0; s < count; ++s) {
        const auto* first = samples.values.data() + s * samples.features;
        x.emplace_back(first, first + samples.features);
    }
    const auto y = outputs_of(model, parameters, x);
    double sum = 0;
    for (std::size_t s = 0; s < count; ++s) {
        for (std::size_t i = 0; i < y[s].size(); ++i) {
            sum += of(y[s][i] - samples.targets[s * samples.target_numbers + i]);
        }
    }
    return sum / static_cast<double>(count * samples.target_numbers);
}

struct one_step {
    workloads::training_state state;
    workloads::batch_metrics metrics;
};

one_step after_a_step(const model_description& model, const labelled_samples& samples, std::size_t count)
{
    const fetta::device_limits limits;
    const auto contractions = workloads::contractions_of(model, limits);
    workloads::model_emulation host(model, samples, contractions, limits, workloads::initial_state(model, of_seed));
    const auto metrics =
        host.train({samples.training.begin(), samples.training.begin() + static_cast<std::ptrdiff_t>(count)});
    return {host.state(), metrics.at(0)};
}

// The first velocity is the gradient: for a full batch, and for one that is filled up.
TEST(losses_of_targets, gradients_are_those_of_the_loss)
{
    for (const auto& [text, of] : losses) {
        for (const unsigned outputs : {1u, 3u}) {
            const auto model = network_of(text, outputs);
            const auto samples = samples_with_targets(outputs);
            const auto initial = workloads::initial_state(model, of_seed);
            for (const std::size_t count : {std::size_t{8}, std::size_t{5}}) {
                const auto found = after_a_step(model, samples, count);
                for (std::size_t p = 0; p < initial.masters.size(); ++p) {
                    const auto loss = [&, &function = of](const parameter_values& values) {
                        return mean_loss(model, values, samples, count, function);
                    };
                    auto expected = gradient_of(loss, initial.masters, p);
                    const double size = norm(expected);
                    for (std::size_t i = 0; i < expected.size(); ++i) { expected[i] -= found.state.moments[0][p][i]; }
                    EXPECT_GT(size, 1e-3) << text;
                    EXPECT_LT(norm(expected), 0.03 * size)
                        << text << ", parameter " << p << ", " << count << " samples";
                }
            }
        }
    }
}

TEST(losses_of_targets, metrics_are_those_of_the_definition)
{
    for (const auto& [text, of] : losses) {
        const auto model = network_of(text);
        const auto samples = samples_with_targets(3);
        const auto initial = workloads::initial_state(model, of_seed);
        for (const std::size_t count : {std::size_t{8}, std::size_t{5}}) {
            const auto metrics = after_a_step(model, samples, count).metrics;
            const double expected = mean_loss(model, initial.masters, samples, count, of);
            EXPECT_EQ(metrics.samples, count);
            EXPECT_EQ(metrics.correct, 0);
            EXPECT_NEAR(metrics.mean_loss(), expected, 0.01 * expected) << text;
        }
    }
}

// A class is the target 1 of its output.
TEST(losses_of_targets, labels_are_targets_of_0_and_1)
{
    const auto model = network_of("mse");
    auto labelled = samples_with_targets(3), same = labelled;
    labelled.target_numbers = 0;
    labelled.targets.clear();
    labelled.classes = 3;
    same.targets.assign(same.targets.size(), 0);
    for (std::uint32_t s = 0; s < 24; ++s) {
        labelled.labels.push_back(s * s % 3);
        same.targets[s * 3 + s * s % 3] = 1;
    }
    const auto by_label = after_a_step(model, labelled, 8), by_target = after_a_step(model, same, 8);
    EXPECT_TRUE(by_label.state == by_target.state);
    EXPECT_TRUE(by_label.metrics.same_as(by_target.metrics));
    EXPECT_EQ(workloads::answers_of(model.loss, labelled), workloads::answers_of(model.loss, same));
}

TEST(losses_of_targets, what_the_device_gathers)
{
    labelled_samples samples;
    samples.target_numbers = 2;
    samples.targets = {0.5f, -3, 7, 8};
    EXPECT_THAT(workloads::answers_of({loss_kind::l1}, samples), ::testing::ElementsAre(0.5, -3, 1, 7, 8, 1, 0, 0, 0));
    samples.target_numbers = 0;
    samples.classes = 3;
    samples.labels = {2, 0};
    EXPECT_THAT(workloads::answers_of({}, samples), ::testing::ElementsAre(0, 0, 1, 1, 0, 0, 0, 0, 0));
}

TEST(losses_of_targets, an_untrained_loss_is_that_of_the_mean)
{
    labelled_samples samples;
    samples.target_numbers = 1;
    samples.targets = {0, 2, 4, 6, 1000}; // the last one is for the test
    samples.training = {0, 1, 2, 3};
    EXPECT_DOUBLE_EQ(workloads::untrained_loss({loss_kind::mse}, samples), 5);
    EXPECT_DOUBLE_EQ(workloads::untrained_loss({loss_kind::l1}, samples), 2);
    EXPECT_DOUBLE_EQ(workloads::untrained_loss({loss_kind::huber}, samples), (2 * 0.5 + 2 * 2.5) / 4);
    samples.classes = 10;
    EXPECT_DOUBLE_EQ(workloads::untrained_loss({}, samples), std::log(10.0));
}

TEST(losses_of_targets, keys_of_a_model)
{
    EXPECT_EQ(network_of("cross-entropy").loss.kind, loss_kind::cross_entropy);
    EXPECT_EQ(network_of("huber").loss.delta, 1);
    const auto huber = network_of("{kind: huber, delta: 0.25}").loss;
    EXPECT_EQ(huber.kind, loss_kind::huber);
    EXPECT_EQ(huber.delta, 0.25f);
    EXPECT_THAT(message_of([] { network_of("hinge"); }),
                HasSubstr("net.yaml:3: found 'hinge', expected one of cross-entropy, mse, l1, huber"));
    EXPECT_THAT(message_of([] { network_of("{kind: huber, delta: 0}"); }),
                HasSubstr("delta is 0, expected a number from 1e-06"));
    EXPECT_THAT(message_of([] { network_of("{sort: huber}"); }), HasSubstr("'sort'"));
}

} // namespace
} // namespace tensorloom::test
