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
    // The loops inside the advancing loop restart at its address; if all have wrapped, at the base.
    const std::int64_t begins = moved > 0 ? m_began[moved] + m_loop[moved - 1].stride : m_began[0];
    std::fill(m_began.begin() + moved, m_began.begin() + m_loops + 1, begins);
    return moved > 0 ? moved - 1 : m_loops;
}

void digit_counter::start(const index_digit* digits, unsigned count)
{
    std::copy_n(digits, count, m_digit.begin());
    m_value.fill(0);
    m_digits = count;
    m_flat = 0;
    m_address = 0;
}

void digit_counter::divide(std::uint64_t flat)
{
    m_address = 0;
    std::uint64_t rest = flat;
    for (unsigned d = m_digits; d-- > 0;) {
        m_value[d] = rest % m_digit[d].size;
        rest /= m_digit[d].size;
        m_address += static_cast<std::int64_t>(m_value[d]) * m_digit[d].stride;
    }
    m_flat = flat;
}

void digit_counter::step()
{
    unsigned d = m_digits;
    while (d > 0 && ++m_value[d - 1] == m_digit[d - 1].size) {
        --d;
        m_value[d] = 0;
        m_address -= static_cast<std::int64_t>(m_digit[d].size - 1) * m_digit[d].stride;
    }
    if (d > 0) {
        m_address += m_digit[d - 1].stride;
        ++m_flat;
    } else {
        m_flat = 0;
    }
}

} // namespace tensorloom::blocks
