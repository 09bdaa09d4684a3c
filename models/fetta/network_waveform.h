#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/blocks/butterfly.h>
#include <tensorloom/models/fetta/port_beats.h>

namespace tensorloom::fetta {

/// Waveform of a butterfly network: the beats that entered in the last cycle, and those that leave. Values of ports
/// without a beat are 0.
struct network_waveform {
    port_beats in;
    blocks::butterfly_controls controls; ///< of the beats that entered
    port_beats out;
};

/// Waveform of a level: the beats at its outputs (reduction network: in the registers after it).
struct level_waveform {
    port_beats out;             ///< ports without a beat: 0
    std::uint64_t diagonal = 0; ///< controls of these beats: bit j, port j of the level takes its diagonal
};

/// The traced levels of a network.
class watched_levels {
public:
    watched_levels(unsigned levels, unsigned ports, unsigned side)
        : m_side(side), m_empty(ports, side), m_levels(levels)
    {}

    /// Traces this level from now on.
    const level_waveform* watch(unsigned level);
    /// Sets the beats at the outputs of a level.
    void show(unsigned level, const port_beats& out, std::uint64_t diagonal);

private:
    const unsigned m_side;
    const port_beats m_empty;
    std::vector<std::unique_ptr<level_waveform>> m_levels;
};

/// Copies the valid beats and sets the others to 0.
void show_beats(const port_beats& beats, unsigned side, port_beats& shown);

/// Elaboration: traces beats at ports as `name`.valid and `name`.<port>_<lane>.
void trace_beats(sc_core::sc_trace_file& file, const port_beats& beats, unsigned ports, const std::string& name);

/// Elaboration: traces a distribution or reduction network: its inputs, the outputs of every level, its outputs.
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
