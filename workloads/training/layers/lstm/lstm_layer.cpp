#include <tensorloom/workloads/training/layers/lstm/lstm_layer.h>
#include <algorithm>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/training/layers/layer_reader.h>

namespace tensorloom::workloads {
namespace {

constexpr std::uint64_t most_size = 65536;

void check_size(const std::string& what, std::uint64_t found, std::uint64_t expected, const std::string& of)
{
    if (found == expected) { return; }
    throw base::input_error(what + " make " + std::to_string(found) + ", expected " + std::to_string(expected) + ", " +
                            of);
}

} // namespace

lstm_layer lstm_layer::read(layer_reader& from)
{
    lstm_layer layer;
    read_matrix weights, of_hidden;
    weights.map.dense = of_hidden.map.dense = true;
    of_hidden.map.bias = false;
    auto hidden_keys = from.matrix_keys(of_hidden);
    hidden_keys.erase("bias");
    auto keys = from.matrix_keys(weights);
    keys.insert({"frames", [&](const auto& v) { layer.frames = from.whole(v); }});
    keys.insert({"features", [&](const auto& v) { layer.features = from.whole(v); }});
    keys.insert({"hidden", [&](const auto& v) { layer.hidden = from.whole(v); }});
    keys.insert({"hidden_weights", [&](const auto& v) { from.read_map(v, hidden_keys); }});
    keys.insert(
        {"output", [&](const auto& v) { layer.output = from.named<sequence_output>(v, sequence_output_values); }});
    from.read_keys(keys);
    base::complaining_of(from.called(), [&] { layer.check_sizes(); });
    const std::uint64_t rows = lstm_layer::gates * layer.hidden;
    layer.weights = from.completed(from.with_sizes(weights, rows, layer.features));
    layer.hidden_weights = from.completed(from.with_sizes(of_hidden, rows, layer.hidden));
    return layer;
}

void lstm_layer::check_sizes() const
{
    base::check_range("frames", frames, std::uint64_t{1}, most_size);
    base::check_range("features", features, std::uint64_t{1}, most_size);
    base::check_range("hidden", hidden, std::uint64_t{1}, most_size);
}

void lstm_layer::check() const
{
    check_sizes();
    for (const auto* map : {&weights, &hidden_weights}) {
        const std::string of = map == &weights ? "" : " of hidden_weights";
        base::complaining_of(map == &weights ? "weights" : "hidden_weights", [&] { check_layer(map->shape); });
        check_size("rows" + of, map->outputs(), gates * hidden, "4 times hidden");
    }
    check_size("cols", weights.inputs(), features, "the features of a frame");
    check_size("cols of hidden_weights", hidden_weights.inputs(), hidden, "hidden");
}

std::string lstm_layer::text() const
{
    return "lstm " + weights.text() + ", hidden " + hidden_weights.text() + ", frames " + std::to_string(frames) +
           ", output " + sequence_output_values[static_cast<unsigned>(output)].name;
}

std::vector<layer_field> lstm_layer::fields() const
{
    return {{"frames", frames},
            {"features", features},
            {"hidden", hidden},
            {"weights", weights},
            {"hidden_weights", hidden_weights},
            {"output", std::string(sequence_output_values[static_cast<unsigned>(output)].name)}};
}

parameter_values lstm_layer::initial_values(std::uint64_t seed) const
{
    constexpr std::uint64_t apart = 500; // seeds of both matrices
    auto all = weights.initial_values(1, seed);
    if (weights.bias) {
        const auto f = all.back().begin() + static_cast<std::ptrdiff_t>(hidden); // the second gate
        std::fill_n(f, hidden, 1.0f);
    }
    for (auto& values : hidden_weights.initial_values(1, seed + apart)) { all.push_back(std::move(values)); }
    return all;
}

} // namespace tensorloom::workloads
