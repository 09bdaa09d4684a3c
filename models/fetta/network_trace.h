#pragma once
#include <string>
#include <systemc>
#include <tensorloom/models/fetta/network_waveform.h>
#include <tensorloom/models/fetta/port_rows.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::fetta {

/// Elaboration: shows rows at ports in a waveform, `name`.valid and `name`.<port>_<lane>.
inline void trace_rows(sc_core::sc_trace_file& file, const port_rows& rows, unsigned ports, const std::string& name)
{
    sc_core::sc_trace(&file, rows.valid, name + ".valid");
    const std::size_t side = rows.values.size() / ports;
    for (std::size_t i = 0; i < rows.values.size(); ++i) {
        sc_core::sc_trace(&file, rows.values[i],
                          name + "." + std::to_string(i / side) + "_" + std::to_string(i % side));
    }
}

/// Elaboration: shows a network of either kind in a waveform: what enters, what stands behind every level, what leaves.
template <class Network> void trace_network(sc_core::sc_trace_file& file, Network& network)
{
    const std::string prefix = std::string(network.name()) + ".";
    const unsigned ports = network.shape().ports();
    const network_waveform& shown = network.watch();
    trace_rows(file, shown.in, ports, prefix + "in");
    trace_rows(file, shown.out, ports, prefix + "out");
    sc_core::sc_trace(&file, shown.controls.transpose, prefix + "transpose");
    for (unsigned l = 0; l < network.shape().levels; ++l) {
        const level_waveform* level = network.watch(l);
        const std::string of_level = prefix + "level_" + std::to_string(l);
        sc_core::sc_trace(&file, level->diagonal, of_level + ".diagonal");
        trace_rows(file, level->out, ports, of_level);
    }
}

} // namespace tensorloom::fetta
