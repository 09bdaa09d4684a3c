#pragma once
#include <cstdint>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/costs/area.h>
#include <tensorloom/models/costs/dma_costs.h>
#include <tensorloom/models/costs/energy.h>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/models/mmv/isa/instruction_set.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/costs/technology.h>

namespace tensorloom::mmv {

/// Parameters of the energy and the area of an MMU/VCU pair.
struct energy_parameters {
    std::uint32_t side = 16; ///< s: rows and columns of the array
    base::element_type format = base::element_type::int64;
    std::uint32_t pipeline_depth = 1;        ///< cycles of a multiply-add in the array
    bool streaming = false;                  ///< the array's elements have a second weight
    std::uint32_t in_words = 0;              ///< elements per cycle into the array; 0: as the side
    std::uint32_t out_words = 0;             ///< words per cycle out of the array; 0: as the side
    std::uint32_t lanes = 64;                ///< of the vector unit
    std::uint8_t blocks = functional_blocks; ///< of the vector unit, by isa::vector::functional_block
    std::uint32_t scalar_ops = 1;            ///< operations per cycle of the scalar unit
    std::uint64_t scratchpad_bytes = 1u << 20;
    std::uint32_t banks = 64;     ///< of the scratchpad, a word wide each
    std::uint32_t bank_ports = 4; ///< words that a bank moves per cycle: three operands and a result

    /// Factor on all costs of the vector unit, its leakage included. No paper gives these costs, so a comparison should
    /// also be made with half and with twice this factor.
    double vector_scale = 1;
    costs::dma_build dma{}; ///< adds components "dma" and "program_buffer"
};

/// Costs of `events`. Words have accumulator_type(format).
///
///     mac                   energy.cell.mac.<format>, and the registers of a PE: the weight read; operand and sum
///                           written, the sum in every cycle of the multiply-add
///     weight_write          (s + 1) / 2 x energy.cell.register_write.<format>: the mean of a load, in which weights
///                           move down the columns from PE to PE
///     lane_<work>           energy.vector.<work>.<word>; lane_multiply_add, lane_function: only of f64 and f32, with
///                           their block
///     revspec_op            s x energy.vector.revspec.<word> + energy.vector.add.<word>: s selects and a subtraction
///                           per word
///     compact_op            stages x energy.vector.compact.<word> + energy.vector.move.<word>
///     revert_op             stages x energy.vector.revert.<word> + energy.vector.add.<word>
///     scalar_op             energy.scalar.op.<word>
///     scratchpad_read,      energy.sram.access_64bit at the size and ports of a bank x word bits / 64, and the
///     scratchpad_write      crossbar of banks and lanes: word bits x costs::crossbar_wire_um() x wire.on_chip
///     leakage               leakage.die.logic x the units of device_area() + leakage.die.sram x its scratchpad
///
/// The terms of revspec, compact and revert are those of the MMV-RAM circuits (table A.2) in a pipelined
/// implementation: a word passes stages = ceil(log2(max(lanes, banks))) two-way switches between lanes and banks,
/// instead of the n of an all-to-all circuit. A lane has an adder, logic, and the blocks that the vector unit has:
/// another adder for reductions, logic for conversions. Not charged: other wires, instruction decoding, clock tree.
/// Throws input_error for a missing key, a size of 0, or a scale that is not a number of at least 0.
costs::energy_model device_energy(const costs::technology& tech, const energy_parameters& parameters);

/// Area of "matrix_unit", s^2 processing elements with weight, operand and sum, and for each further cycle of a
/// multiply-add a sum and a weight on its way down, and, streaming, a second weight; of "array_ports", a register for
/// each element and word that enters or leaves in a cycle; of "vector_unit" and "scalar_unit", scaled from a processing
/// element of the word by the ratio of their energy per cycle at full activity to that of its multiply-add, whatever
/// vector_scale is; and of "scratchpad", its banks and a crossbar for each word that a bank moves per cycle. The
/// longest line is a crossbar's, half the circumference of the scratchpad, and has a cycle to settle. All are
/// estimates. Throws like device_energy().
costs::floor_plan device_area(const costs::technology& tech, const energy_parameters& parameters);

} // namespace tensorloom::mmv
