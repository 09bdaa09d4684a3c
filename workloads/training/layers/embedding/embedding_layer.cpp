#include <tensorloom/workloads/training/layers/embedding/embedding_layer.h>
#include <cmath>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/training/layers/layer_reader.h>

namespace tensorloom::workloads {

embedding_layer embedding_layer::read(layer_reader& from)
{
    embedding_layer layer;
    from.read_keys({
        {"vocabulary", [&](const auto& v) { layer.vocabulary = from.whole(v); }},
        {"frames", [&](const auto& v) { layer.frames = from.whole(v); }},
        {"features", [&](const auto& v) { layer.features = from.whole(v); }},
        {"positions", [&](const auto& v) { layer.positions = from.flag(v); }},
    });
    return layer;
}

void embedding_layer::check() const
{
    constexpr std::uint64_t most = 65536;
    const auto check = [](const char* what, std::uint64_t value) {
        if (value >= 1 && value <= most) { return; }
        throw base::input_error(std::string(what) + " is " + std::to_string(value) +
                                ", expected a whole number from 1 to " + std::to_string(most));
    };
    check("vocabulary", vocabulary);
    check("frames", frames);
    check("features", features);
}

std::string embedding_layer::text() const
{
    return "embedding of " + std::to_string(vocabulary) + " tokens, frames " + std::to_string(frames) + ", features " +
           std::to_string(features) + (positions ? ", positions" : "");
}

std::vector<layer_field> embedding_layer::fields() const
{
    return {{"vocabulary", vocabulary}, {"frames", frames}, {"features", features}, {"positions", positions}};
}

// Uniform. What passes on has variance 1, of which half are positions where there are any.
parameter_values embedding_layer::initial_values(std::uint64_t seed) const
{
    const double largest = std::sqrt(positions ? 1.5 : 3.0); // the variance of uniform numbers in [-1, 1) is 1/3
    parameter_values all;
    const auto add = [&](std::uint64_t rows) {
        auto& values = all.emplace_back();
        for (const double x : fill_tensor<double>(fill_kind::random, {rows, features, 1}, 0, seed++).data) {
            values.push_back(static_cast<float>(x * largest));
        }
    };
    add(vocabulary);
    if (positions) { add(frames); }
    return all;
}

} // namespace tensorloom::workloads
