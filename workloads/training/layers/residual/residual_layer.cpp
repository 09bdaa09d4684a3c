#include <tensorloom/workloads/training/layers/residual/residual_layer.h>
#include <algorithm>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/training/layers/layer_reader.h>
#include <tensorloom/workloads/training/model.h>

namespace tensorloom::workloads {

residual_layer residual_layer::read(layer_reader& from)
{
    residual_layer layer;
    from.read_keys({{"layers", [&](const auto& v) { layer.layers = read_layers(from, v, from.inputs()); }}});
    base::complaining_of(from.called(), [&] { check_chain(layer.layers); });
    return layer;
}

std::uint64_t residual_layer::inputs() const { return layers.empty() ? 0 : inputs_of(layers.front()); }
std::uint64_t residual_layer::outputs() const { return layers.empty() ? 0 : outputs_of(layers.back()); }

std::uint64_t residual_layer::parameters() const
{
    std::uint64_t sum = 0;
    for (const auto& layer : layers) {
        sum += of_kind(layer, [](const auto& l) { return l.parameters(); });
    }
    return sum;
}

residual_layer residual_layer::dense_twin() const { return {dense_twins_of(layers)}; }

std::uint64_t residual_layer::depth() const
{
    std::uint64_t most = 0;
    for (const auto& layer : layers) {
        if (const auto* inner = std::get_if<residual_layer>(&layer.what)) { most = std::max(most, inner->depth()); }
    }
    return most + 1;
}

// A layer after one with parameters needs dX even if the whole needs none.
std::vector<layer_map> residual_layer::maps() const
{
    std::vector<layer_map> all;
    bool is_inside = false;
    for (const auto& layer : layers) {
        for (auto& of : of_kind(layer, [](const auto& l) { return l.maps(); })) {
            of.role = layer.name + (of.role.empty() ? "" : "." + of.role);
            of.is_inside = of.is_inside || is_inside;
            all.push_back(std::move(of));
        }
        is_inside = is_inside || of_kind(layer, [](const auto& l) { return l.parameters(); }) != 0;
    }
    return all;
}

void residual_layer::check() const
{
    check_chain(layers);
    for (const auto& layer : layers) {
        if (std::holds_alternative<embedding_layer>(layer.what)) {
            throw base::input_error("layer " + layer.name + " takes tokens, expected layers that take numbers");
        }
    }
    if (depth() > most_depth) {
        throw base::input_error("residual sums are nested " + std::to_string(depth()) + " deep, expected at most " +
                                std::to_string(most_depth));
    }
    if (outputs() != inputs()) {
        throw base::input_error("its layers have " + std::to_string(outputs()) + " outputs, expected the " +
                                std::to_string(inputs()) + " inputs, to which they are added");
    }
}

std::string residual_layer::text() const
{
    std::string text = "residual sum over";
    for (const auto& layer : layers) { text += (&layer == &layers.front() ? " [" : "; ") + text_of(layer); }
    return text + "]";
}

std::string residual_layer::element_work() const
{
    std::string work = "residual sum";
    for (const auto& layer : layers) {
        const auto inner = of_kind(layer, [](const auto& l) { return l.element_work(); });
        if (!inner.empty()) { work += ", " + inner; }
    }
    return work;
}

std::vector<layer_field> residual_layer::fields() const
{
    std::vector<described_layer> all;
    for (const auto& layer : layers) { all.push_back(description_of(layer)); }
    return {{"layers", all}};
}

parameter_values residual_layer::initial_values(std::uint64_t seed) const
{
    constexpr std::uint64_t apart = 1'000'003'000; // seeds of layers, no multiple of those of a model
    parameter_values all;
    for (const auto& layer : layers) {
        seed += apart;
        for (auto& values : of_kind(layer, [&](const auto& l) { return l.initial_values(seed); })) {
            all.push_back(std::move(values));
        }
    }
    return all;
}

} // namespace tensorloom::workloads
