#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/isa/vector/accesses.h>
#include <tensorloom/models/shell/command_unit.h>

namespace tensorloom::blocks {

// What units on words of a scratchpad have in common: how an instruction ended, how its cycles are reported, which
// bytes it touches.

/// Cycles of a command that have one cause.
struct cycle_segment {
    const char* cause; ///< as in a device's log: "compute", "vector", "conflict"
    std::uint64_t cycles;
};

/// What a unit's instruction did. Its time has passed: the sum of its segments, which follow each other.
template <class Counts> struct unit_outcome {
    std::vector<cycle_segment> segments;           ///< of no segment 0 cycles
    Counts counts;                                 ///< by the unit's events
    isa::error_code error = isa::error_code::none; ///< aborted: it was stopped at a cycle boundary

    /// Appends a segment, of any cycles.
    void add(const char* cause, std::uint64_t cycles)
    {
        if (cycles != 0) { segments.push_back({cause, cycles}); }
    }
    std::uint64_t cycles() const
    {
        std::uint64_t sum = 0;
        for (const auto& s : segments) { sum += s.cycles; }
        return sum;
    }
    bool ok() const { return error == isa::error_code::none; }
};

/// Reports segments as phases with the instruction's name. The events, by the device's table, are those of the first
/// segment in which the unit does its own work, by its cause, or else of the first. An instruction that took no cycle
/// is reported when it is `complete`.
void report_segments(shell::running_command& running, const std::vector<cycle_segment>& segments, const char* own_cause,
                     const char* instruction, bool complete, const std::uint64_t* counts);

/// From the first byte of each range to its last: what lies between rows counts, too.
std::vector<shell::byte_range> spans_of(const isa::vector::address_ranges& ranges);

} // namespace tensorloom::blocks
