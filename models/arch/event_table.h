#pragma once
#include <cstddef>

namespace tensorloom::arch {

/// One kind of event that a module counts. Counts are integers and only grow.
struct event_definition {
    const char* name;      ///< "mac", "operand_send", ...
    const char* component; ///< the line of the energy report that it is charged to; "" when it costs nothing itself
    const char* meaning;   ///< one sentence for docs/events.md
};

/// The events of a module, in the order of its counters.
struct event_table {
    const event_definition* events;
    std::size_t size;
};

template <std::size_t N> constexpr event_table make_event_table(const event_definition (&events)[N])
{
    return event_table{events, N};
}

} // namespace tensorloom::arch
