#pragma once
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/step_planner/step_plan.h>
#include <tensorloom/workloads/step_planner/step_values.h>
#include <tensorloom/workloads/tensor_network/layer.h>
#include "platform/options/options.h"
#include "platform/options/run_files.h"
#include "platform/run/array_archive.h"

namespace tensorloom::testbench {

/// Tensors of a step that the user has given, in C order; all others are random.
struct given_tensors {
    std::optional<std::vector<float>> x, dy;
    std::vector<named_array> cores; ///< all cores, or none

    bool has_samples() const { return x || dy; }
};

/// Adds --input --gradient --cores --output.
void add_tensor_options(option_table& table);

/// Samples in the file of --input or --gradient: its first size; none without both.
std::optional<std::uint64_t> given_samples(const option_values& values);

/// Reads the files of --input, --gradient and --cores. X has the shape batch x n1 x n2 .., or batch x N; dY likewise
/// with m. Cores are named and shaped as cores_of() says; those of several blocks have a first mode of blocks. Throws
/// base::input_error, with both shapes.
given_tensors read_given_tensors(const option_values& values, const workloads::tensorized_layer& layer,
                                 run_files& files);

/// Puts them among the values of a step.
void put(const given_tensors& given, const workloads::contraction_graph& graph, workloads::step_values& values);

/// Results of a step under their names: Y, dX, updated cores (G1, ..), or without an update gradients of cores (dG1,
/// ..): all that it writes to memory. Y and dX are bf16 on the device; modes as in the layer.
std::vector<named_array> results_of(const workloads::tensorized_layer& layer, const workloads::step_plan& plan,
                                    const workloads::step_values& found);

} // namespace tensorloom::testbench
