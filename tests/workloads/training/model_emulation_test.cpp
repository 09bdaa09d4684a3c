#include <tensorloom/workloads/training/model_emulation.h>
#include <cmath>
#include <gtest/gtest.h>
#include <tensorloom/workloads/training/model_file.h>
#include <tensorloom/workloads/training/step_words.h>
#include "workloads/training/gradient_of_loss.h"
#include "workloads/training/network_definition.h"

namespace tensorloom::test {
namespace {

using workloads::model_description;
using workloads::parameter_values;
using workloads::training_state;

constexpr std::uint64_t seed = 3;

// A network of 6 features and 3 classes, batches of 8, and samples for it.
model_description network(const std::string& hidden, const std::string& optimizer = "{rate: 0.25, momentum: 0.5}")
{
    return workloads::parse_model("batch: 8\noptimizer: " + optimizer + "\nlayers:\n  - {" + hidden +
                                      "}\n  - {format: dense, rows: 3, cols: 8}\n",
                                  "net.yaml");
}

workloads::labelled_samples samples_for_it()
{
    std::string text;
    for (unsigned s = 0; s < 24; ++s) {
        for (unsigned f = 0; f < 6; ++f) { text += std::to_string((s * 7 + f * f * 5 + s * f) % 17) + ","; }
        text += std::to_string(s * s % 3) + "\n";
    }
    return workloads::read_samples(text, "samples", 3, 16, 8);
}

class model_emulation : public ::testing::Test {
protected:
    // Trains with these samples, one batch after the other.
    training_state trained(const model_description& model, const std::vector<std::uint32_t>& order,
                           training_state state)
    {
        const auto contractions = workloads::contractions_of(model, m_limits);
        workloads::model_emulation host(model, m_samples, contractions, m_limits, std::move(state));
        m_metrics = host.train(order);
        return host.state();
    }
    training_state trained(const model_description& model, const std::vector<std::uint32_t>& order)
    {
        return trained(model, order, workloads::initial_state(model, seed));
    }

    std::vector<std::uint32_t> first(std::size_t count) const
    {
        return {m_samples.training.begin(), m_samples.training.begin() + static_cast<std::ptrdiff_t>(count)};
    }

