#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tensorloom::base {

/// One kind of event that a module counts. Counts are integers and only grow.
struct event_definition {
    const char* name;      ///< "mac", "operand_send", ...
    const char* component; ///< the line of the energy report that it is charged to; "" for an event without energy
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

/// True for the names of these enumerators, which GCC and Clang append to the function's name, each with its
/// namespaces: "[with auto ...Enumerators = {fetta::event::mac, fetta::event::tile}]".
template <auto... Enumerators> constexpr bool are_names_of(const event_definition* events)
{
    const char* at = __PRETTY_FUNCTION__;
    while (*at != '=') { ++at; }
    for (std::size_t e = 0; e < sizeof...(Enumerators); ++e, ++at) {
        const char* name = at; // after the last colon
        for (; *at != ',' && *at != '\0'; ++at) {
            if (*at == ':') { name = at + 1; }
        }
        for (const char* c = events[e].name; *c != '\0'; ++c, ++name) {
            if (*c != *name) { return false; }
        }
        if (*name != ',' && *name != '}' && *name != '>') { return false; }
    }
    return true;
}
template <class Event, std::size_t... Index>
constexpr bool are_names_of(const event_definition* events, std::index_sequence<Index...>)
{
    return are_names_of<static_cast<Event>(Index)...>(events);
}

/// A table and its enumeration, which ends with count_, list the same names in the same order.
template <class Event, std::size_t N> constexpr bool is_table_of(const event_definition (&events)[N])
{
    return N == static_cast<std::size_t>(Event::count_) && are_names_of<Event>(events, std::make_index_sequence<N>());
}

/// Counts by event: `Event` is an enumeration of the table's events in their order, `Count` of them.
template <class Event, std::size_t Count> class event_counts {
public:
    std::uint64_t& operator[](Event e) { return m_counts[static_cast<std::size_t>(e)]; }
    std::uint64_t operator[](Event e) const { return m_counts[static_cast<std::size_t>(e)]; }
    const std::uint64_t* data() const { return m_counts.data(); }
    std::uint64_t* data() { return m_counts.data(); }

    event_counts& operator+=(const event_counts& other)
    {
        for (std::size_t e = 0; e < Count; ++e) { m_counts[e] += other.m_counts[e]; }
        return *this;
    }
    friend bool operator==(const event_counts& a, const event_counts& b) { return a.m_counts == b.m_counts; }

private:
    std::array<std::uint64_t, Count> m_counts{};
};

} // namespace tensorloom::base
