#include <tensorloom/models/torus/slot_memory.h>

namespace tensorloom::torus {

std::optional<slot> free_memory(slot first, const slot_memories& taken)
{
    constexpr unsigned memories = 4;
    for (unsigned i = 0; i < memories; ++i) {
        const auto memory = static_cast<slot>((static_cast<unsigned>(first) + i) % memories);
        if (!taken.contains(memory)) { return memory; }
    }
    return std::nullopt;
}

stage_range stages_of(const orbit_command& c) { return {c.first_stage(), c.first_stage() + c.stages()}; }

slot sums_slot(const orbit_command& c, unsigned stage)
{
    return static_cast<slot>(c.way == direction::forward ? stage + 1 : stages - 1 - stage);
}

slot operand_slot(const orbit_command& c) { return static_cast<slot>(c.way == direction::forward ? 0 : c.stages()); }

slot result_slot(const orbit_command& c) { return sums_slot(c, stages_of(c).end - 1); }

std::optional<transform_memories> memories_of(const orbit_command& c, slot operand, const slot_memories& taken)
{
    const auto range = stages_of(c);
    transform_memories memories{operand, {}};
    slot_memories others = taken;
    std::optional<slot> result;
    if (c.accumulate()) {
        auto while_it_runs = taken;
        while_it_runs.add(operand);
        result = free_memory(result_slot(c), while_it_runs);
        if (!result) { return std::nullopt; }
        others.add(*result);
    }
    slot from = operand;
    for (unsigned stage = range.first; stage < range.end; ++stage) {
        auto used = others;
        used.add(from);
        const bool is_last = stage + 1 == range.end;
        const auto to = is_last && result ? result : free_memory(sums_slot(c, stage), used);
        if (!to) { return std::nullopt; }
        memories.sums.at(stage) = from = *to;
    }
    return memories;
}

} // namespace tensorloom::torus
