#include <tensorloom/workloads/training/layers/dropout/dropout_layer.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/training/layers/layer_reader.h>

namespace tensorloom::workloads {

dropout_layer dropout_layer::read(layer_reader& from)
{
    dropout_layer layer;
    layer.features = from.inputs();
    from.read_keys({
        {"features", [&](const auto& v) { layer.features = from.whole(v); }},
        {"rate", [&](const auto& v) { layer.rate = from.number(v); }},
    });
    return layer;
}

void dropout_layer::check() const
{
    constexpr std::uint64_t most_features = std::uint64_t{1} << 31;
    constexpr double most_rate = 0.999;
    base::check_range("features", features, std::uint64_t{1}, most_features);
    base::check_range<double>("rate", rate, 0, most_rate);
}

std::string dropout_layer::text() const
{
    return "dropout, features " + std::to_string(features) + ", rate " + base::shortest_text(rate);
}

} // namespace tensorloom::workloads
