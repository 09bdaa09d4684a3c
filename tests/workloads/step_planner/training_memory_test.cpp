#include <tensorloom/workloads/step_planner/training_memory.h>
#include <gtest/gtest.h>

namespace tensorloom::test {
namespace {

using workloads::memory_kind;
using workloads::memory_of;

constexpr std::uint64_t f32 = 4, bf16 = 2; // bytes

TEST(training_memory, of_a_dense_layer)
{
    constexpr std::uint64_t m = 10, n = 30, b = 8;
    workloads::tensorized_layer layer;
    layer.rows = {m};
    layer.columns = {n};
    layer.batch = b;
    const auto memory = memory_of(workloads::dense_graph(layer, true));
    EXPECT_EQ(memory.of(memory_kind::masters), m * n * f32);
    EXPECT_EQ(memory.of(memory_kind::copies), m * n * bf16);
    EXPECT_EQ(memory.of(memory_kind::gradients), m * n * f32);
    EXPECT_EQ(memory.of(memory_kind::optimizer), 0u);
    EXPECT_EQ(memory.of(memory_kind::activations), b * n * bf16);       // X
    EXPECT_EQ(memory.of(memory_kind::temporaries), b * (m + n) * bf16); // dY and dX
    EXPECT_EQ(memory.peak, memory.sum() - b * n * bf16);                // dX when nothing needs X any more
    // Without dX there are Y, and then dY.
    EXPECT_EQ(memory_of(workloads::dense_graph(layer, false)).of(memory_kind::temporaries), b * m * bf16);
}

// Y = (X.G2).G1: T1[b, n1, m2, r] is kept for dG1 = dY.T1, X for dG2 = dT1.X. When dX is made, dT1 is there.
TEST(training_memory, of_a_tensor_train_matrix)
{
    constexpr std::uint64_t m1 = 4, m2 = 5, n1 = 6, n2 = 7, r = 3, b = 8;
    workloads::tensorized_layer layer;
    layer.rows = {m1, m2};
    layer.columns = {n1, n2};
    layer.ranks = {r};
    layer.batch = b;
    const workloads::contraction_tree tree{{{0, 2}, {3, 1}}};
    const auto memory = memory_of(workloads::step_graph(layer, tree, true));
    constexpr std::uint64_t parameters = m1 * n1 * r + m2 * n2 * r;
    constexpr std::uint64_t x = b * n1 * n2, t1 = b * n1 * m2 * r;
    EXPECT_EQ(memory.of(memory_kind::masters), parameters * f32);
    EXPECT_EQ(memory.of(memory_kind::copies), parameters * bf16);
    EXPECT_EQ(memory.of(memory_kind::gradients), parameters * f32);
    EXPECT_EQ(memory.of(memory_kind::activations), (x + t1) * bf16);
    EXPECT_EQ(memory.of(memory_kind::temporaries), (x + t1) * bf16); // dX and dT1
    const auto dense = memory_of(workloads::dense_graph(layer, true));
    EXPECT_EQ(dense.of(memory_kind::masters), m1 * m2 * n1 * n2 * f32);
    EXPECT_EQ(dense.of(memory_kind::activations), x * bf16);
}

TEST(training_memory, at_once_is_the_operation_with_most)
{
    const auto memory = memory_of({{memory_kind::masters, 0, 100, 0, 3},
                                   {memory_kind::activations, 1, 40, 0, 1},
                                   {memory_kind::temporaries, 0, 30, 0, 0},
                                   {memory_kind::temporaries, 1, 20, 2, 2},
                                   {memory_kind::temporaries, 0, 25, 2, 3}},
                                  2);
    EXPECT_EQ(memory.peak, 170u);                        // operation 0
    EXPECT_EQ(memory.of(memory_kind::temporaries), 45u); // operation 2
    EXPECT_EQ(memory.sum(), 185u);
    const auto by = [&](std::size_t layer, memory_kind kind) {
        return memory.layers[layer][static_cast<std::size_t>(kind)];
    };
    EXPECT_EQ(by(0, memory_kind::temporaries), 25u);
    EXPECT_EQ(by(1, memory_kind::temporaries), 20u);
    EXPECT_EQ(by(1, memory_kind::activations), 40u);
    EXPECT_EQ(by(1, memory_kind::masters), 0u);
}

} // namespace
} // namespace tensorloom::test
