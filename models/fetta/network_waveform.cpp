#include <tensorloom/models/fetta/network_waveform.h>

namespace tensorloom::fetta {

void show_beats(const port_beats& beats, unsigned side, port_beats& shown)
{
    shown.valid = beats.valid;
    std::fill(shown.values.begin(), shown.values.end(), 0.0f);
    for (std::uint64_t rest = beats.valid; rest != 0; rest &= rest - 1) {
        const std::size_t first = static_cast<std::size_t>(__builtin_ctzll(rest)) * side;
        std::copy_n(&beats.values[first], side, &shown.values[first]);
    }
}

void trace_beats(sc_core::sc_trace_file& file, const port_beats& beats, unsigned ports, const std::string& name)
{
    sc_core::sc_trace(&file, beats.valid, name + ".valid");
    const std::size_t side = beats.values.size() / ports;
    for (std::size_t i = 0; i < beats.values.size(); ++i) {
        sc_core::sc_trace(&file, beats.values[i],
                          name + "." + std::to_string(i / side) + "_" + std::to_string(i % side));
    }
}

const level_waveform* watched_levels::watch(unsigned level)
{
    auto& shown = m_levels.at(level);
    if (!shown) { shown = std::make_unique<level_waveform>(level_waveform{m_empty, 0}); }
    return shown.get();
}

void watched_levels::show(unsigned level, const port_beats& out, std::uint64_t diagonal)
{
    if (!m_levels[level]) { return; }
    show_beats(out, m_side, m_levels[level]->out);
    m_levels[level]->diagonal = diagonal;
}

} // namespace tensorloom::fetta
