#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/blocks/butterfly.h>
#include <tensorloom/models/fetta/port_beats.h>

namespace tensorloom::fetta {

/// What a waveform shows of a butterfly network: what entered in the last cycle, and what leaves. Values of ports
/// without a beat are 0.
struct network_waveform {
    port_beats in;
    blocks::butterfly_controls controls; ///< with which it entered
    port_beats out;
};

/// What a waveform shows of a level: what stands at its outputs (of a reduction network: in the registers behind it).
struct level_waveform {
    port_beats out;             ///< ports without a beat: 0
    std::uint64_t diagonal = 0; ///< the controls that these beats passed: bit j, port j of the level takes its diagonal
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
    void show(unsigned level, const port_beats& out, std::uint64_t diagonal);

private:
    const unsigned m_side;
    const port_beats m_empty;
    std::vector<std::unique_ptr<level_waveform>> m_levels;
};

/// Copies the beats that there are; the other ones are 0.
void show_beats(const port_beats& beats, unsigned side, port_beats& shown);

/// Elaboration: shows beats at ports in a waveform, `name`.valid and `name`.<port>_<lane>.
void trace_beats(sc_core::sc_trace_file& file, const port_beats& beats, unsigned ports, const std::string& name);

/// Elaboration: shows a network of either kind in a waveform: what enters, what stands behind every level, what leaves.
template <class Network> void trace_network(sc_core::sc_trace_file& file, Network& network)
{
    const std::string prefix = std::string(network.name()) + ".";
    const unsigned ports = network.shape().ports();
    const network_waveform& shown = network.watch();
    trace_beats(file, shown.in, ports, prefix + "in");
    trace_beats(file, shown.out, ports, prefix + "out");
    sc_core::sc_trace(&file, shown.controls.transpose, prefix + "transpose");
    for (unsigned l = 0; l < network.shape().levels; ++l) {
        const level_waveform* level = network.watch(l);
        const std::string of_level = prefix + "level_" + std::to_string(l);
        sc_core::sc_trace(&file, level->diagonal, of_level + ".diagonal");
        trace_beats(file, level->out, ports, of_level);
    }
}

} // namespace tensorloom::fetta
