#pragma once
#include <cstdint>
#include <memory>
#include <vector>
#include <tensorloom/models/blocks/butterfly.h>
#include <tensorloom/models/fetta/port_rows.h>

namespace tensorloom::fetta {

/// What a waveform shows of a butterfly network: what entered in the last cycle, and what leaves. Values of ports
/// without a row are 0.
struct network_waveform {
    port_rows in;
    blocks::butterfly_controls controls; ///< with which it entered
    port_rows out;
};

/// What a waveform shows of a level: what stands at its outputs (of a reduction network: in the registers behind it).
struct level_waveform {
    port_rows out;              ///< ports without a row: 0
    std::uint64_t diagonal = 0; ///< the controls that these rows passed: bit j, port j of the level takes its diagonal
};

/// The levels of a network that a waveform shows.
class watched_levels {
public:
    watched_levels(unsigned levels, unsigned ports, unsigned side)
        : m_side(side), m_empty(ports, side), m_levels(levels)
    {}

    /// From now on this level is shown.
    const level_waveform* watch(unsigned level);
    /// This stands at the outputs of a level.
    void show(unsigned level, const port_rows& out, std::uint64_t diagonal);

private:
    const unsigned m_side;
    const port_rows m_empty;
    std::vector<std::unique_ptr<level_waveform>> m_levels;
};

/// Copies the rows that there are; the other ones are 0.
void show_rows(const port_rows& rows, unsigned side, port_rows& shown);

} // namespace tensorloom::fetta
