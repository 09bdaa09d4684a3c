#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/program/error_code.h>
#include <tensorloom/models/arch/mmv/events.h>

namespace tensorloom::blocks {

/// Cycles of a command that have one cause.
struct cycle_segment {
    const char* cause; ///< as in a device's log: "compute", "vector", "conflict"
    std::uint64_t cycles;
};

/// What a unit's instruction did. Its time has passed: the sum of its segments, which follow each other.
struct unit_outcome {
    std::vector<cycle_segment> segments; ///< of no segment 0 cycles
    arch::mmv::counts counts;
    arch::error_code error = arch::error_code::none; ///< aborted: it was stopped at a cycle boundary

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
    bool ok() const { return error == arch::error_code::none; }
};

} // namespace tensorloom::blocks
