#include <tensorloom/workloads/training/training_run.h>
#include <cmath>
#include <functional>
#include <iterator>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tensorloom/workloads/training/model_file.h>
#include "support/message_of.h"
#include "support/scratch_folder.h"

namespace tensorloom::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using workloads::activation_kind;
using workloads::initial_state;
using workloads::model_description;
using workloads::optimizer_kind;
using workloads::step_constant;
using workloads::training_state;

double variance_of(const std::vector<float>& values)
{
    double sum = 0;
    for (const float x : values) { sum += double{x} * x; }
    return sum / static_cast<double>(values.size());
}

float constant(const training_state& state, step_constant c) { return state.constants[static_cast<std::size_t>(c)]; }

TEST(initial_state, cores_and_biases_of_every_layer)
{
    const auto model = workloads::load_model("digits-ttm");
    const auto state = initial_state(model, 1);
    std::vector<std::size_t> sizes;
    for (const auto& values : state.masters) { sizes.push_back(values.size()); }
    EXPECT_EQ(sizes, (std::vector<std::size_t>{16 * 8 * 4, 4 * 16 * 8, 256, 2 * 16 * 4, 4 * 5 * 16, 10}));
    for (const std::size_t bias : {2, 5}) { EXPECT_EQ(variance_of(state.masters[bias]), 0); }
    ASSERT_EQ(state.moments.size(), 1u);
    for (const auto& values : state.moments[0]) { EXPECT_EQ(variance_of(values), 0); }
    EXPECT_EQ(state.numbers(), 2 * model.parameters() + workloads::step_constants);
    EXPECT_EQ(state.epochs, 0u);
}

// 1 / inputs lets sums have the variance of inputs; relu takes half of it away.
TEST(initial_state, variance_of_dense_layers)
{
    const auto model = workloads::load_model("digits-dense");
    const auto state = initial_state(model, 1);
    EXPECT_NEAR(variance_of(state.masters[0]) * 64, 2, 0.1);
    EXPECT_NEAR(variance_of(state.masters[2]) * 256, 1, 0.1);
}

// What an embedding passes on has variance 1, half of which are positions where there are any.
TEST(initial_state, variance_of_embeddings)
{
    const std::string keys = "layers: [{kind: embedding, vocabulary: 64, frames: 32, features: 64, positions: ";
    const auto with = initial_state(workloads::parse_model(keys + "true}]", "net.yaml"), 1),
               without = initial_state(workloads::parse_model(keys + "false}]", "net.yaml"), 1);
    ASSERT_EQ(with.masters.size(), 2u);
    EXPECT_NEAR(variance_of(with.masters[0]), 0.5, 0.02);
    EXPECT_NEAR(variance_of(with.masters[1]), 0.5, 0.02);
    EXPECT_NE(with.masters[0][0], with.masters[1][0]);
    ASSERT_EQ(without.masters.size(), 1u);
    EXPECT_NEAR(variance_of(without.masters[0]), 1, 0.04);
}

TEST(initial_state, the_seed_decides)
{
    const auto model = workloads::load_model("digits-tt");
    EXPECT_TRUE(initial_state(model, 1) == initial_state(model, 1));
    EXPECT_FALSE(initial_state(model, 1) == initial_state(model, 2));
    EXPECT_NE(initial_state(model, 1).masters[0], initial_state(model, 1).masters[5]); // layers differ
}

TEST(initial_state, what_optimizers_begin_with)
{
    auto model = workloads::load_model("digits-ttm");
    model.optimizer.rate = 0.08f;
    const auto sgd = initial_state(model, 1);
    EXPECT_EQ(sgd.moments.size(), 1u);
    EXPECT_EQ(constant(sgd, step_constant::minus_rate), -0.08f);
    model.optimizer.kind = optimizer_kind::adam;
    const auto adam = initial_state(model, 1);
    EXPECT_EQ(adam.moments.size(), 2u);
    EXPECT_EQ(constant(adam, step_constant::first_power), 1.0f);
    EXPECT_EQ(constant(adam, step_constant::second_power), 1.0f);
}

