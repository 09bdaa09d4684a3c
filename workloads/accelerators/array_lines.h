#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/mode_layout.h>

namespace tensorloom::workloads {

/// Lines of memory that `wanted` neighbours of a flat index touch (at most `line`), on average over those of the index:
/// 1 where they lie side by side, as many as they are where each lies in a line of its own. The index has these modes
/// of a tensor, in the order in which they lie; other modes are at their first index. A run of neighbours lies in one
/// line: rows may have gaps behind them so that it does.
double lines_touched(const contraction_graph& graph, const mode_layout& layout, const std::vector<unsigned>& modes,
                     unsigned line, std::uint64_t wanted);

} // namespace tensorloom::workloads
