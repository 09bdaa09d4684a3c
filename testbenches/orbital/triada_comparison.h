#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/torus/isa/events.h>
#include <tensorloom/models/triada/isa/events.h>

namespace tensorloom::testbench {

// Wire traffic of an orbital torus and a TriADA in one convention: words times the pitches of wire that they pass,
// between nodes or between cells. Neither device depends on the other.

inline constexpr double um_per_mm = 1000;
using by_direction = std::array<std::uint64_t, 3>;

/// TriADA's counts with pitches instead of hops. The device charges a send one hop per cell of its line; a line of N
/// cells has N - 1 pitches. For sends that charge whole lines, with cells along modes 1, 2, 3.
triada::counts in_pitches(const triada::counts& counts, const std::array<std::uint32_t, 3>& mesh);

/// Words that lines along modes 1, 2, 3 carry, coefficients and operands; words times pitches of the above.
by_direction line_words(const triada::counts& counts, const std::array<std::uint32_t, 3>& mesh);
by_direction line_word_pitches(const triada::counts& counts, const std::array<std::uint32_t, 3>& mesh);

/// The same of links along Q, R, S; a ring of P nodes has 2 (P - 1) pitches.
by_direction link_words(const torus::counts& counts);
by_direction link_word_pitches(const torus::counts& counts);

/// Cycles of a signal along a wire of this length at this speed per cycle; 0: one cycle for any length, which both
/// papers assume.
std::uint64_t wire_cycles(double um, double mm_per_cycle);

/// Cycles of TriADA's time-step with lines of this length: an X line, a Y line and a multiply-add. Its paper has one of
/// one cycle.
std::uint64_t time_step_cycles(double line_um, double mm_per_cycle, unsigned mac_latency = 1);

} // namespace tensorloom::testbench
