#pragma once
#include <map>
#include <string>
#include "workloads/step_planner/program_reading.h"
#include "workloads/step_planner/step_definition.h"

namespace tensorloom::test {

/// Everything that a step makes, bit for bit: every contraction of the definition by the formula of docs/fetta.md
/// ("Order of the sums"), in the order that its CONTRACTs say (program_reading.h), rounded where docs/tnn_step.md
/// ("Numbers") says: once to bf16 what is an operand or leaves the chip, float32 the gradients of cores.
///
/// `given`: X, dY, cores and, for an update, "master of G1" and so on; cores and masters are new behind it. `rate`:
/// what gradients are multiplied with.
values_by_name<float> ordered_step(const step_definition& step, const std::map<std::string, order_of_sums>& orders,
                                   std::size_t samples, std::size_t side, const values_by_name<float>& given,
                                   bool update, float rate);

} // namespace tensorloom::test
