#include <tensorloom/workloads/training/layers/norm/norm_layer.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/training/layers/layer_reader.h>

namespace tensorloom::workloads {

void check_epsilon(float epsilon)
{
    constexpr double least = 1e-30, most = 1;
    if (epsilon >= static_cast<float>(least) && epsilon <= most) { return; }
    throw base::input_error("epsilon is " + base::shortest_text(epsilon) + ", expected a number" +
                            base::range_text(least, most));
}

norm_layer norm_layer::read(layer_reader& from)
{
    norm_layer layer;
    from.read_keys({
        {"frames", [&](const auto& v) { layer.frames = from.whole(v); }},
        {"features", [&](const auto& v) { layer.features = from.whole(v); }},
        {"epsilon", [&](const auto& v) { layer.epsilon = from.number(v); }},
    });
    if (layer.features == 0 && layer.frames != 0) { layer.features = from.inputs() / layer.frames; }
    return layer;
}

void norm_layer::check() const
{
    constexpr std::uint64_t most = 65536;
    base::check_range("frames", frames, std::uint64_t{1}, most);
    base::check_range("features", features, std::uint64_t{1}, most);
    check_epsilon(epsilon);
}

std::string norm_layer::text() const
{
    return "norm, frames " + std::to_string(frames) + ", features " + std::to_string(features) + ", epsilon " +
           base::shortest_text(epsilon);
}

std::vector<layer_field> norm_layer::fields() const
{
    return {{"frames", frames}, {"features", features}, {"epsilon", epsilon}};
}

parameter_values norm_layer::initial_values(std::uint64_t /*seed*/) const
{
    return {std::vector<float>(features, 1.0f), std::vector<float>(features, 0.0f)};
}

} // namespace tensorloom::workloads
