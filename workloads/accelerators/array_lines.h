#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/mode_layout.h>

namespace tensorloom::workloads {

/// Average number of lines of memory touched by `wanted` neighbours of a flat index (at most `line`): 1 if they are
/// adjacent, `wanted` if each is in a different line. The index consists of these modes of a tensor, in the order of
/// its layout; other modes are at their first index. Adjacent neighbours share one line: rows may be padded to achieve
/// this.
double lines_touched(const contraction_graph& graph, const mode_layout& layout, const std::vector<unsigned>& modes,
                     unsigned line, std::uint64_t wanted);

} // namespace tensorloom::workloads
