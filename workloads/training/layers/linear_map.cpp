#include <tensorloom/workloads/training/layers/linear_map.h>
#include <sstream>
#include <tensorloom/workloads/tensor_formats/layer_values.h>

namespace tensorloom::workloads {
namespace {

std::string joined(const std::vector<std::uint64_t>& numbers, const char* between)
{
    std::string text;
    for (const auto n : numbers) { text += (text.empty() ? "" : between) + std::to_string(n); }
    return text;
}

} // namespace

std::string activation_work(activation_kind kind)
{
    return kind == activation_kind::none ? "" : activation_values[static_cast<unsigned>(kind)].name;
}

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

} // namespace tensorloom::workloads
