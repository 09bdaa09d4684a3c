#pragma once
#include <cstdint>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/training_memory.h>
#include <tensorloom/workloads/training/network_operations.h>

namespace tensorloom::workloads {

/// Bytes of a training step by layer and kind, in whole blocks, as placed. After the layers follows one more entry: the
/// loss, the list of the batch, constants.
training_memory memory_of(const model_contractions& contractions, const network_step& step,
                          const fetta::device_limits& g);
/// The same for a model, which is planned first; the tensors need not fit.
training_memory memory_of(const model_description& model, const fetta::device_limits& g);

} // namespace tensorloom::workloads
