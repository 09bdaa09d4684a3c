#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <tensorloom/models/costs/area.h>
#include <tensorloom/models/costs/dma_costs.h>
#include <tensorloom/models/costs/energy.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/torus/isa/events.h>
#include <tensorloom/models/torus/isa/schedule.h>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::torus {

/// Parameters of the energy and the area of an orbital torus.
struct energy_parameters {
    std::uint32_t side = 1;                      ///< P
    std::array<std::uint32_t, 3> block{1, 1, 1}; ///< the largest block of a node, along modes 1, 2, 3
    base::element_type format = base::element_type::f64;
    unsigned macs_per_cycle = 1;       ///< multiply-add units of a node
    bool receives_beside_work = false; ///< overlap: incoming blocks need memory of their own beside the blocks in use
    bool folded = true;                ///< rings are folded
    /// Coefficients of all matrices that a node stores; at least a block of each.
    std::uint64_t coefficient_elements = 0;
    /// Links along this axis go through stacked tiers; none: no axis is vertical.
    std::optional<axis> vertical = axis::r;
    double cycles_per_pitch = 1; ///< cycles that a word takes along the side of a node
    unsigned mac_latency = 4;    ///< cycles of a multiply-add
    unsigned load_elements = 0;  ///< that the memory port moves in a cycle; 0: not charged
    unsigned link_words = 0;     ///< that a link moves in a cycle; 0: not charged
    costs::dma_build dma{};      ///< adds components "dma" and "program_buffer"
};

/// Words of a node's memory: a block each of X, X1, X2 and X3, the coefficients, and two more blocks if it receives
/// beside its work. With cubes of b and a block of each matrix that is 4 b^3 + 3 b^2, or 6 b^3 + 3 b^2.
std::uint64_t node_memory_words(const energy_parameters& parameters);
/// Bytes of a node's memory; blocks of a tensor store sums.
std::uint64_t node_memory_bytes(const energy_parameters& parameters);

/// Side of a node in um: of a square of macs_per_cycle multiply-add units with their registers
/// (processing_element_um2) and an SRAM of the node's memory (technology::sram_edge_um). An estimate.
costs::figure node_pitch_um(const costs::technology& tech, const energy_parameters& parameters);

/// Distance of adjacent nodes along each axis: node_pitch_um(), and 0 along the vertical axis. Without one the planes
/// of axis S lie in one plane as by costs::lay_flat(), and a hop along Q or R is as many nodes long as that puts
/// between.
std::array<costs::figure, 3> node_distances_um(const costs::technology& tech, const energy_parameters& parameters);

/// The longest link in um along the planar axes: between nodes 2 apart in a folded ring, P - 1 otherwise.
costs::figure longest_wire_um(const costs::technology& tech, const energy_parameters& parameters);

/// Costs of `events`, and the leakage of device_area().
///
///     mac                   energy.cell.mac.<format> + (mac_latency - 1) x energy.cell.register_write of a sum
///     compare               energy.cell.mac.<format>, an upper bound
///     register_read,        energy.cell.register_read / register_write in the accumulator's format, + 1/b of an access
///     register_write        to the node's memory in that format
///     block_read,           an access to the node's memory, x element bits / 64
///     block_write,
///     coefficient_copy
///     link_word_pitch_*,    element bits x node_distances_um() x wire.on_chip; along the vertical axis bits x wire.via
///     line_word_pitch_*
///     leakage               leakage.die.logic x nodes + leakage.die.sram x node_memory
///
/// An access to the node's memory is technology::local_memory_access() at its size. With blocks of one element the
/// memory *is* registers: an access is a register access, no separate memory fills them, and they are part of the node.
/// 1/b is the mean over the modes: a word that a multiply-add unit reads from or writes to the node's memory serves as
/// many multiply-adds as a block has elements along a mode.
/// Not charged: the memory port, clock tree, control. Throws input_error for a missing key or a size of 0.
costs::energy_model device_energy(const costs::technology& tech, const energy_parameters& parameters);

/// Area of "nodes", the multiply-add units with registers for operand, coefficient and sum, and for each further cycle
/// of a multiply-add an operand and a sum; of "node_memory", an SRAM per node (none with blocks of one element); of
/// "memory_port", two registers of the elements that it moves; and of "links", for each axis of a node a register of
/// the words that arrive. Both are stacked in tiers along the vertical axis; their sum is also given by node_pitch_um()
/// squared. The longest line is the longest planar link, which has a hop to settle. Throws like device_energy().
costs::floor_plan device_area(const costs::technology& tech, const energy_parameters& parameters);

} // namespace tensorloom::torus
