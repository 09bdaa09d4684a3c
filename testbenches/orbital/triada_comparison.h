#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/arch/costs/energy.h>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/models/arch/torus/events.h>
#include <tensorloom/models/arch/torus/timing.h>
#include <tensorloom/models/arch/triada/events.h>
#include <tensorloom/models/arch/values/element_type.h>

namespace tensorloom::testbench {

// An orbital torus beside TriADA: rolling blocks or broadcast lines, in one convention, by closed forms. Neither device
// knows of the other.
//
// Words are counted by the pitches of wire that they pass: between cells of TriADA or nodes of a torus. A line that
// reaches N cells has N - 1 pitches; TriADA itself counts a hop for each of the N cells. A word on a link of a ring of
// P nodes passes 2 (P - 1) / P pitches on average.

using shape3 = std::array<std::uint32_t, 3>;
using by_direction = std::array<std::uint64_t, 3>;

/// What TriADA counts in the time-steps of a dense transform of this shape with square matrices, on a mesh of its size,
/// modes summed in the order 3, 1, 2.
arch::triada::counts dense_step_counts(const shape3& shape);

/// What a torus counts in the steps of a forward transform with square matrices, padded to blocks of ceil(N / side)
/// elements along each mode.
arch::torus::counts orbital_step_counts(const shape3& shape, std::uint32_t side, arch::element_type format);

/// Words times pitches along modes 1, 2, 3 (lateral, frontal, horizontal lines) of a mesh, if sends charge whole lines.
by_direction line_word_pitches(const arch::triada::counts& counts, const shape3& mesh);
/// Words times pitches along Q, R, S.
by_direction link_word_pitches(const arch::torus::counts& counts);

/// Cycles that a signal takes along a wire of this length when it travels so far in a cycle; 0: any way takes one.
std::uint64_t wire_cycles(double um, double mm_per_cycle);

/// What the comparison depends on besides the sizes.
struct comparison_settings {
    arch::element_type format = arch::element_type::f64;
    double clock_ghz = 1;
    double mm_per_cycle = 0;      ///< that a signal travels; 0: any way in one cycle, which both papers assume
    unsigned cell_mac_cycles = 1; ///< of a multiply-add in a cell of TriADA, as its paper has it
    unsigned fma_latency = 4;     ///< of nodes
    unsigned macs_per_cycle = 1;  ///< of a node; 0: as many as TriADA has for the elements of a block, b^3
    unsigned words_per_cycle = 1; ///< of a link, each way; 0: a face of a block, b^2
    arch::torus::overlap_kind overlap = arch::torus::overlap_kind::sliced;
    bool folded = true; ///< rings of the torus
};

/// A device at one size: a dense transform whose tensor and matrices are in place. What loading and unloading takes,
/// through a port that both have, comes on top.
struct compared_device {
    std::string device;      ///< "triada" or "torus"
    std::uint32_t size = 0;  ///< N
    std::uint32_t side = 0;  ///< N, or P
    std::uint32_t block = 1; ///< elements of a node along a mode
    std::uint64_t multipliers = 0;
    std::uint64_t memory_words = 0; ///< of all cells (four registers and the coefficient) or nodes
    std::uint64_t steps = 0;
    std::uint64_t wire_cycles = 0; ///< of the longest wire: a line, or a link
    std::uint64_t cycles = 0;
    std::uint64_t macs = 0;
    std::uint64_t word_pitches = 0;
    double pitch_um = 0;
    double longest_wire_um = 0;
    double word_mm = 0; ///< words times length of planar wire; what goes through vias apart
    std::vector<arch::component_energy> energies;

    double utilisation() const; ///< multiply-adds of those that its multipliers could do in these cycles
    double pj(const std::string& component) const;
};

/// TriADA with N^3 cells. A time-step is an X line, a Y line, a multiply-add.
compared_device triada_at(const arch::technology& tech, std::uint32_t size, const comparison_settings& settings);
/// A torus with nodes for blocks of `block` elements along each mode.
compared_device torus_at(const arch::technology& tech, std::uint32_t size, std::uint32_t block,
                         const comparison_settings& settings);

} // namespace tensorloom::testbench
