#pragma once
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/tensor_network/layer.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include "platform/options/options.h"

namespace tensorloom::testbench {

/// A tensorized layer that options say.
struct layer_choice {
    const workloads::named_layer* named = nullptr; ///< nothing: by its sizes
    workloads::tensorized_layer layer;
};

/// Adds --layer --format --rows --cols --ranks --batch --blocks --order.
void add_layer_options(option_table& table);

/// Adds --dx.
void add_dx_option(option_table& table);

/// Whether a training step makes the gradient of X; by itself: of all layers but those that are first.
bool read_dx(const option_values& values, const layer_choice& chosen);

/// Throws base::input_error unless operands are bf16 and sums float32, as the step planner takes them.
void require_training_formats(const option_values& values, const fetta::device_limits& g);

/// A layer by its name or by its sizes; throws base::input_error, also when both or none is given.
layer_choice read_layer(const option_values& values);

} // namespace tensorloom::testbench
