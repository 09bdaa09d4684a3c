#include <tensorloom/models/memory/dram_occupancy.h>

namespace tensorloom::memory {

unsigned* dram_history::used(tick span)
{
    if (span + spans < m_end) { return nullptr; }
    if (span >= m_end) {
        if (span - m_end >= spans) { // all stored spans are older than the new one
            std::fill(m_used.begin(), m_used.end(), 0);
        } else {
            for (tick s = m_end; s <= span; ++s) { m_used[s % spans] = 0; }
        }
        m_end = span + 1;
    }
    return &m_used[span % spans];
}

void dram_history::occupy_spans(tick from, tick cycles)
{
    while (cycles > 0) {
        const tick here = std::min(cycles, span_cycles - from % span_cycles);
        if (unsigned* u = used(from / span_cycles)) { *u += static_cast<unsigned>(here); }
        from += here;
        cycles -= here;
    }
}

std::optional<dram_history::tick> dram_history::place(tick from, unsigned cycles, tick limit)
{
    if (from >= limit) { return std::nullopt; }
    const tick first = from / span_cycles;
    for (tick span = first; span == first || span < limit / span_cycles; ++span) {
        unsigned* u = used(span);
        if (u == nullptr) { return from; }
        if (*u + cycles > span_cycles) { continue; }
        *u += cycles;
        return std::max(from, span * span_cycles);
    }
    return std::nullopt;
}

} // namespace tensorloom::memory
