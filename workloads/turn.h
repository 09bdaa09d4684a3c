#pragma once
#include <cstdint>

namespace tensorloom::workloads {

/// cos(2 pi a / m) of a rational part of a turn, a < m <= 2^33.
///
/// The fraction is folded to the first octant in integers before anything is rounded: zeros are +0, ones exact, and
/// values that are equal by symmetry are equal in every bit.
long double cosine_of_turn(std::uint64_t a, std::uint64_t m);

/// sin(2 pi a / m), alike.
long double sine_of_turn(std::uint64_t a, std::uint64_t m);

/// cos(2 pi a / m) + sin(2 pi a / m), alike, without cancellation.
long double cas_of_turn(std::uint64_t a, std::uint64_t m);

} // namespace tensorloom::workloads
