// training_start MODEL f32|bf16 SEED EPOCHS: what another program needs to train the same network from the same start
// (layers as contractions, parameters, samples, their order in every epoch), and what the emulation of the device makes
// of it (gradients of the first step, loss of every epoch). Shipped models always by SGD. JSON.
#include <exception>
#include <iostream>
#include <string>
#include <nlohmann/json.hpp>
#include <tensorloom/workloads/training/model_emulation.h>
#include <tensorloom/workloads/training/model_file.h>
#include "workloads/training/graph_description.h"

namespace {

using nlohmann::json;
using namespace tensorloom;
using namespace tensorloom::workloads;

json map_json(const model_contractions& contractions, std::size_t layer, std::size_t number)
{
    const auto& map = contractions.layers[layer].maps.at(number);
    json made = test::graph_description(contractions.graphs[map.graph()].graph);
    made["x"] = map.x;
    made["y"] = map.y;
    made["bias"] = nullptr;
    if (map.bias) { made["bias"] = *map.bias; }
    made["cores"] = json::array();
    for (const auto p : contractions.layers[layer].parameters) {
        const auto& parameter = contractions.parameters[p];
        if (parameter.is_core && parameter.lies_as->graph == map.graph()) {
            made["cores"].push_back({parameter.lies_as->tensor, p});
        }
    }
    return made;
}

json layer_json(const linear_layer& layer, const model_contractions& contractions, std::size_t number)
{
    json made = map_json(contractions, number, 0);
    made["kind"] = "linear";
    made["frames"] = layer.frames;
    made["activation"] = activation_values[static_cast<unsigned>(layer.activation)].name;
    return made;
}

json layer_json(const lstm_layer& layer, const model_contractions& contractions, std::size_t number)
{
    return {{"kind", "lstm"},
            {"frames", layer.frames},
            {"features", layer.features},
            {"hidden", layer.hidden},
            {"all", layer.output == sequence_output::all},
            {"maps", {map_json(contractions, number, 0), map_json(contractions, number, 1)}}};
}

json layer_json(const encoder_layer& layer, const model_contractions& contractions, std::size_t number)
{
    json maps = json::array();
    for (std::size_t m = 0; m < encoder_maps; ++m) { maps.push_back(map_json(contractions, number, m)); }
    const auto& parameters = contractions.layers[number].parameters;
    return {{"kind", "encoder"},
            {"frames", layer.frames},
            {"features", layer.features},
            {"heads", layer.heads},
            {"pre", layer.norm == norm_place::pre},
            {"epsilon", layer.epsilon},
            {"maps", maps},
            {"norms", std::vector<std::size_t>(parameters.end() - 2 * encoder_norms, parameters.end())}};
}

template <class Other> json layer_json(const Other& layer, const model_contractions&, std::size_t)
{
    throw std::invalid_argument("expected linear, lstm and encoder layers, not " + layer.text());
}

json start_of(const model_description& model, const fetta::device_limits& g, std::uint64_t seed, std::uint64_t epochs)
{
    const auto samples = shipped_digits();
    const auto contractions = contractions_of(model, g);
    const auto begin = initial_state(model, seed);
    const auto& o = model.optimizer;
    json made = {{"batch", model.batch},         {"rate", o.rate},
                 {"momentum", o.momentum},       {"rate_decay", o.rate_decay},
                 {"features", samples.features}, {"values", samples.values},
                 {"labels", samples.labels},     {"parameters", begin.masters},
                 {"layers", json::array()},      {"orders", json::array()},
                 {"losses", json::array()}};
    made["optimizer"] = optimizer_values[static_cast<unsigned>(o.kind)].name;
    made["betas"] = {o.first_decay, o.second_decay};
    made["epsilon"] = o.epsilon;
    made["weight_decay"] = o.weight_decay;
    made["clip_norm"] = o.clip_norm;
    made["schedule"] = rate_schedule_values[static_cast<unsigned>(o.schedule)].name;
    made["warm_up"] = o.warm_up;
    made["step_epochs"] = o.step_epochs;
    made["step_factor"] = o.step_factor;
    made["least_rate"] = o.least_rate;
    made["schedule_epochs"] = model.cosine_epochs();
    std::size_t operands = 0;
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
        made["layers"].push_back(
            of_kind(model.layers[l], [&](const auto& kind) { return layer_json(kind, contractions, l); }));
        for (const auto& map : contractions.layers[l].maps) {
            operands += 2 * contractions.graphs[map.graph()].graph.contractions.size();
        }
    }
    made["operands"] = operands; // of all contractions of a step
    model_emulation emulation(model, samples, contractions, g, begin);
    for (std::uint64_t e = 0; e < epochs; ++e) {
        const auto order = order_of_epoch(samples, seed, e);
        if (e == 0) {
            model_emulation first_step(model, samples, contractions, g, begin);
            first_step.train({order.begin(), order.begin() + static_cast<std::ptrdiff_t>(model.batch)});
            made["gradients"] = first_step.state().moments.front(); // the first velocity
        }
        made["orders"].push_back(order);
        made["losses"].push_back(sum_of(emulation.train(order)).mean_loss());
    }
    return made;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        if (argc != 5) { throw std::invalid_argument("expected MODEL f32|bf16 SEED EPOCHS"); }
        const std::string psum = argv[2];
        fetta::device_limits g;
        g.psum = psum == "bf16" ? base::element_type::bf16 : base::element_type::f32;
        auto model = load_model(argv[1]);
        const bool needs_gradients = is_shipped_model(argv[1]); // which are the first velocities of SGD
        if (needs_gradients && model.optimizer.is_adaptive()) { model.optimizer = {}; }
        std::cout << start_of(model, g, std::stoull(argv[3]), std::stoull(argv[4])) << '\n';
    } catch (const std::exception& e) {
        std::cerr << "training_start: " << e.what() << '\n';
        return 2;
    }
    return 0;
}
