#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/isa/vector/accesses.h>
#include <tensorloom/models/shell/command_unit.h>

namespace tensorloom::blocks {

// Common parts of units on words of a scratchpad: the outcome of an instruction, reports of its cycles, the bytes that
// it accesses.

/// Cycles of a command that have one cause.
struct cycle_segment {
    const char* cause; ///< as in a device's log: "compute", "vector", "conflict"
    std::uint64_t cycles;
    base::freed_cycles freed;
};

/// Outcome of a unit's instruction, whose time has passed: the sum of its consecutive segments.
template <class Counts> struct unit_outcome {
    std::vector<cycle_segment> segments;           ///< no segment has 0 cycles
    Counts counts;                                 ///< by the unit's events
    isa::error_code error = isa::error_code::none; ///< aborted: stopped at a cycle boundary

    /// Appends a segment unless it has 0 cycles.
    void add(const char* cause, std::uint64_t cycles) { add(cause, base::freed_cycles::of(cause, cycles)); }
    void add(const char* cause, const base::freed_cycles& freed)
    {
        if (freed.all() != 0) { segments.push_back({cause, freed.all(), freed}); }
    }
    std::uint64_t cycles() const
    {
        std::uint64_t sum = 0;
        for (const auto& s : segments) { sum += s.cycles; }
        return sum;
    }
    bool ok() const { return error == isa::error_code::none; }
};

/// Reports segments as phases with the instruction's name. The events, by the device's table, belong to the first
/// segment with the unit's own cause `own_cause`, or else to the first segment. An instruction without cycles is
/// reported when it is `complete`.
void report_segments(shell::running_command& running, const std::vector<cycle_segment>& segments, const char* own_cause,
                     const char* instruction, bool complete, const std::uint64_t* counts);

/// From the first byte of each range to its last, including gaps between rows.
shell::byte_ranges spans_of(const isa::vector::address_ranges& ranges);

} // namespace tensorloom::blocks
