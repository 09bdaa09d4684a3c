#pragma once
#include <cstddef>
#include <cstdint>
#include <map>

namespace tensorloom::activity {

/// How long at least one of many intervals ran: the length of their union, exactly, whatever the order in which they
/// come.
///
/// Intervals that can no longer be joined are forgotten, so that memory does not grow with their number.
class busy_time {
public:
    /// An interval begin <= t < end. `settled`: none that comes later begins before it; it never decreases.
    void add(std::uint64_t begin, std::uint64_t end, std::uint64_t settled);
    std::uint64_t total() const;

    std::size_t pending() const { return m_pending.size(); } ///< intervals kept

private:
    std::map<std::uint64_t, std::uint64_t> m_pending; // begin, end: they neither overlap nor touch
    std::uint64_t m_settled = 0;
    std::uint64_t m_closed = 0; // length of the intervals that are forgotten
};

} // namespace tensorloom::activity
