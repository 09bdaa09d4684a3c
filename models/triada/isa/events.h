#pragma once
#include <cstddef>
#include <tensorloom/models/base/values/event_table.h>

namespace tensorloom::triada {

/// Events of a TriADA device, in the order of the counter window of its registers and of every log.
///
/// Lines are lateral (along mode 1), frontal (mode 2) or horizontal (mode 3). A send charges every cell position that
/// its line passes: one hop each, over the whole mesh or over the active box (line_extent).
enum class event : std::size_t {
    step,
    step_skipped,
    coefficient_read,
    coefficient_write,
    coefficient_send,
    operand_send,
    lateral_coefficient_hop,
    frontal_coefficient_hop,
    horizontal_coefficient_hop,
    lateral_operand_hop,
    frontal_operand_hop,
    horizontal_operand_hop,
    register_read,
    register_write,
    mac,
    mac_skipped,
    operand_saturated,
    mac_overflowed,
    compare,
    element_load,
    element_unload,
    load_cycle,
    unload_cycle,
    overlapped_cycle,
    count_
};

inline constexpr std::size_t event_count = static_cast<std::size_t>(event::count_);

inline constexpr base::event_definition event_definitions[] = {
    {"step", "",
     "A time-step: one tagged vector streamed and one rank-1 update of every slice, or nothing sent (look-ahead)."},
    {"step_skipped", "", "A row of a coefficient matrix that is all zero and was not streamed (ESOP); takes no time."},
    {"coefficient_read", "actuators",
     "A coefficient read from an actuator's streaming memory (once per step, not per slice)."},
    {"coefficient_write", "actuators", "A coefficient written into an actuator's streaming memory."},
    {"coefficient_send", "", "A coefficient with its tag driven onto one X line (once per slice)."},
    {"operand_send", "", "A pivot cell's stored operand driven onto its Y line."},
    {"lateral_coefficient_hop", "lines",
     "A coefficient and its tag pass one cell position of a lateral line (mode 1)."},
    {"frontal_coefficient_hop", "lines",
     "A coefficient and its tag pass one cell position of a frontal line (mode 2)."},
    {"horizontal_coefficient_hop", "lines",
     "A coefficient and its tag pass one cell position of a horizontal line (mode 3)."},
    {"lateral_operand_hop", "lines", "An operand passes one cell position of a lateral line (mode 1)."},
    {"frontal_operand_hop", "lines", "An operand passes one cell position of a frontal line (mode 2)."},
    {"horizontal_operand_hop", "lines", "An operand passes one cell position of a horizontal line (mode 3)."},
    {"register_read", "registers",
     "A cell reads a register: the operand it drives, the coefficient and the sum of a MAC (whose operand comes from "
     "the Y line), an element unloaded."},
    {"register_write", "registers",
     "A cell writes a register: the coefficient it latches, the sum of a MAC, an element loaded."},
    {"mac", "mac", "One multiply-add in a cell (a complex one costs four real ones)."},
    {"mac_skipped", "", "A multiply-add of the dense algorithm that a cell of the active box did not do (ESOP)."},
    {"operand_saturated", "", "A sum that saturated when it became an operand or was unloaded (int8)."},
    {"mac_overflowed", "", "A multiply-add whose exact sum left the accumulator's range; the sum wraps (int8)."},
    {"compare", "mac",
     "An element compared with a threshold or with zero in a pointwise step, by the multiply-add unit."},
    {"element_load", "", "An element of a tensor loaded through the memory port of the cells."},
    {"element_unload", "", "An element of a tensor unloaded through the memory port of the cells."},
    {"load_cycle", "", "A cycle in which the memory port was busy loading."},
    {"unload_cycle", "", "A cycle in which the memory port was busy unloading."},
    {"overlapped_cycle", "", "A load or unload cycle in which the cells also computed (double buffering)."},
};

inline constexpr base::event_table events = base::make_event_table(event_definitions);
static_assert(base::is_table_of<event>(event_definitions), "one definition per event, in the same order");

using counts = base::event_counts<event, event_count>;

/// Unit of a record's utilisation: multiply-adds done as a share of those possible.
inline constexpr char utilisation_unit[] = "of active cells";

/// The hop event of lines along `mode` (0, 1, 2).
constexpr event coefficient_hop(unsigned mode)
{
    return static_cast<event>(static_cast<std::size_t>(event::lateral_coefficient_hop) + mode);
}
constexpr event operand_hop(unsigned mode)
{
    return static_cast<event>(static_cast<std::size_t>(event::lateral_operand_hop) + mode);
}

} // namespace tensorloom::triada
