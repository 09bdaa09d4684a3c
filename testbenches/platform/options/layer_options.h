#pragma once
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

/// A layer by its name or by its sizes; throws arch::input_error, also when both or none is given.
layer_choice read_layer(const option_values& values);

} // namespace tensorloom::testbench
