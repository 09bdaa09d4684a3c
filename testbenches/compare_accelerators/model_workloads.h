#pragma once
#include <tensorloom/workloads/training/model.h>
#include "compare_accelerators/comparison.h"

namespace tensorloom::testbench {

/// The products of a training step of a model: every matrix of every layer, with dX where the model trains something
/// before it; recurrent matrices frame by frame; the products of an attention. What else a step does (activations,
/// softmax, gathers) is listed as left out.
void compare_model(comparison& what, const workloads::model_description& model);

} // namespace tensorloom::testbench
