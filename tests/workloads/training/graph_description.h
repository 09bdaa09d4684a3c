#pragma once
#include <nlohmann/json.hpp>
#include <tensorloom/workloads/step_planner/contraction_graph.h>

namespace tensorloom::test {

/// A layer's contractions for other programs: sizes of its modes, which tensor has which, which one is the batch; of
/// the forward pass the two tensors of each contraction and its result.
inline nlohmann::json graph_description(const workloads::contraction_graph& graph)
{
    using nlohmann::json;
    json made = {{"batch", graph.batch},
                 {"modes", json::array()},
                 {"names", json::array()},
                 {"tensors", json::array()},
                 {"forward", json::array()}};
    for (const auto& mode : graph.modes) { made["modes"].push_back(mode.size); }
    for (const auto& tensor : graph.tensors) {
        made["names"].push_back(tensor.name);
        made["tensors"].push_back(tensor.modes);
    }
    for (const auto& c : graph.contractions) {
        if (c.phase == workloads::step_phase::fp) { made["forward"].push_back({c.a, c.b, c.result}); }
    }
    return made;
}

} // namespace tensorloom::test
