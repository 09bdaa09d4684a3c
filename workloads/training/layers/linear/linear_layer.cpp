#include <tensorloom/workloads/training/layers/linear/linear_layer.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/training/layers/layer_reader.h>

namespace tensorloom::workloads {

linear_layer linear_layer::read(layer_reader& from)
{
    linear_layer layer;
    read_matrix matrix;
    auto keys = from.matrix_keys(matrix);
    keys.insert({"frames", [&](const auto& v) { layer.frames = from.whole(v); }});
    keys.insert(
        {"activation", [&](const auto& v) { layer.activation = from.named<activation_kind>(v, activation_values); }});
    from.read_keys(keys);
    layer.map = from.completed(matrix);
    return layer;
}

void linear_layer::check() const
{
    constexpr std::uint64_t most_frames = 65536;
    check_layer(map.shape);
    if (frames < 1 || frames > most_frames) {
        throw base::input_error("frames is " + std::to_string(frames) + ", expected a whole number from 1 to " +
                                std::to_string(most_frames));
    }
}

std::string linear_layer::text() const
{
    std::string text = "linear " + map.text();
    if (frames != 1) { text += ", frames " + std::to_string(frames); }
    return text + ", activation " + activation_values[static_cast<unsigned>(activation)].name;
}

std::vector<layer_field> linear_layer::fields() const
{
    return {{"frames", frames},
            {"weights", map},
            {"activation", std::string(activation_values[static_cast<unsigned>(activation)].name)}};
}

// Twice the variance ahead of relu, which takes half of it away.
parameter_values linear_layer::initial_values(std::uint64_t seed) const
{
    return map.initial_values(activation == activation_kind::relu ? 2 : 1, seed);
}

} // namespace tensorloom::workloads
