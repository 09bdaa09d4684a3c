#include <cmath>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/workloads/accelerators/rival_array.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>

using namespace tensorloom;
using namespace tensorloom::workloads;

namespace {

/// Cycles of the arrays alone for a training step with dX along the sequence of fewest MACs, layouts ideal: figures of
/// a prototype in Python, in the digits that are given.
struct ideal_cycles {
    const char* layer;
    double fetta, tpu;
    double tpu_bound = 0.005; ///< relative: another sequence of as many MACs, or another held operand
};

// UCF-TR has several sequences of fewest MACs.
constexpr ideal_cycles prototype[] = {
    {"ucf-ttm", 2.18e6, 2.72e6},
    {"ucf-tt", 0.341e6, 1.79e6},
    {"ucf-tr", 1.66e6, 2.14e6, 0.08},
    {"ucf-ht", 2.09e6, 2.57e6},
    {"ucf-bt", 5.13e6, 6.63e6},
    {"atis-tt", 8.3e3, 11.8e3},
    {"bert-tt-attention", 2.23e6, 2.35e6, 0.01},
    {"wmt-tt-attention", 0.790e6, 0.791e6},
};

class calibration : public testing::TestWithParam<ideal_cycles> {};

double cycles_of(const char* machine, const contraction_graph& graph)
{
    evaluation_settings settings;
    settings.layouts = line_layouts::ideal;
    const std::vector<contraction_form> forms(graph.contractions.size());
    double sum = 0;
    for (const auto& work : array_of(find_accelerator(machine), settings)->work_of(graph, forms)) {
        EXPECT_EQ(work.conflicts, 0u);
        EXPECT_EQ(work.reordered_bytes, 0u);
        sum += static_cast<double>(work.cycles);
    }
    return sum;
}

TEST_P(calibration, arrays_take_the_cycles_of_the_prototype_with_ideal_layouts)
{
    const auto& layer = find_named_layer(GetParam().layer).layer;
    const auto tree = named_sequence(forward_network(layer), "csse-macs");
    const auto graph = step_graph(layer, *tree, true);
    EXPECT_NEAR(cycles_of("fetta", graph), GetParam().fetta, 0.005 * GetParam().fetta);
    EXPECT_NEAR(cycles_of("tpu", graph), GetParam().tpu, GetParam().tpu_bound * GetParam().tpu);
}

INSTANTIATE_TEST_SUITE_P(layers, calibration, testing::ValuesIn(prototype), [](const auto& tested) {
    std::string name = tested.param.layer;
    for (char& c : name) { c = c == '-' ? '_' : c; }
    return name;
});

} // namespace
