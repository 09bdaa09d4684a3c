#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tensorloom::bus {

/// Reserved intervals of a resource that serves one request at a time. Intervals do not overlap; times are in ticks of
/// any length.
///
/// Initiators that run ahead of simulated time ask out of order, so an interval may be booked before one that was
/// booked earlier. The latest `limit` separate intervals are kept; earlier ones may be forgotten and then count as
/// free.
///
/// Example
///
///     bus::reservation_table link;
///     const auto free = link.free_from(100, 8);
///     link.book(free.begin, free.begin + 8);
class reservation_table {
public:
    static constexpr std::size_t limit = 4096;
    static constexpr std::uint64_t for_ever = std::numeric_limits<std::uint64_t>::max();

    struct stretch {
        std::uint64_t begin;
        std::uint64_t end; ///< exclusive
    };

    /// The first free interval of at least `length` that begins at `time` or later; it ends where the next booking
    /// begins.
    stretch free_from(std::uint64_t time, std::uint64_t length) const
    {
        if (m_booked.empty() || time >= m_booked.back().end) { return {time, for_ever}; }
        return gap_from(time, length);
    }

    /// Books begin..end, which must be free and not empty.
    void book(std::uint64_t begin, std::uint64_t end)
    {
        if (m_booked.size() >= 2 * limit) { m_booked.erase(m_booked.begin(), m_booked.end() - limit); }
        if (m_booked.empty() || begin > m_booked.back().end) {
            m_booked.push_back({begin, end});
        } else if (begin == m_booked.back().end) {
            m_booked.back().end = end;
        } else {
            book_between(begin, end);
        }
    }

    /// No later call asks for the time before `time`.
    void forget_before(std::uint64_t time);

    void clear() { m_booked.clear(); }

private:
    stretch gap_from(std::uint64_t time, std::uint64_t length) const;
    void book_between(std::uint64_t begin, std::uint64_t end);

    std::vector<stretch> m_booked; // ascending, separate
};

} // namespace tensorloom::bus
