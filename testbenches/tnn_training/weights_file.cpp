#include "tnn_training/weights_file.h"

namespace tensorloom::testbench {
namespace {

std::string dotted(const std::string& name)
{
    const std::string of = " of ";
    const auto at = name.rfind(of);
    if (at == std::string::npos) { return name; }
    return name.substr(at + of.size()) + "." + dotted(name.substr(0, at));
}

} // namespace

std::vector<expected_array> weight_arrays(const workloads::model_contractions& contractions)
{
    std::vector<expected_array> all;
    for (const auto& parameter : contractions.parameters) {
        if (parameter.part != 0) { continue; }
        expected_array array{dotted(parameter.name), {}};
        if (parameter.is_core && parameter.lies_as) {
            const auto& graph = contractions.graphs[parameter.lies_as->graph].graph;
            for (const unsigned mode : graph.tensors[parameter.lies_as->tensor].modes) {
                array.shape.push_back(graph.modes[mode].size);
            }
            array.shape.front() *= parameter.parts; // rows of a matrix
        } else {
            array.shape = {parameter.values};
        }
        all.push_back(std::move(array));
    }
    return all;
}

workloads::parameter_values load_weights(const std::string& path, const workloads::model_contractions& contractions,
                                         const std::string& model)
{
    return arrays_of(path, weight_arrays(contractions), "model " + model);
}

void save_weights(const std::string& path, const workloads::model_contractions& contractions,
                  const workloads::parameter_values& masters)
{
    const auto arrays = weight_arrays(contractions);
    std::vector<named_array> all;
    for (std::size_t p = 0; p < arrays.size(); ++p) {
        named_array array{arrays[p].name, {}};
        array.values.shape = arrays[p].shape;
        array.values.data = masters[p];
        all.push_back(std::move(array));
    }
    save_arrays(path, all);
}

} // namespace tensorloom::testbench
