#include <tensorloom/tlm/reservation_table.h>
#include <algorithm>

namespace tensorloom::bus {

reservation_table::stretch reservation_table::gap_from(std::uint64_t time, std::uint64_t length) const
{
    auto next = std::partition_point(m_booked.begin(), m_booked.end(), [&](const stretch& s) { return s.end <= time; });
    for (; next != m_booked.end(); ++next) {
        if (next->begin > time && next->begin - time >= length) { return {time, next->begin}; }
        time = std::max(time, next->end);
    }
    return {time, for_ever};
}

void reservation_table::book_between(std::uint64_t begin, std::uint64_t end)
{
    // The first interval that ends at `begin` or later: extend it, prepend to it, join it with its neighbour, or insert
    // a new one.
    const auto next =
        std::partition_point(m_booked.begin(), m_booked.end(), [&](const stretch& s) { return s.end < begin; });
    const auto after = next->end == begin ? std::next(next) : next;
    const bool joins_before = next->end == begin;
    const bool joins_after = after != m_booked.end() && after->begin == end;
    if (joins_before && joins_after) {
        next->end = after->end;
        m_booked.erase(after);
    } else if (joins_before) {
        next->end = end;
    } else if (joins_after) {
        after->begin = begin;
    } else {
        m_booked.insert(next, {begin, end});
    }
}

void reservation_table::forget_before(std::uint64_t time)
{
    const auto past = [&](const stretch& s) { return s.end <= time; };
    m_booked.erase(m_booked.begin(), std::partition_point(m_booked.begin(), m_booked.end(), past));
}

} // namespace tensorloom::bus
