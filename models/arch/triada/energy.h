#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/arch/costs/energy.h>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/models/arch/triada/events.h>

namespace tensorloom::arch::triada {

/// What the energy of a TriADA device depends on.
struct geometry {
    std::array<unsigned, 3> mesh{}; ///< cells along modes 1, 2 and 3
    element_type format = element_type::f64;
    unsigned vertical_mode = 2; ///< 1 to 3: lines along this mode go through stacked tiers; 0: no mode is vertical
    /// An actuator's streaming memory is banks of this size; an access reads one element.
    std::uint64_t actuator_bank_bytes = 8192;
};

/// Costs of `events`, with the leakage of the whole mesh as component "leakage".
///
///     mac                 energy.cell.mac.<format>
///     registers           energy.cell.register_read / register_write in the accumulator's format (bf16: f32, int8:
///                         int32)
///     hop, planar mode    bits x cell_pitch.<format> x wire.on_chip
///     hop, vertical mode  bits x wire.via
///     actuators           energy.sram.access_64bit at actuator_bank_bytes x element bits / 64 (an estimate)
///     leakage             cells x leakage.cell.<format>
///
/// A coefficient hop moves the element and its tag bit, an operand hop the element. Not charged: idle actuators, clock
/// tree, control. Throws input_error for a missing key, an empty mesh or an unknown mode.
energy_model device_energy(const technology& tech, const geometry& geometry);

} // namespace tensorloom::arch::triada
