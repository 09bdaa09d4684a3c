#pragma once
#include <cstddef>
#include <tensorloom/models/base/values/event_table.h>

namespace tensorloom::fetta {

/// Events of a FETTA, in the order of the counter window of its registers and of every log.
enum class event : std::size_t {
    contract,
    tile,
    compute_cycle,
    fill_cycle,
    reload_cycle,
    psum_cycle,
    conflict_cycle,
    mac,
    padding_mac,
    ia_row_read,
    ib_row_read,
    result_row_write,
    ia_element,
    ib_element,
    reduction_element,
    accumulator_psum,
    buffer_row,
    buffer_word,
    vector_instruction,
    vector_op,
    vector_word_read,
    vector_word_write,
    load_row,
    store_row,
    overlapped_cycle,
    count_
};

inline constexpr std::size_t event_count = static_cast<std::size_t>(event::count_);

/// A row is 8 bytes in the paper (side elements of 16 bits); a row of float32 counts as two.
inline constexpr base::event_definition event_definitions[] = {
    {"contract", "", "A CONTRACT: one contraction, or a block of one."},
    {"tile", "", "A tile of IB (stationary) or of the result (output-stationary) passes through the engines."},
    {"compute_cycle", "", "A step of the engines: rows of IA enter."},
    {"fill_cycle", "", "The engines and networks fill or drain."},
    {"reload_cycle", "", "The engines wait for the next tile of IB."},
    {"psum_cycle", "", "The engines wait for partial sums to leave."},
    {"conflict_cycle", "", "The engines wait for rows that lie in one bank of the unified memory."},
    {"mac", "engines", "A multiply-add of a PE whose operands are both tensor elements."},
    {"padding_mac", "engines", "A multiply-add of a PE with a padding zero as an operand."},
    {"ia_row_read", "unified_memory", "A row read for IA."},
    {"ib_row_read", "unified_memory", "A row read for IB."},
    {"result_row_write", "unified_memory", "A row of results written."},
    {"ia_element", "distribution_network", "An element that reaches a port of IA."},
    {"ib_element", "distribution_network", "An element that reaches a port of IB."},
    {"reduction_element", "reduction_network", "A partial sum that enters the reduction network."},
    {"accumulator_psum", "accumulation_unit", "A partial sum stored, added or passed on by the accumulation unit."},
    {"buffer_row", "buffers", "A row that a gather or scatter buffer stores."},
    {"buffer_word", "buffers",
     "A word of 16 bits that passes the crossbar of a gather or scatter buffer; an element of float32 is two."},
    {"vector_instruction", "", "An instruction of the vector unit."},
    {"vector_op", "vector_unit", "A lane of the vector unit does an operation."},
    {"vector_word_read", "unified_memory", "A word (float32) read by the vector unit: 4 bytes."},
    {"vector_word_write", "unified_memory", "A word (float32) written by the vector unit: 4 bytes."},
    {"load_row", "unified_memory", "A row written by a LOAD."},
    {"store_row", "unified_memory", "A row read by a STORE."},
    {"overlapped_cycle", "", "A cycle in which a unit worked while the program waited for another unit or for none."},
};

static_assert(base::is_table_of<event>(event_definitions), "one definition per event, in the same order");

inline constexpr base::event_table events = base::make_event_table(event_definitions);

using counts = base::event_counts<event, event_count>;

/// Busy cycles of the tensor contraction unit, bank conflicts included.
inline std::uint64_t engine_cycles(const counts& c)
{
    return c[event::compute_cycle] + c[event::fill_cycle] + c[event::reload_cycle] + c[event::psum_cycle] +
           c[event::conflict_cycle];
}

/// Unit of a record's utilisation: multiply-adds done as a share of those possible.
inline constexpr char utilisation_unit[] = "of PEs";

} // namespace tensorloom::fetta
