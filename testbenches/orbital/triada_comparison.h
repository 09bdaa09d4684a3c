#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/torus/isa/events.h>
#include <tensorloom/models/triada/isa/events.h>

namespace tensorloom::testbench {

// Wire traffic of an orbital torus and a TriADA in one convention: words times the pitches of wire that they pass,
// between nodes or between cells. Neither device depends on the other.

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

} // namespace tensorloom::testbench
