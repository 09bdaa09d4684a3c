#include <tensorloom/models/fetta/network_waveform.h>
#include <algorithm>

namespace tensorloom::fetta {

void show_rows(const port_rows& rows, unsigned side, port_rows& shown)
{
    shown.valid = rows.valid;
    std::fill(shown.values.begin(), shown.values.end(), 0.0f);
    for (std::uint64_t rest = rows.valid; rest != 0; rest &= rest - 1) {
        const std::size_t first = static_cast<std::size_t>(__builtin_ctzll(rest)) * side;
        std::copy_n(&rows.values[first], side, &shown.values[first]);
    }
}

const level_waveform* watched_levels::watch(unsigned level)
{
    auto& shown = m_levels.at(level);
    if (!shown) { shown = std::make_unique<level_waveform>(level_waveform{m_empty, 0}); }
    return shown.get();
}

void watched_levels::show(unsigned level, const port_rows& out, std::uint64_t diagonal)
{
    if (!m_levels[level]) { return; }
    show_rows(out, m_side, m_levels[level]->out);
    m_levels[level]->diagonal = diagonal;
}

} // namespace tensorloom::fetta
