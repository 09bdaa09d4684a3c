#include "compare_accelerators/model_workloads.h"

namespace tensorloom::testbench {

void compare_model(comparison& what, const workloads::model_description& model)
{
    auto& compared = what.model.emplace();
    compared.whole.name = model.name;
    compared.whole.layer.batch = model.batch;
    compared.left_out = {"biases", "loss"};
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
        const auto& layer = model.layers[l];
        for (auto& of : workloads::of_kind(layer, [](const auto& kind) { return kind.maps(); })) {
            of.map.shape.batch = model.batch * of.rows * of.frames;
            what.workloads.push_back({layer.name + (of.role.empty() ? "" : "." + of.role), of.map.shape,
                                      of.needs_dx(l != 0), of.frames, std::nullopt});
        }
        if (const auto* encoder = std::get_if<workloads::encoder_layer>(&layer.what)) {
            compared_workload attention;
            attention.name = layer.name + ".attention";
            attention.layer.batch = model.batch;
            attention.products = workloads::attention_graph(*encoder, model.batch);
            what.workloads.push_back(std::move(attention));
        }
        const auto work = workloads::of_kind(layer, [](const auto& kind) { return kind.element_work(); });
        if (!work.empty()) { compared.left_out.push_back(layer.name + ": " + work); }
    }
}

} // namespace tensorloom::testbench
