#include <tensorloom/models/blocks/scratchpad_unit.h>
#include <algorithm>

namespace tensorloom::blocks {

void report_segments(shell::running_command& running, const std::vector<cycle_segment>& segments, const char* own_cause,
                     const char* instruction, bool complete, const std::uint64_t* counts)
{
    // A matrix of one element needs no elimination: an instruction without a cycle.
    if (segments.empty() && complete) { running.report(own_cause, instruction, 0, counts); }
    auto counted = std::find_if(segments.begin(), segments.end(),
                                [&](const cycle_segment& s) { return std::strcmp(s.cause, own_cause) == 0; });
    if (counted == segments.end()) { counted = segments.begin(); }
    for (auto s = segments.begin(); s != segments.end(); ++s) {
        running.report(s->cause, instruction, s->cycles, s == counted ? counts : nullptr, &s->freed);
    }
}

shell::byte_ranges spans_of(const isa::vector::address_ranges& ranges)
{
    shell::byte_ranges all;
    for (const auto& r : ranges) { all.push_back({r.first, r.end() - r.first}); }
    return all;
}

} // namespace tensorloom::blocks
