#pragma once
#include <cstddef>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/models/isa/vector/events.h>

namespace tensorloom::mmv {

/// Events of an MMU/VCU pair, in the order of the counter window of its registers and of every log; new events are
/// added at the end.
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
    word_saturated,
    sum_added,
    count_
};

inline constexpr std::size_t event_count = static_cast<std::size_t>(event::count_);

inline constexpr base::event_definition event_definitions[] = {
    {"matmul_call", "", "A MATMUL: one step of the matrix unit."},
    {"matmul_row", "", "A row of the left operand streams through the array."},
    {"mac", "matrix_unit", "A multiply-add of the array: rows x s x s, weights of 0 included."},
    {"weight_load", "", "A MATMUL whose weights were not in the array yet."},
    {"weight_write", "matrix_unit", "A weight enters the array: s x s per load."},
    isa::vector::definition_of(isa::vector::event::vector_instruction),
    isa::vector::definition_of(isa::vector::event::vector_element),
    isa::vector::definition_of(isa::vector::event::vector_circuit),
    isa::vector::definition_of(isa::vector::event::lane_add),
    isa::vector::definition_of(isa::vector::event::lane_multiply),
    isa::vector::definition_of(isa::vector::event::lane_logic),
    isa::vector::definition_of(isa::vector::event::lane_move),
    isa::vector::definition_of(isa::vector::event::revspec_op),
    isa::vector::definition_of(isa::vector::event::compact_op),
    isa::vector::definition_of(isa::vector::event::revert_op),
    {"scalar_instruction", "", "An instruction of the scalar unit, CHARGE aside: one step of the MMV-RAM model."},
    {"scalar_op", "scalar_unit", "An operation of the scalar unit; a CHARGE counts its cpu_ops."},
    {"cpu_op", "", "Processor operations charged by the tensor-unit model; each command states its number."},
    {"scratchpad_read", "scratchpad", "A word read from the scratchpad by a unit or a STORE."},
    {"scratchpad_write", "scratchpad", "A word written into the scratchpad by a unit or a LOAD."},
    {"mac_overflowed", "",
     "A multiply-add whose exact sum is outside of the accumulators' range; the command ends in an error."},
    {"word_overflowed", "",
     "An integer result of the vector or scalar unit outside of the words' range; the command ends in an error."},
    {"overlapped_cycle", "", "A cycle in which a unit worked while the program waited for another unit or for none."},
    isa::vector::definition_of(isa::vector::event::lane_multiply_add),
    isa::vector::definition_of(isa::vector::event::lane_function),
    isa::vector::definition_of(isa::vector::event::word_saturated),
    {"sum_added", "matrix_unit", "A PRODUCT adds a sum of the array to the word in the scratchpad."},
};

static_assert(base::is_table_of<event>(event_definitions), "one definition per event, in the same order");

inline constexpr base::event_table events = base::make_event_table(event_definitions);

using counts = base::event_counts<event, event_count>;

/// Unit of a record's utilisation: multiply-adds done as a share of those possible.
inline constexpr char utilisation_unit[] = "of PEs";

} // namespace tensorloom::mmv
