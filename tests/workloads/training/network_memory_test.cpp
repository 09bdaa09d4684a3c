#include <tensorloom/workloads/training/network_memory.h>
#include <algorithm>
#include <map>
#include <gtest/gtest.h>
#include <tensorloom/workloads/training/model_file.h>

namespace tensorloom::test {
namespace {

using workloads::memory_kind;

constexpr std::uint64_t block = 256; // bytes: a row of 4 words in each of 16 banks
std::uint64_t placed(std::uint64_t bytes) { return (bytes + block - 1) / block * block; }

struct planned_memory {
    explicit planned_memory(const workloads::model_description& model)
        : contractions(workloads::contractions_of(model, limits)),
          step(workloads::operations_of(model, contractions, {}, literals)), places(workloads::places_of(step, limits)),
          memory(workloads::memory_of(contractions, step, limits))
    {}
    std::uint64_t bytes(std::size_t tensor) const
    {
        return placed(step.tensors[tensor].elements * base::element_bytes(step.tensors[tensor].type));
    }

    fetta::device_limits limits;
    workloads::model_contractions contractions;
    workloads::literal_list literals;
    workloads::network_step step;
    workloads::step_places places;
    workloads::training_memory memory;
};

// From the first operation with a tensor to the last one its bytes are its own, and the most that is occupied by any of
// them is what is told.
TEST(step_memory, is_what_the_places_occupy)
{
    for (const char* name : {"digits-dense", "digits-ttm", "digits-tt"}) {
        const planned_memory plan(workloads::load_model(name));
        const std::size_t operations = plan.step.operations.size(), tensors = plan.step.tensors.size();
        std::vector<std::size_t> first(tensors, operations), last(tensors, 0);
        std::size_t begin = 0, behind = 0; // of the loop over batches
        for (std::size_t o = 0; o < operations; ++o) {
            const auto use = [&](const workloads::tensor_part& part) {
                first[part.tensor] = std::min(first[part.tensor], o);
                last[part.tensor] = o;
            };
            const auto& operation = plan.step.operations[o];
            workloads::for_each_part(operation, use, use);
            if (std::holds_alternative<workloads::loop_operation>(operation.work)) { begin = o; }
            if (std::holds_alternative<workloads::end_operation>(operation.work)) { behind = o; }
        }
        for (std::size_t t = 0; t < tensors; ++t) { // what is loaded ahead of the loop is there in all of it
            if (first[t] < begin && last[t] > begin) { last[t] = std::max(last[t], behind); }
        }
        std::uint64_t most = 0, end = 0;
        for (std::size_t o = 0; o <= operations; ++o) {
            std::map<std::uint64_t, std::uint64_t> there; // from byte to byte
            std::uint64_t occupied = 0;
            for (std::size_t t = 0; t < tensors; ++t) {
                if (first[t] > o || last[t] < o) { continue; }
                const std::uint64_t from = plan.places.byte[t], to = from + plan.bytes(t);
                EXPECT_TRUE(there.emplace(from, to).second) << name << ", " << plan.step.tensors[t].name;
                occupied += to - from;
                end = std::max(end, to);
            }
            std::uint64_t before = 0;
            for (const auto& [from, to] : there) {
                EXPECT_GE(from, before) << name << ", operation " << o;
                before = to;
            }
            most = std::max(most, occupied);
        }
        EXPECT_EQ(plan.memory.peak, most) << name;
        EXPECT_EQ(plan.places.occupied, end) << name;
        EXPECT_GE(plan.places.occupied, plan.memory.peak) << name;
        EXPECT_GE(plan.memory.sum(), plan.memory.peak) << name;
    }
}

TEST(step_memory, of_two_dense_layers)
{
    const auto model = workloads::parse_model(R"(batch: 48
optimizer: {kind: adam}
layers:
  - {name: hidden, format: dense, rows: 16, cols: 64, activation: relu}
  - {name: output, format: dense, rows: 10, cols: 16}
)",
                                              "test");
    const planned_memory plan(model);
    ASSERT_EQ(plan.memory.layers.size(), 3u);
    const auto bytes = [&](std::size_t layer, memory_kind kind) {
        return plan.memory.layers[layer][static_cast<std::size_t>(kind)];
    };
    // W and bias, whole blocks of bf16 each; in float32 twice as many bytes.
    const std::uint64_t copies[] = {placed(16 * 64 * 2) + placed(16 * 2), placed(10 * 16 * 2) + placed(10 * 2), 0};
    for (std::size_t layer = 0; layer < 3; ++layer) {
        EXPECT_EQ(bytes(layer, memory_kind::copies), copies[layer]);
        EXPECT_EQ(bytes(layer, memory_kind::masters), 2 * copies[layer]);
        EXPECT_EQ(bytes(layer, memory_kind::gradients), 2 * copies[layer]);
        EXPECT_EQ(bytes(layer, memory_kind::optimizer), 2 * 2 * copies[layer]); // adam has two moments
    }
    EXPECT_EQ(bytes(0, memory_kind::activations), 48 * 64 * 2 + 48 * 16 * 4); // X; what relu was of
    EXPECT_EQ(bytes(1, memory_kind::activations), 48 * 16 * 2);               // Z of before, rounded
    // Powers, labels; sums of both.
    EXPECT_EQ(bytes(2, memory_kind::activations), 2 * placed(48 * 10 * 4) + 2 * placed(48 * 4));
}

// Ranks and batches whose products are more than 32 or 64 bits are refused, not counted wrong.
TEST(step_memory, of_tensors_that_are_too_many_to_count)
{
    auto model = workloads::load_model("digits-ttm");
    model.batch = 65536;
    for (const unsigned rows : {65536U, 16384U, 1024U}) {
        auto huge = model;
        auto& hidden = std::get<workloads::linear_layer>(huge.layers[0].what).map.shape;
        hidden.rows = {65536, rows};
        EXPECT_THROW(planned_memory{huge}, base::input_error) << rows;
    }
}

TEST(step_memory, of_the_dense_twin)
{
    const fetta::device_limits limits;
    const auto ttm = workloads::load_model("digits-ttm"), dense = workloads::load_model("digits-dense");
    const auto twin = workloads::memory_of(ttm.dense_twin(), limits), same = workloads::memory_of(dense, limits);
    EXPECT_EQ(twin.layers, same.layers);
    EXPECT_EQ(twin.peak, same.peak);
    EXPECT_GT(twin.peak, workloads::memory_of(ttm, limits).peak);
    EXPECT_LT(twin.of(memory_kind::activations), workloads::memory_of(ttm, limits).of(memory_kind::activations));
}

} // namespace
} // namespace tensorloom::test
