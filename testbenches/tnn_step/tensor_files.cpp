#include "tnn_step/tensor_files.h"
#include <algorithm>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/npy_file.h>

namespace tensorloom::testbench {
namespace {

using workloads::index_list;
using workloads::tensorized_layer;
using shape = std::vector<std::size_t>;

shape shape_of(const index_list& indices, const workloads::index_sizes& sizes)
{
    shape all;
    for (const auto& index : indices) { all.push_back(sizes.at(index)); }
    return all;
}

// The shapes of X or Y: with a mode for each factor, and as a matrix.
std::vector<shape> shapes_of_samples(const tensorized_layer& layer, const index_list& indices, std::uint64_t width)
{
    const auto full = shape_of(indices, workloads::sizes_of(layer));
    const shape matrix{layer.batch, width};
    return full == matrix ? std::vector<shape>{full} : std::vector<shape>{full, matrix};
}

std::vector<expected_array> core_arrays(const tensorized_layer& layer)
{
    std::vector<expected_array> all;
    for (const auto& core : workloads::cores_of(layer)) {
        auto of = shape_of(core.indices, workloads::sizes_of(layer));
        if (layer.blocks > 1) { of.insert(of.begin(), layer.blocks); }
        all.push_back({core.name, std::move(of)});
    }
    return all;
}

std::size_t tensor_named(const workloads::contraction_graph& graph, const std::string& name)
{
    const auto found = std::find_if(graph.tensors.begin(), graph.tensors.end(),
                                    [&](const auto& tensor) { return tensor.name == name; });
    return static_cast<std::size_t>(found - graph.tensors.begin());
}

std::vector<float> rounded(std::vector<float> values)
{
    for (float& value : values) { value = static_cast<float>(arithmetic::bfloat16(value)); }
    return values;
}

} // namespace

void add_tensor_options(option_table& table)
{
    table.add_value("input", "X.npy", "X instead of a random one; its first size is the batch.");
    table.add_value("gradient", "DY.npy", "dY instead of a random one.");
    table.add_value("cores", "FILE.npz", "The cores instead of random ones, each under its name.");
    table.add_value("output", "FILE.npz",
                    "Write Y, dX and the updated cores, or without an update their gradients, here.");
    table.one_run_alone();
}

std::optional<std::uint64_t> given_samples(const option_values& values)
{
    for (const char* option : {"input", "gradient"}) {
        if (!values.has(option)) { continue; }
        const auto header = base::complaining_of("--" + std::string(option),
                                                 [&] { return workloads::read_npy_header(values.get_string(option)); });
        if (!header.shape.empty() && header.shape.front() > 0) { return header.shape.front(); }
    }
    return std::nullopt;
}

given_tensors read_given_tensors(const option_values& values, const tensorized_layer& layer, run_files& files)
{
    given_tensors given;
    const auto read = [&](const char* option, const char* of, const index_list& indices, std::uint64_t width) {
        std::optional<std::vector<float>> read_values;
        if (!values.has(option)) { return read_values; }
        const auto path = values.get_string(option), name = "--" + std::string(option);
        files.add_input(name, path);
        read_values =
            base::complaining_of(name, [&] { return array_of(path, shapes_of_samples(layer, indices, width), of); });
        return read_values;
    };
    given.x = read("input", "X", workloads::input_indices(layer), workloads::column_count(layer));
    given.dy = read("gradient", "dY", workloads::output_indices(layer), workloads::row_count(layer));
    if (values.has("cores")) {
        const auto path = values.get_string("cores");
        files.add_input("--cores", path);
        const auto expected = core_arrays(layer);
        auto found = base::complaining_of("--cores", [&] { return arrays_of(path, expected, "this layer"); });
        for (std::size_t c = 0; c < expected.size(); ++c) {
            named_array core{expected[c].name, {}};
            core.values.shape = expected[c].shape;
            core.values.data = std::move(found[c]);
            given.cores.push_back(std::move(core));
        }
    }
    return given;
}

void put(const given_tensors& given, const workloads::contraction_graph& graph, workloads::step_values& values)
{
    if (given.x) { values.tensor[tensor_named(graph, "X")] = rounded(*given.x); }
    const auto dy = tensor_named(graph, "dY");
    if (given.dy && dy < graph.tensors.size()) { values.tensor[dy] = rounded(*given.dy); }
    for (const auto& core : given.cores) {
        const auto tensor = tensor_named(graph, core.name);
        values.tensor[tensor] = rounded(core.values.data);
        values.master[tensor] = core.values.data;
    }
}

std::vector<named_array> results_of(const tensorized_layer& layer, const workloads::step_plan& plan,
                                    const workloads::step_values& found)
{
    const auto sizes = workloads::sizes_of(layer);
    std::vector<named_array> all;
    const auto add = [&](const std::string& name, const shape& of, const std::vector<float>& data) {
        if (data.empty()) { return; }
        named_array array{name, {}};
        array.values.shape = of;
        array.values.data = data;
        all.push_back(std::move(array));
    };
    // The values have the tensors that the step is given, too: results are those that it computes.
    const auto add_computed = [&](const std::string& name, const shape& of) {
        const auto tensor = tensor_named(plan.graph, name);
        if (tensor < plan.graph.tensors.size() && plan.graph.maker(tensor)) { add(name, of, found.tensor[tensor]); }
    };
    add_computed("Y", shape_of(workloads::output_indices(layer), sizes));
    add_computed("dX", shape_of(workloads::input_indices(layer), sizes));
    const auto cores = core_arrays(layer);
    for (const auto& core : cores) { add_computed("d" + core.name, core.shape); }
    if (plan.settings.update) {
        for (const auto& core : cores) {
            add(core.name, core.shape, found.master[tensor_named(plan.graph, core.name)]);
        }
    }
    return all;
}

} // namespace tensorloom::testbench
