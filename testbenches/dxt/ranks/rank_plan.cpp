#include "dxt/ranks/rank_plan.h"
#include <algorithm>
#include <optional>
#include <tuple>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::testbench {

mode_range range_of(std::uint32_t size, unsigned ranks, unsigned rank)
{
    const std::uint32_t each = size / ranks, longer = size % ranks;
    return {rank * each + std::min<std::uint32_t>(rank, longer), each + (rank < longer ? 1 : 0)};
}

std::uint32_t rank_plan::rows() const
{
    std::uint32_t least = stages.front().input[stages.front().split];
    for (const auto& stage : stages) { least = std::min(least, stage.input[stage.split]); }
    return least;
}

namespace {

// Without splits.
rank_plan stages_of_job(const gemt_job& job)
{
    rank_plan plan;
    const auto& shape = job.esop ? job.shape : job.box();
    const auto& result = job.esop ? job.result_shape() : job.box();
    shared_stage stage;
    for (std::size_t m = 0; m < 3; ++m) { stage.output[m] = static_cast<std::uint32_t>(shape[m]); }
    for (unsigned s = 0; s < 3; ++s) {
        const unsigned mode = job.order[s] - 1;
        if (!job.sums(mode)) { continue; }
        stage.position = s;
        stage.mode = mode;
        stage.input = stage.output;
        stage.output[mode] = static_cast<std::uint32_t>(result[mode]);
        plan.stages.push_back(stage);
    }
    return plan;
}

unsigned exchanges_of(const rank_plan& plan)
{
    unsigned exchanges = 0;
    for (std::size_t s = 1; s < plan.stages.size(); ++s) {
        exchanges += plan.stages[s].split == plan.stages[s - 1].split ? 0 : 1;
    }
    return exchanges;
}

} // namespace

rank_plan plan_ranks(const gemt_job& job, unsigned ranks)
{
    rank_plan plan = stages_of_job(job);
    std::optional<rank_plan> best;
    const auto merit = [&](const rank_plan& p) {
        return std::tuple(std::min(p.rows(), ranks), -static_cast<int>(exchanges_of(p)), p.rows(),
                          -static_cast<int>(p.stages.back().split));
    };
    const auto choose = [&](const auto& rest, std::size_t s) -> void {
        if (s == plan.stages.size()) {
            if (!best || merit(*best) < merit(plan)) { best = plan; }
            return;
        }
        for (unsigned split = 0; split < 3; ++split) {
            if (split == plan.stages[s].mode) { continue; }
            plan.stages[s].split = split;
            rest(rest, s + 1);
        }
    };
    choose(choose, 0);
    if (best->rows() < ranks) {
        base::refuse("--ranks", std::to_string(ranks),
                     "at most " + std::to_string(best->rows()) + ", the rows that can be shared");
    }
    return *best;
}

} // namespace tensorloom::testbench