workloads::linear_layer& linear_layer_of(model_description& model, std::size_t layer)
{
    return std::get<workloads::linear_layer>(model.layers[layer].what);
}

class saved_training : public scratch_folder {
protected:
    std::string validate(const model_description& model, std::uint64_t seed = 1)
    {
        return message_of([&] { workloads::load_training(m_path, model, seed); });
    }

    std::string m_path = path("state");
    model_description m_model = workloads::load_model("digits-ttm");
};

TEST_F(saved_training, comes_back)
{
    auto state = initial_state(m_model, 1);
    state.epochs = 7;
    state.moments[0][1][3] = -0.0f;
    state.masters[2][0] = 1e-45f;
    state.constants[1] = 0.3f;
    workloads::save_training(m_path, m_model, 1, state);
    auto longer = m_model;
    longer.epochs = 99;
    EXPECT_TRUE(workloads::load_training(m_path, longer, 1) == state);
}

TEST_F(saved_training, of_another_model_or_run)
{
    workloads::save_training(m_path, m_model, 1, initial_state(m_model, 1));
    EXPECT_THAT(validate(m_model, 2),
                AllOf(HasSubstr(m_path), HasSubstr("this model, data, batch, optimizer and seed")));
    const std::function<void(model_description&)> changes[] = {
        [](auto& m) { m.batch = 31; },
        [](auto& m) { m.optimizer.kind = optimizer_kind::adam; },
        [](auto& m) { m.loss.kind = workloads::loss_kind::mse; },
        [](auto& m) { m.loss.delta = 2; },
        [](auto& m) { m.data_digest = "other samples"; },
        [](auto& m) { m.optimizer.rate = std::nextafter(m.optimizer.rate, 1.0f); },
        [](auto& m) { m.optimizer.momentum = 0.8f; },
        [](auto& m) { m.optimizer.rate_decay = 1; },
        [](auto& m) { m.optimizer.weight_decay = 0.01f; },
        [](auto& m) { m.optimizer.clip_norm = 1; },
        [](auto& m) { m.optimizer.warm_up = 5; },
        [](auto& m) { m.optimizer.schedule = workloads::rate_schedule::step; },
        [](auto& m) { m.optimizer.schedule = workloads::rate_schedule::cosine; },
        [](auto& m) { linear_layer_of(m, 0).activation = activation_kind::tanh; },
        [](auto& m) {
            linear_layer_of(m, 0).map.shape.rows = {4, 64};
        },
        [](auto& m) { linear_layer_of(m, 1).map.shape.ranks = {5}; },
        [](auto& m) { m.layers.pop_back(); },
    };
    for (std::size_t c = 0; c < std::size(changes); ++c) {
        auto other = m_model;
        changes[c](other);
        EXPECT_THAT(validate(other), HasSubstr("belongs to another configuration")) << c;
    }
}

// A cosine has a length: states of other ones are of other runs, unless the model gives its length.
TEST_F(saved_training, of_a_schedule)
{
    m_model.optimizer.schedule = workloads::rate_schedule::cosine;
    auto longer = m_model;
    longer.epochs = m_model.epochs + 5;
    workloads::save_training(m_path, m_model, 1, initial_state(m_model, 1));
    EXPECT_THAT(validate(longer), HasSubstr("belongs to another configuration"));
    m_model.optimizer.schedule_epochs = longer.optimizer.schedule_epochs = 7;
    workloads::save_training(m_path, m_model, 1, initial_state(m_model, 1));
    EXPECT_TRUE(workloads::load_training(m_path, longer, 1) == initial_state(m_model, 1));
    longer.optimizer.least_rate = 0.001f;
    EXPECT_THAT(validate(longer), HasSubstr("belongs to another configuration"));
}

