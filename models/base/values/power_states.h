#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace tensorloom::base {

/// The power state of a device.
///
/// on             its clock runs: it computes, or waits for a program
/// clock_gated    no clock: no events, so no dynamic energy; contents are kept and leak in full
/// power_gated    no supply: contents are lost, leakage is off but for a share (costs::leaking_ns())
enum class power_state : unsigned { on, clock_gated, power_gated };
constexpr std::size_t power_states = 3;

/// Time that a device has spent in each power state. Plain C++.
struct power_residency {
    std::array<std::uint64_t, power_states> ps{}; ///< by state

    std::uint64_t in(power_state state) const { return ps[static_cast<std::size_t>(state)]; }
    std::uint64_t total_ps() const { return ps[0] + ps[1] + ps[2]; }
};

/// The time between two readings of one device.
inline power_residency operator-(const power_residency& later, const power_residency& earlier)
{
    power_residency between;
    for (std::size_t s = 0; s < power_states; ++s) { between.ps[s] = later.ps[s] - earlier.ps[s]; }
    return between;
}

} // namespace tensorloom::base
