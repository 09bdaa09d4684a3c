#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace tensorloom::bus {

/// When a resource that does one thing at a time is taken: stretches of time that do not overlap, in ticks of any
/// length.
///
/// Initiators that run ahead of simulated time ask out of order, so a stretch may be booked before one that was booked
/// earlier. The latest `limit` separate stretches are kept for sure; beyond, the earliest may be forgotten and count as
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

    /// The first free stretch of at least `length` from `time` on; it begins at `time` or later, and ends where the
    /// next booking begins.
    stretch free_from(std::uint64_t time, std::uint64_t length) const
    {
        if (m_booked.empty() || time >= m_booked.back().end) { return {time, for_ever}; }
        return gap_from(time, length);
    }

    /// Takes begin..end, which is free and not empty.
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

    /// Nobody will ask about the time before `time` any more.
    void forget_before(std::uint64_t time);

    void clear() { m_booked.clear(); }

private:
    stretch gap_from(std::uint64_t time, std::uint64_t length) const;
    void book_between(std::uint64_t begin, std::uint64_t end);

    std::vector<stretch> m_booked; // ascending, apart from each other
};

} // namespace tensorloom::bus
