#pragma once
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/tensor_network/layer.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include "platform/options/options.h"

namespace tensorloom::testbench {

/// A tensorized layer from the options.
struct layer_choice {
    const workloads::named_layer* named = nullptr; ///< none: given by its sizes
    workloads::tensorized_layer layer;
};

/// Adds --layer --format --rows --cols --ranks --batch --blocks --order.
void add_layer_options(option_table& table);

/// Adds --dx.
void add_dx_option(option_table& table);

/// Whether a training step computes the gradient of X; auto: for all layers except first layers.
bool read_dx(const option_values& values, const layer_choice& chosen);

/// Throws base::input_error unless operands are bf16 and sums float32, as the step planner requires.
void require_training_formats(const option_values& values, const fetta::device_limits& g);

/// A layer by name or by sizes; throws base::input_error, also if both or none are given.
layer_choice read_layer(const option_values& values);

} // namespace tensorloom::testbench
