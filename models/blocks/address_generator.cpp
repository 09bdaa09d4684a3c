#include <tensorloom/models/blocks/address_generator.h>
#include <algorithm>

namespace tensorloom::blocks {

void address_generator::start(std::int64_t base, const address_loop* loops, unsigned count)
{
    std::copy_n(loops, count, m_loop.begin());
    m_counter.fill(0);
    m_began.fill(base);
    m_loops = count;
}

unsigned address_generator::step()
{
    unsigned moved = m_loops;
    while (moved > 0 && ++m_counter[moved - 1] == m_loop[moved - 1].count) { m_counter[--moved] = 0; }
    // All inside of the loop that moves, and those that have wrapped when none does, begin where it stands.
    const std::int64_t begins = moved > 0 ? m_began[moved] + m_loop[moved - 1].stride : m_began[0];
    std::fill(m_began.begin() + moved, m_began.begin() + m_loops + 1, begins);
    return moved > 0 ? moved - 1 : m_loops;
}

} // namespace tensorloom::blocks
