#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/vector/costs.h>
#include <tensorloom/models/base/values/scratchpad_banks.h>

namespace tensorloom::isa::vector {

/// Timing of the groups of an instruction's words: their entry into the lanes, and their results. Plain C++.
///
///     entered(g) = max((g + 1) cycles_per_group, ceil(words up to g / banks)) + stalls of groups 0 to g
///     results(g) = entered(g) + depth                in cycles from the start of the instruction; the last group's is
///                                                    the instruction's time
class vector_schedule {
public:
    /// banks: nullptr without a consecutive operand. stalls: by group, or empty; kept by reference.
    vector_schedule(std::uint64_t words, std::uint64_t lanes, const base::scratchpad_banks* banks,
                    const vector_cost& cost, const std::vector<std::uint64_t>& stalls)
        : m_words(words), m_lanes(lanes), m_banks(banks), m_cost(cost), m_groups((words + lanes - 1) / lanes),
          m_stalls(stalls)
    {}

    /// Cycles of the instruction without conflicts.
    std::uint64_t undisturbed() const { return m_groups * m_cost.cycles_per_group + m_cost.depth; }
    std::uint64_t total() const
    {
        std::uint64_t stalled = 0;
        for (const std::uint64_t s : m_stalls) { stalled += s; }
        return entered(m_groups - 1, stalled) + m_cost.depth;
    }

    /// Iterates over groups in the order of time; cycles must not decrease from call to call.
    class cursor {
    public:
        explicit cursor(const vector_schedule& schedule) : m_schedule(schedule) {}

        /// Groups that have entered at the end of this cycle.
        std::uint64_t groups_at(std::uint64_t cycle)
        {
            while (m_group < m_schedule.m_groups) {
                const std::uint64_t stalled = m_stalled + m_schedule.stall(m_group);
                if (m_schedule.entered(m_group, stalled) > cycle) { break; }
                m_stalled = stalled;
                ++m_group;
            }
            return m_group;
        }

    private:
        const vector_schedule& m_schedule;
        std::uint64_t m_group = 0; // next group
        std::uint64_t m_stalled = 0;
    };

    std::uint64_t groups() const { return m_groups; }
    std::uint64_t depth() const { return m_cost.depth; }
    /// Words of the first `groups` groups.
    std::uint64_t words_of(std::uint64_t groups) const { return std::min(m_words, groups * m_lanes); }

private:
    std::uint64_t stall(std::uint64_t group) const { return m_stalls.empty() ? 0 : m_stalls[group]; }
    std::uint64_t entered(std::uint64_t group, std::uint64_t stalled) const
    {
        const std::uint64_t own = (group + 1) * m_cost.cycles_per_group;
        const std::uint64_t read = m_banks == nullptr ? 0 : m_banks->contiguous_cycles(words_of(group + 1));
        return std::max(own, read) + stalled;
    }

    std::uint64_t m_words;
    std::uint64_t m_lanes;
    const base::scratchpad_banks* m_banks;
    vector_cost m_cost;
    std::uint64_t m_groups;
    const std::vector<std::uint64_t>& m_stalls;
};

} // namespace tensorloom::isa::vector
