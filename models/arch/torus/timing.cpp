#include <tensorloom/models/arch/torus/timing.h>
#include <algorithm>
#include <cmath>
#include <vector>

namespace tensorloom::arch::torus {
namespace {

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit; }

// Sums that a node makes in a step, and how many terms each of them gets.
struct node_work {
    std::uint64_t sums = 0, depth = 0;
};
node_work work_of(const stage_descriptor& stage, const block_sizes& sizes)
{
    const auto& summed = stage.transposed ? sizes.made : sizes.given;
    return {shape_of(stage.accumulator, sizes).words(), summed[stage.mode]};
}

// Planes that a stage can be sliced along: of mode 2, or of mode 3 where mode 2 is summed.
std::uint64_t planes_of(const stage_descriptor& stage, const block_sizes& sizes)
{
    constexpr unsigned second = 1, third = 2;
    return shape_of(stage.accumulator, sizes).size[stage.mode == second ? third : second];
}

// From the first multiply-add of a slice to that of the next.
std::uint64_t issue_cycles(const node_work& work, const timing_parameters& t, std::uint64_t slices)
{
    const std::uint64_t round = rounded_up(rounded_up(work.sums, slices), t.macs_per_cycle);
    return (work.depth - 1) * std::max(round, t.fma_latency) + round;
}

// What rolls, in words of a link; 0: it stays.
struct rolling {
    struct operand {
        std::uint64_t words = 0;
        bool is_sliced = false; // as the accumulator: coefficients are not
    };
    std::uint64_t accumulator = 0;
    std::vector<operand> operands; // each on a link of its own

    std::uint64_t most_words() const
    {
        std::uint64_t most = accumulator;
        for (const auto& o : operands) { most = std::max(most, o.words); }
        return most;
    }
};
rolling rolling_of(const stage_descriptor& stage, const block_sizes& sizes, std::uint64_t accumulator_words)
{
    rolling found;
    for (const auto& roll : stage.rolls) {
        const std::uint64_t words = shape_of(roll.which, sizes).words();
        if (roll.which == stage.accumulator) {
            found.accumulator = words * accumulator_words;
        } else {
            found.operands.push_back({words, !is_coefficient(roll.which)});
        }
    }
    return found;
}

// Slice by slice and step by step: when each starts, is ready, and has come over its link.
class recurrence {
public:
    recurrence(const timing_parameters& timing, std::uint64_t slices, std::uint64_t issue, const rolling& moved)
        : m_timing(timing), m_issue(issue), m_rolls(moved.accumulator != 0),
          m_accumulator_time(link_cycles(moved.accumulator, slices)), m_accumulators(slices)
    {
        for (const auto& operand : moved.operands) {
            const std::uint64_t pieces = operand.is_sliced ? slices : 1;
            m_operands.push_back({link_cycles(operand.words, pieces), 0, std::vector<std::uint64_t>(pieces)});
        }
    }

    // When each of these steps and its rolls are over.
    std::vector<std::uint64_t> run(std::uint64_t steps)
    {
        std::vector<std::uint64_t> ends(steps);
        for (auto& end : ends) {
            step();
            end = m_end;
        }
        return ends;
    }

private:
    struct moving_operand {
        std::uint64_t time = 0; // of a piece on the link
        std::uint64_t link = 0; // busy up to then
        std::vector<std::uint64_t> there;
    };

    std::uint64_t link_cycles(std::uint64_t words, std::uint64_t pieces) const
    {
        return rounded_up(rounded_up(words, pieces), m_timing.words_per_cycle);
    }

    void step()
    {
        std::uint64_t first = 0;
        for (std::size_t j = 0; j < m_accumulators.size(); ++j) {
            std::uint64_t start = std::max(m_next_start, m_accumulators[j]);
            for (const auto& o : m_operands) { start = std::max(start, o.there[std::min(j, o.there.size() - 1)]); }
            if (j == 0) { first = start; }
            m_next_start = start + m_issue;
            const std::uint64_t ready = m_next_start + m_timing.fma_latency - 1;
            m_accumulators[j] = ready;
            if (m_rolls) {
                m_accumulator_link = std::max(ready, m_accumulator_link) + m_accumulator_time;
                m_accumulators[j] = m_accumulator_link + m_timing.hop_cycles;
            }
            m_end = std::max({m_end, ready, m_accumulators[j]});
        }
        for (auto& o : m_operands) {
            for (auto& there : o.there) {
                o.link = std::max({first, there, o.link}) + o.time;
                there = o.link + m_timing.hop_cycles;
                m_end = std::max(m_end, there);
            }
        }
    }

    const timing_parameters& m_timing;
    std::uint64_t m_issue;
    bool m_rolls; // the accumulator
    std::uint64_t m_accumulator_time;
    std::vector<std::uint64_t> m_accumulators; // by slice: when it is there for the next step
    std::vector<moving_operand> m_operands;
    std::uint64_t m_next_start = 0, m_accumulator_link = 0, m_end = 0;
};

} // namespace

std::uint64_t longest_link(std::uint32_t side, bool folded)
{
    constexpr std::uint64_t of_folded = 2;
    return folded ? std::min<std::uint64_t>(side - 1, of_folded) : side - 1;
}

std::uint64_t hop_cycles(std::uint32_t side, bool folded, double cycles_per_pitch)
{
    const double cycles = std::ceil(static_cast<double>(longest_link(side, folded)) * cycles_per_pitch);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(cycles));
}

std::uint64_t slices_of(const stage_descriptor& stage, const block_sizes& sizes, const timing_parameters& timing)
{
    if (timing.overlap != overlap_kind::sliced) { return 1; }
    const std::uint64_t planes = planes_of(stage, sizes);
    if (timing.slices != 0) { return std::min(timing.slices, planes); }
    const auto work = work_of(stage, sizes);
    std::uint64_t best = 1;
    for (std::uint64_t m = 1; m <= planes; ++m) {
        if (planes % m == 0 && work.sums >= timing.fma_latency * m * timing.macs_per_cycle) { best = m; }
    }
    return best;
}

std::uint64_t step_compute_cycles(const stage_descriptor& stage, const block_sizes& sizes,
                                  const timing_parameters& timing)
{
    const std::uint64_t slices = slices_of(stage, sizes, timing);
    return slices * issue_cycles(work_of(stage, sizes), timing, slices) + timing.fma_latency - 1;
}

std::vector<std::uint64_t> step_ends(const stage_descriptor& stage, const block_sizes& sizes,
                                     const timing_parameters& timing, std::uint64_t accumulator_words)
{
    const auto moved = rolling_of(stage, sizes, accumulator_words);
    if (timing.overlap == overlap_kind::none) {
        std::uint64_t step = step_compute_cycles(stage, sizes, timing);
        if (!stage.rolls.empty()) {
            step += rounded_up(moved.most_words(), timing.words_per_cycle) + timing.hop_cycles;
        }
        std::vector<std::uint64_t> ends(stage.steps);
        for (std::uint64_t t = 0; t < stage.steps; ++t) { ends[t] = (t + 1) * step; }
        return ends;
    }
    const std::uint64_t slices = slices_of(stage, sizes, timing);
    return recurrence(timing, slices, issue_cycles(work_of(stage, sizes), timing, slices), moved).run(stage.steps);
}

std::uint64_t stage_cycles(const stage_descriptor& stage, const block_sizes& sizes, const timing_parameters& timing,
                           std::uint64_t accumulator_words)
{
    return step_ends(stage, sizes, timing, accumulator_words).back();
}

} // namespace tensorloom::arch::torus
