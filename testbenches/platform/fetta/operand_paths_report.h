#pragma once
#include <string>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/contract_choice.h>
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

// Operands and results of CONTRACTs in a report: how many pass the networks alone, how many need a buffer, and what the
// vector unit would take for the latter on a device without buffers.

json paths_json(const workloads::path_counts& paths, const fetta::device_limits& limits);
std::string paths_text(const workloads::path_counts& paths, const fetta::device_limits& limits);

} // namespace tensorloom::testbench
