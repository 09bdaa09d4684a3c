#include "compare_accelerators/model_workloads.h"

namespace tensorloom::testbench {
namespace {

// Products of attention in a layer, or in layers inside of it.
void add_attention(comparison& what, const workloads::model_layer& layer, const std::string& name, std::uint64_t batch)
{
    if (const auto* encoder = std::get_if<workloads::encoder_layer>(&layer.what)) {
        compared_workload attention;
        attention.name = name + ".attention";
        attention.layer.batch = batch;
        attention.products = workloads::attention_graph(*encoder, batch);
        what.workloads.push_back(std::move(attention));
    }
    if (const auto* residual = std::get_if<workloads::residual_layer>(&layer.what)) {
        for (const auto& inner : residual->layers) { add_attention(what, inner, name + "." + inner.name, batch); }
    }
}

} // namespace

void compare_model(comparison& what, const workloads::model_description& model)
{
    auto& compared = what.model.emplace();
    compared.whole.name = model.name;
    compared.whole.layer.batch = model.batch;
    compared.left_out = {"biases", "loss"};
    bool with_dx = false; // a layer before has parameters
    for (const auto& layer : model.layers) {
        for (auto& of : workloads::of_kind(layer, [](const auto& kind) { return kind.maps(); })) {
            of.map.shape.batch = model.batch * of.rows * of.frames;
            what.workloads.push_back({layer.name + (of.role.empty() ? "" : "." + of.role), of.map.shape,
                                      of.needs_dx(with_dx), of.frames, std::nullopt});
        }
        add_attention(what, layer, layer.name, model.batch);
        with_dx = with_dx || workloads::of_kind(layer, [](const auto& kind) { return kind.parameters(); }) != 0;
        const auto work = workloads::of_kind(layer, [](const auto& kind) { return kind.element_work(); });
        if (!work.empty()) { compared.left_out.push_back(layer.name + ": " + work); }
    }
}

} // namespace tensorloom::testbench
