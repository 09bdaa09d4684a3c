#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <tensorloom/models/arch/values/event_table.h>

namespace tensorloom::arch::mmv {

/// What an MMU/VCU pair counts. The order is that of the counter window of its registers and of every log: new events
/// go to the end.
enum class event : std::size_t {
    matmul_call,
    matmul_row,
    mac,
    weight_load,
    weight_write,
    vector_instruction,
    vector_element,
    vector_circuit,
    lane_add,
    lane_multiply,
    lane_logic,
    lane_move,
    revspec_op,
    compact_op,
    revert_op,
    scalar_instruction,
    scalar_op,
    cpu_op,
    scratchpad_read,
    scratchpad_write,
    mac_overflowed,
    word_overflowed,
    overlapped_cycle,
    lane_multiply_add,
    lane_function,
    count_
};

inline constexpr std::size_t event_count = static_cast<std::size_t>(event::count_);

inline constexpr event_definition event_definitions[] = {
    {"matmul_call", "", "A MATMUL: one step of the matrix unit."},
    {"matmul_row", "", "A row of the left operand streams through the array."},
    {"mac", "matrix_unit", "A multiply-add of the array: rows x s x s, also where the weight is 0."},
    {"weight_load", "", "A MATMUL whose weights were not in the array yet."},
    {"weight_write", "matrix_unit", "A weight enters the array: s x s per load."},
    {"vector_instruction", "", "An instruction of the vector unit: one step."},
    {"vector_element", "", "Elements of the longest operand or result of a vector instruction."},
    {"vector_circuit", "",
     "Gates of the vector instruction's circuit by the MMV-RAM model: the leading term, with constant 1."},
    {"lane_add", "vector_unit", "A lane adds or subtracts."},
    {"lane_multiply", "vector_unit", "A lane multiplies."},
    {"lane_logic", "vector_unit", "A lane selects, compares, or combines flags or bits."},
    {"lane_move", "vector_unit", "A lane copies a word."},
    {"revspec_op", "vector_unit", "The block REVSPEC handles a word."},
    {"compact_op", "vector_unit", "The block COMPACT handles a word."},
    {"revert_op", "vector_unit", "The block REVERT handles a word."},
    {"scalar_instruction", "", "An instruction of the scalar unit, CHARGE aside: one step of the MMV-RAM model."},
    {"scalar_op", "scalar_unit", "An operation of the scalar unit; CHARGE counts its cpu_ops, whose time it takes."},
    {"cpu_op", "", "Operations that the tensor-unit model charges the processor with, as the commands say."},
    {"scratchpad_read", "scratchpad", "A word read from the scratchpad by a unit or a STORE."},
    {"scratchpad_write", "scratchpad", "A word written into the scratchpad by a unit or a LOAD."},
    {"mac_overflowed", "",
     "A multiply-add whose exact sum is outside of the accumulators' range; the command ends in an error."},
    {"word_overflowed", "",
     "An integer result of the vector or scalar unit outside of the words' range; the command ends in an error."},
    {"overlapped_cycle", "", "A cycle in which a unit worked while the program waited for another one, or for none."},
    {"lane_multiply_add", "vector_unit", "A lane multiplies and adds, rounding once."},
    {"lane_function", "vector_unit", "A lane computes an exponential, hyperbolic tangent, quotient or square root."},
};

static_assert(sizeof event_definitions / sizeof event_definitions[0] == event_count, "one definition per event");

inline constexpr event_table events = make_event_table(event_definitions);

using counts = event_counts<event, event_count>;

} // namespace tensorloom::arch::mmv
