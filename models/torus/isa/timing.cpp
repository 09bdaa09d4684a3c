#include <tensorloom/models/torus/isa/timing.h>
#include <algorithm>
#include <cmath>
#include <vector>

namespace tensorloom::torus {
namespace {

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit; }

// Cycles from the first multiply-add of a slice to that of the next.
std::uint64_t issue_cycles(const step_profile& profile, const timing_parameters& t, std::uint64_t slices)
{
    const std::uint64_t round = rounded_up(rounded_up(profile.sums, slices), t.macs_per_cycle);
    return (profile.depth - 1) * std::max(round, t.mac_latency) + round;
}

// Cycles from the start of a step until the next node can begin the step that continues the same sums. Sums are done in
// groups of macs_per_cycle, one group per cycle of the last term, and cross the link as they are done; the next node
// reads them in the same order, also one group per cycle.
std::uint64_t shared_cycles(const step_profile& profile, const timing_parameters& t)
{
    const std::uint64_t round = rounded_up(profile.sums, t.macs_per_cycle);
    const std::uint64_t first_done = (profile.depth - 1) * std::max(round, t.mac_latency) + t.mac_latency;
    std::uint64_t lead = 1; // of writing over reading, so that no group is read before it is there
    const auto keep_ahead = [&](std::uint64_t groups, std::uint64_t sums) {
        const std::uint64_t words = sums * (profile.accumulator / profile.sums);
        const std::uint64_t left = rounded_up(words, t.words_per_cycle);
        if (groups != 0 && left >= groups) { lead = std::max(lead, left - (groups - 1)); }
    };
    const std::uint64_t whole = profile.sums / t.macs_per_cycle;
    keep_ahead(whole, whole * t.macs_per_cycle);
    keep_ahead(round, profile.sums);
    return first_done + lead + t.hop_cycles;
}

std::uint64_t most_rolling_words(const step_profile& profile)
{
    std::uint64_t most = profile.accumulator;
    for (const auto& o : profile.operands) { most = std::max(most, o.words); }
    return most;
}

} // namespace

std::uint64_t step_link_cycles(const step_profile& profile, const timing_parameters& timing)
{
    std::uint64_t cycles = 0;
    if (!profile.driven.empty()) {
        const std::uint64_t most = *std::max_element(profile.driven.begin(), profile.driven.end());
        cycles += rounded_up(most, timing.words_per_cycle) + timing.line_cycles;
    }
    if (const std::uint64_t most = most_rolling_words(profile); most != 0) {
        cycles += rounded_up(most, timing.words_per_cycle) + timing.hop_cycles;
    }
    return cycles;
}

namespace {

// Slice by slice and step by step: when each starts, is ready, and has come over its link.
class recurrence {
public:
    recurrence(const timing_parameters& timing, const step_profile& profile, std::uint64_t slices)
        : m_timing(timing), m_issue(issue_cycles(profile, timing, slices)),
          m_shares(timing.overlap == overlap_kind::shared && profile.accumulator != 0),
          m_rolls(!m_shares && profile.accumulator != 0), m_sync(m_shares ? timing.sync_cycles : 0),
          m_shared_time(shared_cycles(profile, timing)), m_accumulator_time(link_cycles(profile.accumulator, slices)),
          m_accumulators(slices)
    {
        for (const auto& operand : profile.operands) {
            const std::uint64_t pieces = operand.is_sliced ? slices : 1;
            m_operands.push_back({link_cycles(operand.words, pieces), 0, std::vector<std::uint64_t>(pieces)});
        }
        for (const auto words : profile.driven) {
            m_lines.push_back({link_cycles(words, 1), 0, 0});
            drive(m_lines.back(), 0);
        }
    }

    // When each of these steps and its rolls are over.
    std::vector<std::uint64_t> run(std::uint64_t steps)
    {
        std::vector<std::uint64_t> ends(steps);
        for (std::uint64_t t = 0; t < steps; ++t) {
            step(t + 1 == steps);
            ends[t] = m_end;
        }
        return ends;
    }

private:
    struct moving_operand {
        std::uint64_t time = 0; // of a piece on the link
        std::uint64_t link = 0; // busy up to then
        std::vector<std::uint64_t> there;
    };
    struct broadcast_line {
        std::uint64_t time = 0; // of a block
        std::uint64_t busy = 0; // up to then
        std::uint64_t there = 0;
    };

    std::uint64_t link_cycles(std::uint64_t words, std::uint64_t pieces) const
    {
        return rounded_up(rounded_up(words, pieces), m_timing.words_per_cycle);
    }

    void drive(broadcast_line& line, std::uint64_t from)
    {
        line.busy = std::max(from, line.busy) + line.time;
        line.there = line.busy + m_timing.line_cycles;
    }

