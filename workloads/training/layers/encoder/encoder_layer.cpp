#include <tensorloom/workloads/training/layers/encoder/encoder_layer.h>
#include <utility>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/training/layers/layer_reader.h>

namespace tensorloom::workloads {
namespace {

constexpr std::uint64_t most_frames = 4096, most_features = 65536;

void check_map(const char* what, const linear_map& map, std::uint64_t outputs, std::uint64_t inputs)
{
    base::complaining_of(what, [&] { check_layer(map.shape); });
    if (map.outputs() == outputs && map.inputs() == inputs) { return; }
    throw base::input_error(std::string(what) + " has " + std::to_string(map.outputs()) + " outputs and " +
                            std::to_string(map.inputs()) + " inputs, expected " + std::to_string(outputs) + " and " +
                            std::to_string(inputs));
}

} // namespace

encoder_layer encoder_layer::read(layer_reader& from)
{
    encoder_layer layer;
    read_matrix attention, up, down;
    for (auto* matrix : {&attention, &up, &down}) { matrix->map.dense = true; }
    const auto keys_of = [&from](read_matrix& matrix) {
        return [&from, &matrix](const auto& v) { from.read_map(v, from.matrix_keys(matrix)); };
    };
    from.read_keys({
        {"frames", [&](const auto& v) { layer.frames = from.whole(v); }},
        {"features", [&](const auto& v) { layer.features = from.whole(v); }},
        {"heads", [&](const auto& v) { layer.heads = from.whole(v); }},
        {"hidden", [&](const auto& v) { layer.hidden = from.whole(v); }},
        {"norm", [&](const auto& v) { layer.norm = from.named<norm_place>(v, norm_place_values); }},
        {"epsilon", [&](const auto& v) { layer.epsilon = from.number(v); }},
        {"attention", keys_of(attention)},
        {"up", keys_of(up)},
        {"down", keys_of(down)},
    });
    base::complaining_of(from.called(), [&] { layer.check_sizes(); });
    layer.attention = from.completed(from.with_sizes(attention, layer.features, layer.features), ", attention");
    layer.up = from.completed(from.with_sizes(up, layer.hidden, layer.features), ", up");
    layer.down = from.completed(from.with_sizes(down, layer.features, layer.hidden), ", down");
    return layer;
}

std::uint64_t encoder_layer::parameters() const
{
    return projections * attention.parameters() + up.parameters() + down.parameters() + 2 * encoder_norms * features;
}

encoder_layer encoder_layer::dense_twin() const
{
    encoder_layer twin = *this;
    for (auto* map : {&twin.attention, &twin.up, &twin.down}) { *map = map->dense_twin(); }
    return twin;
}

std::vector<layer_map> encoder_layer::maps() const
{
    const bool is_normalized = norm == norm_place::pre;
    return {{"query", attention, frames, is_normalized},
            {"key", attention, frames, is_normalized},
            {"values", attention, frames, is_normalized},
            {"output", attention, frames, true},
            {"up", up, frames, true},
            {"down", down, frames, true}};
}

void encoder_layer::check_sizes() const
{
    base::check_range("frames", frames, std::uint64_t{1}, most_frames);
    base::check_range("features", features, std::uint64_t{1}, most_features);
    base::check_range("hidden", hidden, std::uint64_t{1}, most_features);
    base::check_range("heads", heads, std::uint64_t{1}, features);
    if (features % heads != 0) {
        throw base::input_error("heads is " + std::to_string(heads) + ", expected a divisor of the " +
                                std::to_string(features) + " features");
    }
    check_epsilon(epsilon);
}

void encoder_layer::check() const
{
    check_sizes();
    check_map("attention", attention, features, features);
    check_map("up", up, hidden, features);
    check_map("down", down, features, hidden);
}

std::string encoder_layer::text() const
{
    return "encoder, frames " + std::to_string(frames) + ", features " + std::to_string(features) + ", heads " +
           std::to_string(heads) + ", hidden " + std::to_string(hidden) + ", norm " +
           norm_place_values[static_cast<unsigned>(norm)].name + ", epsilon " + base::shortest_text(epsilon) +
           ", attention " + attention.text() + ", up " + up.text() + ", down " + down.text();
}

std::vector<layer_field> encoder_layer::fields() const
{
    return {{"frames", frames},
            {"features", features},
            {"heads", heads},
            {"hidden", hidden},
            {"norm", std::string(norm_place_values[static_cast<unsigned>(norm)].name)},
            {"epsilon", epsilon},
            {"attention", attention},
            {"up", up},
            {"down", down}};
}

parameter_values encoder_layer::initial_values(std::uint64_t seed) const
{
    parameter_values all;
    for (const auto& of : maps()) {
        constexpr std::uint64_t apart = 100; // seeds of matrices
        for (auto& values : of.map.initial_values(1, seed)) { all.push_back(std::move(values)); }
        seed += apart;
    }
    for (std::size_t n = 0; n < encoder_norms; ++n) {
        all.emplace_back(features, 1.0f);
        all.emplace_back(features, 0.0f);
    }
    return all;
}

contraction_graph attention_graph(const encoder_layer& layer, std::uint64_t batch)
{
    contraction_graph graph;
    graph.modes = {{"b", batch},
                   {"h", layer.heads},
                   {"t", layer.frames},
                   {"s", layer.frames},
                   {"e", layer.features / layer.heads}};
    enum mode : unsigned { b, h, t, s, e };
    graph.batch = b;
    using of = attention_tensor;
    const std::vector<unsigned> here{b, t, h, e}, there{b, s, h, e}, pairs{b, h, t, s};
    graph.tensors = {
        {"Q", here, std::nullopt},  {"K", there, std::nullopt}, {"V", there, std::nullopt}, {"S", pairs, std::nullopt},
        {"P", pairs, std::nullopt}, {"O", here, std::nullopt},  {"dO", here, of::mixed},    {"dP", pairs, of::weights},
        {"dV", there, of::values},  {"dS", pairs, of::scores},  {"dQ", here, of::query},    {"dK", there, of::key},
    };
    graph.contractions = {
        {step_phase::fp, of::query, of::key, of::scores},
        {step_phase::fp, of::weights, of::values, of::mixed},
        {step_phase::bp, of::mixed_gradient, of::values, of::weights_gradient},
        {step_phase::bp, of::weights, of::mixed_gradient, of::values_gradient},
        {step_phase::bp, of::scores_gradient, of::key, of::query_gradient},
        {step_phase::bp, of::scores_gradient, of::query, of::key_gradient},
    };
    return graph;
}

} // namespace tensorloom::workloads
