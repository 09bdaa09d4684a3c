#pragma once
#include <cstddef>
#include <tensorloom/models/arch/values/event_table.h>

namespace tensorloom::bus {

enum class router_event : std::size_t { transaction, byte, unmapped, contended, contention_cycle, busy_cycle, count_ };

inline constexpr arch::event_definition router_event_definitions[] = {
    {"transaction", "", "A transaction forwarded by the router."},
    {"byte", "", "A byte of a forwarded transaction."},
    {"unmapped", "", "A transaction that no address range holds; answered with ADDRESS_ERROR."},
    {"contended", "", "A transaction that waited for its target's link or for its turn."},
    {"contention_cycle", "", "A cycle, begun or whole, that such a transaction waited."},
    {"busy_cycle", "", "A cycle in which a link to a target carried data (none with unlimited bandwidth)."},
};
inline constexpr arch::event_table router_events = arch::make_event_table(router_event_definitions);
static_assert(router_events.size == static_cast<std::size_t>(router_event::count_), "one definition per event");

} // namespace tensorloom::bus
