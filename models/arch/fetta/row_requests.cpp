#include <tensorloom/models/arch/fetta/row_requests.h>
#include <algorithm>

namespace tensorloom::arch::fetta {

namespace {

// A power of two, at least twice as many: probes stay short.
std::size_t places_for(unsigned most)
{
    std::size_t places = 2;
    while (places < 2 * std::size_t{most}) { places *= 2; }
    return places;
}

// Fibonacci hashing: rows at any power of two from each other spread.
std::size_t first_probe(std::uint64_t row, unsigned bank)
{
    return static_cast<std::size_t>((row << 7 ^ bank) * 0x9e3779b97f4a7c15u >> 32);
}

} // namespace

row_requests::row_requests(unsigned banks, unsigned most) : m_places(places_for(most)), m_queues(banks)
{
    m_rows.reserve(most);
}

void row_requests::clear()
{
    m_rows.clear();
    ++m_stamp;
    m_cycles = 0;
}

unsigned row_requests::add(std::uint64_t row, unsigned bank)
{
    std::size_t at = first_probe(row, bank) & (m_places.size() - 1);
    while (m_places[at].stamp == m_stamp) {
        const request& there = m_rows[m_places[at].index];
        if (there.row == row && there.bank == bank) { return m_places[at].index; }
        at = (at + 1) & (m_places.size() - 1);
    }
    const auto index = static_cast<unsigned>(m_rows.size());
    queue& waiting = m_queues[bank];
    if (waiting.stamp != m_stamp) { waiting = {m_stamp, 0}; }
    m_rows.push_back({row, bank, waiting.rows++});
    m_places[at] = {m_stamp, index};
    m_cycles = std::max(m_cycles, waiting.rows);
    return index;
}

} // namespace tensorloom::arch::fetta
