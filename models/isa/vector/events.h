#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tensorloom/models/base/values/event_table.h>

namespace tensorloom::isa::vector {

/// The events of a vector unit. A device counts them as events of its own table (event_map).
enum class event : std::size_t {
    vector_instruction,
    vector_element,
    vector_circuit,
    lane_add,
    lane_multiply,
    lane_multiply_add,
    lane_function,
    lane_logic,
    lane_move,
    revspec_op,
    compact_op,
    revert_op,
    cpu_op,
    scratchpad_read,
    scratchpad_write,
    word_overflowed,
    word_saturated,
    count_
};

inline constexpr std::size_t event_count = static_cast<std::size_t>(event::count_);

inline constexpr base::event_definition event_definitions[] = {
    {"vector_instruction", "", "An instruction of the vector unit: one step."},
    {"vector_element", "", "Elements of the longest operand or result of a vector instruction."},
    {"vector_circuit", "",
     "Gates of the vector instruction's circuit by the MMV-RAM model: the leading term, with constant 1."},
    {"lane_add", "vector_unit", "A lane adds or subtracts."},
    {"lane_multiply", "vector_unit", "A lane multiplies."},
    {"lane_multiply_add", "vector_unit", "A lane multiplies and adds, rounding once."},
    {"lane_function", "vector_unit",
     "A lane computes an exponential, logarithm, hyperbolic tangent, quotient, square root or random number."},
    {"lane_logic", "vector_unit", "A lane selects, compares, or combines flags or bits."},
    {"lane_move", "vector_unit", "A lane copies a word."},
    {"revspec_op", "vector_unit", "The block REVSPEC handles a word."},
    {"compact_op", "vector_unit", "The block COMPACT handles a word."},
    {"revert_op", "vector_unit", "The block REVERT handles a word."},
    {"cpu_op", "", "Processor operations of the tensor-unit model, as given in a REPL."},
    {"scratchpad_read", "scratchpad", "A word that the vector unit reads."},
    {"scratchpad_write", "scratchpad", "A word that the vector unit writes."},
    {"word_overflowed", "", "An integer result outside the range of its words; the command ends with an error."},
    {"word_saturated", "", "A word that PACK_INT8 saturates to -128 or 127."},
};

static_assert(base::is_table_of<event>(event_definitions), "one definition per event, in the same order");

using counts = base::event_counts<event, event_count>;

/// For the table of a device that has the same event.
constexpr const base::event_definition& definition_of(event e)
{
    return event_definitions[static_cast<std::size_t>(e)];
}

/// Maps the events of a vector unit to those of its device: for each, an index in the device's table, or none.
struct event_map {
    static constexpr std::size_t none = ~std::size_t{0};

    std::size_t device_events = 0; ///< events in the device's table
    std::array<std::size_t, event_count> row{};

    constexpr event_map()
    {
        for (auto& r : row) { r = none; }
    }

    constexpr std::size_t& operator[](event e) { return row[static_cast<std::size_t>(e)]; }

    /// Adds counts of the unit to those of the device.
    void add(const counts& unit, std::uint64_t* device) const
    {
        for (std::size_t e = 0; e < event_count; ++e) {
            if (row[e] != none) { device[row[e]] += unit.data()[e]; }
        }
    }
};

/// Maps each event of the unit to the device's event of the same name.
constexpr event_map map_by_name(const base::event_table& device)
{
    event_map map;
    map.device_events = device.size;
    for (std::size_t e = 0; e < event_count; ++e) {
        for (std::size_t d = 0; d < device.size; ++d) {
            if (std::string_view(device.events[d].name) == event_definitions[e].name) { map.row[e] = d; }
        }
    }
    return map;
}

} // namespace tensorloom::isa::vector
