#pragma once
#include <tensorloom/workloads/step_planner/step_estimate.h>

namespace tensorloom::workloads {

/// Replaces tensors that are idle for a long time by tensors that are computed again before their next use, where that
/// takes less time than to store and to load them: "tanh" of GELU from its operand, Y of a tensorized map from its last
/// intermediate and core. The operations are the same ones on the same values, so that all results keep their bits.
/// Operands that are needed for it must be in use nearby, or are computed again, too. Leaves tensors of loops of layers
/// as they are.
operation_list with_recomputation(const operation_list& step, const step_device& device);

} // namespace tensorloom::workloads
