#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/costs/area.h>
#include <tensorloom/models/costs/dma_costs.h>
#include <tensorloom/models/costs/energy.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/triada/isa/events.h>

namespace tensorloom::triada {

/// Cycles of the X and Y lines in a time-step.
inline constexpr unsigned lines_cycles = 2;

/// Parameters of the energy and the area of a TriADA device.
struct energy_parameters {
    std::array<unsigned, 3> mesh{}; ///< cells along modes 1, 2 and 3
    base::element_type format = base::element_type::f64;
    unsigned vertical_mode = 2; ///< 1 to 3: lines along this mode go through stacked tiers; 0: no mode is vertical
    /// Charges the strobe that begins a time-step, as component "strobe": a wire of our model, not of the paper.
    bool strobe = false;
    unsigned registers = 4;            ///< that store elements of tensors, of a cell
    unsigned step_cycles = 3;          ///< clock cycles of a time-step: X line, Y line and multiply-add
    unsigned mac_latency = 1;          ///< of these at least for the multiply-add, which takes a third if that is more
    unsigned load_elements = 0;        ///< that the memory port moves in a cycle; 0: not charged
    unsigned aligned_elements = 8;     ///< of these, that it moves from any place on; 0: it has no aligner
    std::uint32_t matrix_elements = 0; ///< coefficients that an actuator holds; 0: a matrix as wide as the mesh
    std::uint32_t look_ahead = 0;      ///< rows in view of the stage control, at most the sides of the mesh; 0: all
    /// Bank size of an actuator's streaming memory; an access reads one element.
    std::uint64_t actuator_bank_bytes = 8192;
    costs::dma_build dma{}; ///< adds components "dma" and "program_buffer"
};

/// Bits that every cell of the mesh reads at the start of a time-step: the strobe, the registers that it reads and
/// writes (2 bits each), the mode of its Y line (2), ESOP (1), and for int8 the shift of its sums (5).
unsigned strobe_bits(base::element_type format);

/// Costs of `events`, and the leakage of device_area().
///
///     mac                 energy.cell.mac.<format>
///     compare             as a multiply-add, an upper bound (an estimate)
///     registers           energy.cell.register_read / register_write in the accumulator's format (bf16: f32, int8:
///                         int32)
///     hop, planar mode    bits x cell_distances_um() x wire.on_chip
///     hop, vertical mode  bits x wire.via
///     actuators           energy.sram.access_64bit at actuator_bank_bytes x element bits / 64 (an estimate)
///     leakage             leakage.die.logic x cells, control and memory port + leakage.die.sram x actuators
///     strobe, optional    per step: strobe_bits() x (cells x costs::cell_pitch_um() x wire.on_chip + tiers x wire.via)
///
/// A coefficient hop moves the element and its tag bit, an operand hop the element. Not charged: clock tree, control,
/// and by default the strobe. Throws input_error for a missing key, an empty mesh or an unknown mode.
costs::energy_model device_energy(const costs::technology& tech, const energy_parameters& parameters);

/// Distance of adjacent cells along each mode: costs::cell_pitch_um(), and 0 along the vertical mode. Without one the
/// layers along the shortest mode (of several the last) lie in one plane as by costs::lay_flat().
std::array<costs::figure, 3> cell_distances_um(const costs::technology& tech, const energy_parameters& parameters);

/// Bytes of the cells' registers, each a sum, and of the actuators' memories.
std::uint64_t on_chip_bytes(const energy_parameters& parameters);

/// Area of "cells", "actuators", "control" and "memory_port". A cell has the gates of
/// costs::mesh_cell_gates(); cells are stacked in tiers along the vertical mode. Where the technology gives their
/// pitch, its square is given, too. "actuators" are the banks of the streaming memories, "control"
/// costs::stage_control_gates() of the rows in view, "memory_port" costs::aligner_gates() and two registers of the
/// elements that it moves. The longest line lies along
/// a planar mode. It and the multiply-add have a third of a time-step each, or lines what the multiply-add leaves them;
/// in a shorter one all lie in a row. Throws like device_energy().
costs::floor_plan device_area(const costs::technology& tech, const energy_parameters& parameters);

} // namespace tensorloom::triada
