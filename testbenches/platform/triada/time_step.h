#pragma once
#include <string>
#include "platform/triada/triada_options.h"

namespace tensorloom::testbench {

/// Cycles of the X and Y lines in a time-step.
inline constexpr unsigned lines_cycles = 2;

/// What a time-step of too few cycles asks of them: lines and a multiply-add one after the other in one cycle, and the
/// gates on that path; empty where each line has a cycle and the multiply-add its latency.
std::string time_step_text(const triada_options& options, base::element_type format);

} // namespace tensorloom::testbench
