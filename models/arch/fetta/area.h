#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/arch/costs/technology.h>

namespace tensorloom::arch::fetta {

/// Area of one block of a device (a line of a report).
struct component_area {
    std::string component; ///< as in `fetta::events`; "others"
    double um2 = 0;
    bool estimate = false;
};

/// Area of a FETTA: `area.<block>` of the technology (Table III of the paper), which is that of 16 engines of 4 x 4 PEs
/// for bfloat16 with 512 KB and 128 KB of memory and 64 lanes. The sum over blocks is the total; the table's printed
/// total omits the row Others.
///
/// Other geometries, all estimates: engines in proportion to N P^2 and to the energy of a multiply-add (as the pitch of
/// a cell); distribution networks to N P (log2 N + 1) and the bits of an operand; reduction network to N P log2 N and,
/// as accumulators, which go with their bytes, not to the format of partial sums, which the paper does not give;
/// unified memory to its bytes; vector unit to its lanes; others stay. Gather and scatter buffers are not the paper's
/// and have none. Throws input_error for a missing key, energies that make no finite ratio, or a geometry that is none.
std::vector<component_area> device_area(const technology& tech, const geometry& g, std::uint32_t lanes);

double total_um2(const std::vector<component_area>& areas);

} // namespace tensorloom::arch::fetta