    fetta::device_limits m_limits;
    workloads::labelled_samples m_samples = samples_for_it();
    std::vector<workloads::batch_metrics> m_metrics;
};

constexpr const char* hidden_layers[] = {
    "format: dense, rows: 8, cols: 6, activation: sigmoid",
    "format: dense, rows: 8, cols: 6, activation: tanh, bias: false",
    "format: dense, rows: 8, cols: 6",
    "format: ttm, rows: 4x2, cols: 2x3, ranks: 3, activation: tanh",
    "format: tt, rows: 4x2, cols: 6, ranks: 3, activation: sigmoid",
    "format: tt, order: nm, rows: 4x2, cols: 6, ranks: 3, activation: tanh",
    "format: tr, rows: 4x2, cols: 2x3, ranks: 2, activation: tanh",
    "format: ttm, rows: 4x2, cols: 2x3, ranks: 3, activation: gelu",
    "format: ht, rows: 4x2, cols: 2x3, ranks: 3, activation: tanh",
    "format: bt, rows: 4x2, cols: 2x3, ranks: 2, blocks: 2, activation: tanh",
    "format: dense, rows: 8, cols: 6, activation: relu",
};

// The first velocity is the gradient. Of batches that are full, and of one that is filled up.
TEST_F(model_emulation, gradients_are_those_of_the_loss)
{
    for (const char* hidden : hidden_layers) {
        const auto model = network(hidden);
        const auto initial = workloads::initial_state(model, seed);
        for (const std::size_t count : {std::size_t{8}, std::size_t{5}}) {
            const auto state = trained(model, first(count));
            for (std::size_t p = 0; p < initial.masters.size(); ++p) {
                const auto mean_loss = [&](const parameter_values& values) {
                    return cross_entropy(model, values, m_samples, first(count)) / static_cast<double>(count);
                };
                auto expected = gradient_of(mean_loss, initial.masters, p);
                const double size = norm(expected);
                for (std::size_t i = 0; i < expected.size(); ++i) { expected[i] -= state.moments[0][p][i]; }
                EXPECT_GT(size, 1e-3) << hidden;
                EXPECT_LT(norm(expected), 0.03 * size) << hidden << ", parameter " << p << ", " << count << " samples";
            }
        }
    }
}

TEST_F(model_emulation, metrics_are_those_of_the_definition)
{
    for (const char* hidden : hidden_layers) {
        const auto model = network(hidden);
        const auto initial = workloads::initial_state(model, seed);
        for (const std::size_t count : {std::size_t{8}, std::size_t{5}}) { // full, and filled up
            trained(model, first(count));
            ASSERT_EQ(m_metrics.size(), 1u);
            EXPECT_EQ(m_metrics[0].samples, count);
            EXPECT_NEAR(m_metrics[0].loss, cross_entropy(model, initial.masters, m_samples, first(count)), 0.05)
                << hidden;
        }
        trained(model, first(13));
        ASSERT_EQ(m_metrics.size(), 2u);
        EXPECT_EQ(m_metrics[1].samples, 5);
    }
}

TEST_F(model_emulation, sums_of_bf16_are_others_that_are_near)
{
    const auto model = network(hidden_layers[3]);
    const auto wide = trained(model, first(8));
    m_limits.psum = base::element_type::bf16;
    const auto narrow = trained(model, first(8));
    EXPECT_FALSE(wide == narrow);
    for (std::size_t p = 0; p < wide.masters.size(); ++p) {
        std::vector<double> size, difference;
        for (std::size_t i = 0; i < wide.masters[p].size(); ++i) {
            size.push_back(wide.moments[0][p][i]);
            difference.push_back(size.back() - narrow.moments[0][p][i]);
        }
        EXPECT_LT(norm(difference), 0.1 * norm(size)) << p;
    }
}

TEST_F(model_emulation, descent_with_momentum)
{
    const auto model = network(hidden_layers[0]);
    const auto w0 = workloads::initial_state(model, seed), one = trained(model, first(8)),
               two = trained(model, first(8), one);
    for (std::size_t p = 0; p < w0.masters.size(); ++p) {
        for (std::size_t i = 0; i < w0.masters[p].size(); ++i) {
            const float v = one.moments[0][p][i];
            EXPECT_EQ(one.masters[p][i], std::fma(-0.25f, v, w0.masters[p][i]));
            EXPECT_EQ(two.masters[p][i], std::fma(-0.25f, two.moments[0][p][i], one.masters[p][i]));
        }
    }
    EXPECT_EQ(two.epochs, 2u);
}

TEST_F(model_emulation, the_rate_decays_by_epochs)
{
    const auto model = network(hidden_layers[0], "{rate: 0.5, rate_decay: 0.25}");
    EXPECT_EQ(trained(model, first(16)).constants[static_cast<std::size_t>(workloads::step_constant::minus_rate)],
              -0.125f);
}

// Behind one step both means without their bias are the gradient and its square: every parameter goes by the rate.
TEST_F(model_emulation, the_first_step_of_adam_is_the_rate)
{
    const auto adam = network(hidden_layers[0], "{kind: adam, rate: 0.125}"), sgd = network(hidden_layers[0]);
    const auto initial = workloads::initial_state(adam, seed), state = trained(adam, first(8)),
               by_sgd = trained(sgd, first(8));
    for (std::size_t p = 0; p < initial.masters.size(); ++p) {
        for (std::size_t i = 0; i < initial.masters[p].size(); ++i) {
            const float g = by_sgd.moments[0][p][i];
            ASSERT_NE(g, 0.0f);
            EXPECT_NEAR(state.moments[0][p][i], 0.1f * g, 1e-6 * std::abs(g));
            EXPECT_NEAR(state.moments[1][p][i], 0.001f * g * g, 1e-5 * g * g);
            EXPECT_NEAR(state.masters[p][i], initial.masters[p][i] - std::copysign(0.125f, g), 1e-4);
        }
    }
}

float rate_of(const training_state& before, const training_state& after, std::size_t p, std::size_t i)
{
    return (before.masters[p][i] - after.masters[p][i]) / after.moments[0][p][i];
}

// As torch.optim: a share of the parameter is added to its gradient.
TEST_F(model_emulation, weight_decay_is_added_to_gradients)
{
    const auto plain = network(hidden_layers[0]),
               decays = network(hidden_layers[0], "{rate: 0.25, momentum: 0.5, weight_decay: 0.125}"),
               adam = network(hidden_layers[0], "{kind: adam, rate: 0.125, weight_decay: 0.125}");
    const auto initial = workloads::initial_state(plain, seed), expected = trained(plain, first(8)),
               by_sgd = trained(decays, first(8)), by_adam = trained(adam, first(8));
    for (std::size_t p = 0; p < initial.masters.size(); ++p) {
        for (std::size_t i = 0; i < initial.masters[p].size(); ++i) {
            const float gradient = expected.moments[0][p][i] + 0.125f * initial.masters[p][i];
            EXPECT_NEAR(by_sgd.moments[0][p][i], gradient, 1e-6);
            EXPECT_EQ(by_sgd.masters[p][i], std::fma(-0.25f, by_sgd.moments[0][p][i], initial.masters[p][i]));
            EXPECT_NEAR(by_adam.moments[0][p][i], 0.1f * gradient, 1e-6);
        }
    }
}

// Moments are those of Adam; the parameter is multiplied by 1 - rate decay before the step.
TEST_F(model_emulation, adamw_decays_parameters)
{
    const auto adam = network(hidden_layers[0], "{kind: adam, rate: 0.125}"),
               adamw = network(hidden_layers[0], "{kind: adamw, rate: 0.125, weight_decay: 0.25}");
    const auto initial = workloads::initial_state(adam, seed), plain = trained(adam, first(8)),
               state = trained(adamw, first(8));
    EXPECT_EQ(state.moments, plain.moments);
    for (std::size_t p = 0; p < initial.masters.size(); ++p) {
        for (std::size_t i = 0; i < initial.masters[p].size(); ++i) {
            EXPECT_NEAR(state.masters[p][i], plain.masters[p][i] - 0.125f * 0.25f * initial.masters[p][i], 1e-6);
        }
    }
}

// Gradients keep their direction; together they are at most as long as clip_norm.
TEST_F(model_emulation, gradients_are_clipped_by_their_norm)
{
    for (const char* hidden : {hidden_layers[0], hidden_layers[3], hidden_layers[9]}) {
        const auto plain = network(hidden), clips = network(hidden, "{rate: 0.25, momentum: 0.5, clip_norm: 0.0625}"),
                   loose = network(hidden, "{rate: 0.25, momentum: 0.5, clip_norm: 100}");
        const auto expected = trained(plain, first(8)), clipped = trained(clips, first(8));
        double size = 0, length = 0;
        for (std::size_t p = 0; p < expected.masters.size(); ++p) {
            for (std::size_t i = 0; i < expected.masters[p].size(); ++i) {
                size += double{expected.moments[0][p][i]} * expected.moments[0][p][i];
                length += double{clipped.moments[0][p][i]} * clipped.moments[0][p][i];
            }
        }
        ASSERT_GT(std::sqrt(size), 0.1);
        EXPECT_NEAR(std::sqrt(length), 0.0625, 1e-5);
        for (std::size_t p = 0; p < expected.masters.size(); ++p) {
            for (std::size_t i = 0; i < expected.masters[p].size(); ++i) {
                EXPECT_NEAR(clipped.moments[0][p][i], expected.moments[0][p][i] * 0.0625 / std::sqrt(size), 1e-6);
            }
        }
        EXPECT_TRUE(trained(loose, first(8)) == expected);
    }
}

// Steps of one batch each, one after the other: rates by the formulas of the page.
TEST_F(model_emulation, rates_follow_their_schedule)
{
    const struct {
        const char* optimizer;
        std::vector<double> rates; // of 3 epochs of 2 steps
    } schedules[] = {
        {"{rate: 0.5, momentum: 0, warm_up: 4}", {0.125, 0.25, 0.375, 0.5, 0.5, 0.5}},
        {"{rate: 0.5, momentum: 0, schedule: step, step_factor: 0.5}", {0.5, 0.5, 0.25, 0.25, 0.125, 0.125}},
        {"{rate: 0.5, momentum: 0, schedule: step, step_epochs: 2, step_factor: 0.25, warm_up: 2, rate_decay: 0.5}",
         {0.25, 0.5, 0.25, 0.25, 0.03125, 0.03125}},
        {"{rate: 0.5, momentum: 0, schedule: cosine, schedule_epochs: 2}",
         {0.5, 0.25 + 0.25 * std::sqrt(0.5), 0.25, 0.25 - 0.25 * std::sqrt(0.5), 0, 0}},
        {"{rate: 0.5, momentum: 0, schedule: cosine, least_rate: 0.25, warm_up: 2}",
         {0.25, 0.5, 0.5, 0.375 + 0.125 * std::sqrt(0.5), 0.375, 0.375 - 0.125 * std::sqrt(0.5)}},
    };
    for (const auto& schedule : schedules) {
        auto model = network(hidden_layers[0], schedule.optimizer);
        model.epochs = 3;
        for (unsigned step = 0; step < 6; ++step) {
            SCOPED_TRACE(std::string(schedule.optimizer) + ", step " + std::to_string(step));
            EXPECT_NEAR(0.5 * workloads::rate_factor(model, step / 2, step % 2, 2) *
                            std::pow(model.optimizer.rate_decay, step / 2),
                        schedule.rates[step], 1e-7);
        }
        // One step of an epoch: the difference is its rate times the velocity.
        auto one = model;
        one.optimizer.schedule_epochs = model.optimizer.schedule == workloads::rate_schedule::cosine ? 4 : 0;
        one.optimizer.warm_up = 0;
        auto now = workloads::initial_state(one, seed);
        for (unsigned epoch = 0; epoch < 3; ++epoch) {
            const auto next = trained(one, first(8), now);
            const double rate =
                0.5 * workloads::rate_factor(one, epoch, 0, 1) * std::pow(one.optimizer.rate_decay, epoch);
            EXPECT_NEAR(rate_of(now, next, 1, 0), rate, 1e-3 * rate);
            now = next;
        }
    }
}

TEST_F(model_emulation, a_wrong_bit_is_seen)
{
    const auto model = network(hidden_layers[3]);
    const auto initial = workloads::initial_state(model, seed), right = trained(model, first(16));
    EXPECT_TRUE(right == trained(model, first(16)));
    for (std::size_t p = 0; p < initial.masters.size(); ++p) {
        auto wrong = initial;
        auto& value = wrong.masters[p].back();
        value = std::nextafter(value, 1.0f);
        EXPECT_FALSE(wrong == initial) << p;
        value += 1.0f / 1024; // enough for other operands
        EXPECT_FALSE(trained(model, first(16), wrong) == right) << p;
    }
    auto zero = initial, minus = initial;
    zero.moments[0][0][0] = 0.0f;
    minus.moments[0][0][0] = -0.0f;
    EXPECT_FALSE(zero == minus);
}

} // namespace
} // namespace tensorloom::test
