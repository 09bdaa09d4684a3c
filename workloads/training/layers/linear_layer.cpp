#include <tensorloom/workloads/training/layers/linear_layer.h>
#include <sstream>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_formats/layer_values.h>

namespace tensorloom::workloads {
namespace {

constexpr std::uint64_t most_frames = 65536;

std::string joined(const std::vector<std::uint64_t>& numbers, const char* between)
{
    std::string text;
    for (const auto n : numbers) { text += (text.empty() ? "" : between) + std::to_string(n); }
    return text;
}

} // namespace

std::string linear_map::text() const
{
    std::ostringstream text;
    text << (dense ? "dense" : layer_format_values[static_cast<unsigned>(shape.format)].name) << ' '
         << joined(shape.rows, "x") << " of " << joined(shape.columns, "x");
    if (!dense) { text << ", ranks " << joined(shape.ranks, ","); }
    if (shape.format == layer_format::tt || shape.format == layer_format::tr) {
        text << ", order " << core_order_values[static_cast<unsigned>(shape.order)].name;
    }
    if (shape.format == layer_format::bt) { text << ", blocks " << shape.blocks; }
    text << (bias ? ", bias" : ", no bias");
    return text.str();
}

parameter_values linear_map::initial_values(double gain, std::uint64_t seed) const
{
    parameter_values all;
    const auto cores = random_cores(shape, gain / static_cast<double>(inputs()), seed);
    const std::size_t count = cores.blocks.front().size();
    for (std::size_t c = 0; c < count; ++c) {
        auto& core = all.emplace_back();
        for (const auto& block : cores.blocks) {
            for (const double value : block[c].data) { core.push_back(static_cast<float>(value)); }
        }
    }
    if (bias) { all.emplace_back(outputs(), 0.0f); }
    return all;
}

linear_map dense_map(std::uint64_t outputs, std::uint64_t inputs, bool bias)
{
    linear_map map;
    map.shape.rows = {outputs};
    map.shape.columns = {inputs};
    map.dense = true;
    map.bias = bias;
    return map;
}

linear_map linear_map::dense_twin() const { return dense_map(outputs(), inputs(), bias); }

void linear_layer::check() const
{
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

// Twice the variance ahead of relu, which takes half of it away.
parameter_values linear_layer::initial_values(std::uint64_t seed) const
{
    return map.initial_values(activation == activation_kind::relu ? 2 : 1, seed);
}

} // namespace tensorloom::workloads
