#pragma once
#include <algorithm>
#include <cstdint>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/triada/isa/gemt_tiles.h>

namespace tensorloom::triada {

// Estimates of products larger than the mesh, and the choice between their ways. Plain arithmetic on sizes.

/// A device and the path to its memory.
struct gemt_rates {
    isa::mode_sizes mesh{};
    unsigned partials = 2;        ///< partial sums of a cell, besides its operand and the next one
    unsigned step_cycles = 3;     ///< of a time-step
    unsigned load_elements = 8;   ///< elements per cycle through the memory port
    bool port_aligner = true;     ///< of any rows of the mesh; else of one row along mode 3
    double bytes_per_cycle = 64;  ///< of bus and memory, at best
    double latency_cycles = 4;    ///< of a burst: from its issue to its answer, without the time of its bytes
    unsigned burst_bytes = 4096;  ///< largest burst
    unsigned access_bytes = 64;   ///< what memory and bus move at least
    unsigned outstanding = 8;     ///< bursts in flight
    std::uint64_t bank_bytes = 0; ///< in a DRAM: of a row of every bank; else 0
};

/// Most elements per cycle through the memory port.
inline unsigned port_elements(const gemt_rates& rates)
{
    return rates.port_aligner ? rates.load_elements : std::min(rates.load_elements, rates.mesh[2]);
}

/// Cycles of a product that does not fit, without its matrices.
struct gemt_estimate {
    double port = 0;    ///< of loads and unloads
    double compute = 0; ///< of time-steps
    double cycles = 0;  ///< of both: with double buffering the longer one of each stage, and what is never beside work
};
gemt_estimate estimate_gemt(const gemt_command& command, const gemt_rates& rates);

/// The command with the number of partials, unless it has one, and the conversions of X and Y that the estimate finds
/// fastest. Of equal ones the first of fewer conversions, then of fewer partials. `convert`: X and Y may be converted;
/// they are in rows then. A command that fits is returned as it is.
gemt_command choose_gemt(const gemt_command& command, const gemt_rates& rates, bool convert);

/// Least elements that a stage-by-stage product moves between memory and cells, whatever its order of passes and its
/// tiles.
///
/// Every stage reads its input and writes its output at least once. Cells on one line along the summed mode hold L
/// words of a fibre, the mesh's size times a cell's registers. Between two moments at which L words have passed the
/// port for this fibre, at most 2 L of its elements were in these cells, so at most L x L multiply-adds of the fibre
/// were done. N K of them need at least N K / L - L words. A product that fits moves X in and Y out.
std::uint64_t least_elements(const gemt_command& command, const gemt_rates& rates);

} // namespace tensorloom::triada