TEST_F(saved_training, of_other_norms_pools_dropouts_and_residual_sums)
{
    const char* layers[] = {"{kind: norm, features: 64}",
                            "{kind: norm, frames: 2, features: 32}",
                            "{kind: norm, features: 64, epsilon: 0.1}",
                            "{kind: dropout, features: 64}",
                            "{kind: dropout, features: 64, rate: 0.25}",
                            "{kind: pool, height: 8, width: 8, kernel: 3x3, stride: 1, padding: 1}",
                            "{kind: pool, height: 8, width: 8, kernel: 3x3, stride: 1, padding: 1, function: average}",
                            "{kind: pool, height: 4, width: 16, kernel: 3x3, stride: 1, padding: 1}",
                            "{kind: residual, layers: [{kind: dropout, features: 64}]}",
                            "{kind: residual, layers: [{kind: dropout, features: 64, rate: 0.25}]}"};
    const auto model_of = [](const char* layer) {
        return workloads::parse_model(
            "layers:\n  - " + std::string(layer) + "\n  - {format: dense, rows: 10, cols: 64}\n", "net.yaml");
    };
    for (const char* layer : layers) {
        const auto model = model_of(layer);
        workloads::save_training(m_path, model, 1, initial_state(model, 1));
        for (const char* other : layers) {
            const auto message = validate(model_of(other));
            EXPECT_EQ(message.empty(), layer == other) << layer << " and " << other << ": " << message;
        }
    }
}

// Where patches come from is no matter of what is computed.
TEST_F(saved_training, of_other_embeddings_and_convolutions)
{
    m_model =
        workloads::parse_model("layers:\n"
                               "  - {kind: embedding, vocabulary: 16, frames: 4, features: 4}\n"
                               "  - {kind: convolution, height: 2, width: 2, channels: 4, kernel: 1x2, padding: 1, "
                               "format: dense, rows: 4, cols: 8}\n",
                               "net.yaml");
    workloads::save_training(m_path, m_model, 1, initial_state(m_model, 1));
    const auto of_others = [&](auto kind, const auto& changes) {
        for (const auto& change : changes) {
            auto other = m_model;
            for (auto& layer : other.layers) {
                if (auto* changed = std::get_if<decltype(kind)>(&layer.what)) { change(*changed); }
            }
            EXPECT_THAT(validate(other), HasSubstr("belongs to another configuration"));
        }
    };
    using workloads::convolution_layer;
    using workloads::embedding_layer;
    of_others(embedding_layer(), std::vector<std::function<void(embedding_layer&)>>{
                                     [](auto& l) { l.vocabulary = 17; }, [](auto& l) { l.frames = 8; },
                                     [](auto& l) { l.features = 8; }, [](auto& l) { l.positions = true; }});
    of_others(convolution_layer(),
              std::vector<std::function<void(convolution_layer&)>>{
                  [](auto& l) { l.height = 1; }, [](auto& l) { l.width = 3; }, [](auto& l) { l.channels = 2; },
                  [](auto& l) { l.kernel_height = 2; }, [](auto& l) { l.kernel_width = 1; },
                  [](auto& l) { l.stride = 2; }, [](auto& l) { l.padding = 0; },
                  [](auto& l) { l.activation = activation_kind::relu; }, [](auto& l) { l.map.bias = false; }});
    auto same = m_model;
    std::get<convolution_layer>(same.layers[1].what).patches_from = workloads::patch_source::bus;
    EXPECT_TRUE(workloads::load_training(m_path, same, 1) == initial_state(m_model, 1));
}

TEST_F(saved_training, truncated_or_much_too_long)
{
    workloads::save_training(m_path, m_model, 1, initial_state(m_model, 1));
    const std::string whole = text("state");
    for (const std::size_t size : {std::size_t{0}, std::size_t{80}, whole.size() / 2, whole.size() - 1}) {
        write("state", whole.substr(0, size));
        EXPECT_THAT(validate(m_model), HasSubstr("saved state")) << size;
    }
    write("state", std::string(1u << 20, 'x'));
    EXPECT_THAT(validate(m_model), HasSubstr("a longer file"));
}

} // namespace
} // namespace tensorloom::test
