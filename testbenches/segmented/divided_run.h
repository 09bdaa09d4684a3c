#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include "platform/mmv/mmv_pairs.h"
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

/// How several pairs shared the work of a run.
struct divided_run {
    std::vector<std::uint64_t> elements; ///< by pair: of its part, as segmented_measures::elements; 0: nothing to do
    std::vector<std::uint64_t> steps;    ///< by pair: of the model
    std::vector<costs_of_pair> each;
    std::optional<std::uint64_t> one_pair_cycles; ///< of the same problem on one pair; none: it cannot run it
};

/// Lines "one pair" and a line for each pair, and the field pairs, which is null for a run on one pair. `whole`: of the
/// run.
void write_divided(run_report& report, const std::optional<divided_run>& run, const mmv_costs& whole);

} // namespace tensorloom::testbench