    void step(bool is_last)
    {
        std::uint64_t first = 0;
        for (std::size_t j = 0; j < m_accumulators.size(); ++j) {
            std::uint64_t start = std::max(m_next_start, m_accumulators[j]);
            for (const auto& o : m_operands) { start = std::max(start, o.there[std::min(j, o.there.size() - 1)]); }
            for (const auto& line : m_lines) { start = std::max(start, line.there); }
            if (j == 0) { first = start; }
            m_next_start = start + m_issue;
            const std::uint64_t ready = m_next_start + m_timing.mac_latency - 1;
            m_accumulators[j] = ready;
            if (m_shares) { m_accumulators[j] = std::max(ready, start + m_shared_time) + m_sync; }
            if (m_rolls) {
                m_accumulator_link = std::max(ready, m_accumulator_link) + m_accumulator_time;
                m_accumulators[j] = m_accumulator_link + m_timing.hop_cycles;
            }
            m_end = std::max({m_end, ready, m_accumulators[j]});
        }
        for (auto& o : m_operands) {
            for (auto& there : o.there) {
                o.link = std::max({first, there, o.link}) + o.time;
                there = o.link + m_timing.hop_cycles + m_sync;
                m_end = std::max(m_end, there);
            }
        }
        for (auto& line : m_lines) {
            if (is_last) { break; } // the driver has its block from the beginning
            drive(line, first);
            m_end = std::max(m_end, line.there);
        }
    }

    const timing_parameters& m_timing;
    std::uint64_t m_issue;
    bool m_shares, m_rolls; // the accumulator
    std::uint64_t m_sync, m_shared_time;
    std::uint64_t m_accumulator_time;
    std::vector<std::uint64_t> m_accumulators; // by slice: when it is available for the next step
    std::vector<moving_operand> m_operands;
    std::vector<broadcast_line> m_lines;
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

std::uint64_t line_cycles(std::uint32_t side, double cycles_per_pitch)
{
    constexpr bool folded = false; // the line is straight, and as long as a ring's closing link
    return hop_cycles(side, folded, cycles_per_pitch);
}

step_profile profile_of(const stage_descriptor& stage, const block_sizes& sizes, std::uint64_t accumulator_words)
{
    constexpr unsigned second = 1, third = 2;
    const auto accumulator = shape_of(stage.accumulator, sizes);
    step_profile profile;
    profile.sums = accumulator.words();
    profile.depth = (stage.transposed ? sizes.out_block : sizes.in_block)[stage.mode];
    profile.planes = accumulator.size[stage.mode == second ? third : second]; // of mode 2, or 3 where 2 is summed
    for (const auto& roll : stage.rolls) {
        const std::uint64_t words = shape_of(roll.which, sizes).words();
        if (roll.which == stage.accumulator) {
            profile.accumulator = words * accumulator_words;
        } else {
            profile.operands.push_back({words, !is_coefficient(roll.which)});
        }
    }
    return profile;
}

std::uint64_t slices_of(const step_profile& profile, const timing_parameters& timing)
{
    if (timing.overlap != overlap_kind::sliced) { return 1; }
    if (timing.slices != 0) { return std::min(timing.slices, profile.planes); }
    std::uint64_t best = 1;
    for (std::uint64_t m = 1; m <= profile.planes; ++m) {
        if (profile.planes % m == 0 && profile.sums >= timing.mac_latency * m * timing.macs_per_cycle) { best = m; }
    }
    return best;
}

std::uint64_t slices_of(const stage_descriptor& stage, const block_sizes& sizes, const timing_parameters& timing)
{
    return slices_of(profile_of(stage, sizes), timing);
}

std::uint64_t step_compute_cycles(const step_profile& profile, const timing_parameters& timing)
{
    const std::uint64_t slices = slices_of(profile, timing);
    return slices * issue_cycles(profile, timing, slices) + timing.mac_latency - 1;
}

std::uint64_t step_compute_cycles(const stage_descriptor& stage, const block_sizes& sizes,
                                  const timing_parameters& timing)
{
    return step_compute_cycles(profile_of(stage, sizes), timing);
}

std::vector<std::uint64_t> step_ends(const step_profile& profile, std::uint64_t steps, const timing_parameters& timing)
{
    if (timing.overlap != overlap_kind::none) {
        return recurrence(timing, profile, slices_of(profile, timing)).run(steps);
    }
    const std::uint64_t step = step_compute_cycles(profile, timing) + step_link_cycles(profile, timing);
    std::vector<std::uint64_t> ends(steps);
    for (std::uint64_t t = 0; t < steps; ++t) { ends[t] = (t + 1) * step; }
    return ends;
}

std::vector<std::uint64_t> step_ends(const stage_descriptor& stage, const block_sizes& sizes,
                                     const timing_parameters& timing, std::uint64_t accumulator_words)
{
    return step_ends(profile_of(stage, sizes, accumulator_words), stage.steps, timing);
}

std::uint64_t stage_cycles(const stage_descriptor& stage, const block_sizes& sizes, const timing_parameters& timing,
                           std::uint64_t accumulator_words)
{
    return step_ends(stage, sizes, timing, accumulator_words).back();
}

} // namespace tensorloom::torus
