#pragma once
#include <cstdint>
#include <tensorloom/models/triada/isa/energy.h>

namespace tensorloom::testbench {

// How long a signal takes along a wire, and with it a time-step of a TriADA.

inline constexpr double um_per_mm = 1000;

/// Cycles of a signal along a wire of this length at this speed per cycle; 0: one cycle for any length, which both
/// papers assume.
std::uint64_t wire_cycles(double um, double mm_per_cycle);

/// Cycles of TriADA's time-step with lines of this length: an X line, a Y line and a multiply-add. Its paper has one of
/// one cycle.
std::uint64_t time_step_cycles(double line_um, double mm_per_cycle, unsigned mac_latency = 1);

/// The longest line of a mesh along a planar mode, from its first cell to its last.
double longest_line_um(const costs::technology& technology, const triada::energy_parameters& parameters);

} // namespace tensorloom::testbench
