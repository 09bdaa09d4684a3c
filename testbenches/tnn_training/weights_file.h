#pragma once
#include <string>
#include <vector>
#include <tensorloom/workloads/training/model_contractions.h>
#include "platform/run/array_archive.h"

namespace tensorloom::testbench {

/// The parameters of a model as arrays: "fc1.G1", "fc1.bias", .. with the shape of the core, in the order of the
/// layers. The name is that of the model_parameter from the layer inwards: "G1 of queries of encoder" is
/// "encoder.queries.G1".
std::vector<expected_array> weight_arrays(const workloads::model_contractions& contractions);

/// Reads float32 masters of all parameters of a model from an .npz file. `model`: its name. Throws base::input_error
/// for the weights of another model, with name and shapes.
workloads::parameter_values load_weights(const std::string& path, const workloads::model_contractions& contractions,
                                         const std::string& model);

/// Writes the masters into an .npz file.
void save_weights(const std::string& path, const workloads::model_contractions& contractions,
                  const workloads::parameter_values& masters);

} // namespace tensorloom::testbench
