#pragma once
#include <cstdint>
#include <memory>
#include <systemc>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/blocks/butterfly.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/models/fetta/network_waveform.h>
#include <tensorloom/models/fetta/port_beats.h>

namespace tensorloom::fetta {

/// A distribution network: a transposable butterfly of multiplexers that brings beats from the banks of the unified
/// memory to the engines.
///
/// Source: FETTA (arXiv 2504.06474), section V-B2. The transpose layer comes first, then levels of distances N/2 ... 2,
/// 1; each has a 2:1 multiplexer per port for a beat of `side` elements. IA and IB have a network each. Combinational:
/// a beat reaches its engines in the cycle in which it leaves its bank. This is the interface of all fidelities;
/// make_distribution_network() chooses.
///
/// Events          ia_element, ib_element: P per port that receives a beat
/// Not modelled    wire and multiplexer delay; toggling of wires with unchanged data
///
/// Example
///
///     fetta::device_limits limits;
///     auto network = fetta::make_distribution_network("ia_network", limits, blocks::fidelity::fast);
///     fetta::port_beats rows(limits.engines, limits.side);
///     const auto controls = blocks::xor_controls(network->shape(), 3, 0, false); // 4 engines share each beat
///     network->deliver(rows, controls);
class distribution_network : public sc_core::sc_module {
public:
    /// One cycle: maps the beats of the banks to the engines. Valid until the next call. Transposing a number of ports
    /// that is not a square is an SC_ERROR.
    const port_beats& deliver(const port_beats& banks, const blocks::butterfly_controls& controls);

    const blocks::butterfly& shape() const { return m_shape; }
    std::uint64_t delivered_elements() const { return m_delivered_elements; } ///< since the beginning

    /// Elaboration: the waveform of the network, updated every cycle from now on.
    const network_waveform& watch();
    /// The waveform of a level, 0 at the banks; nullptr in the fast fidelity, which has no levels.
    virtual const level_waveform* watch(unsigned level) = 0;
    const char* kind() const override { return "distribution_network"; }

protected:
    distribution_network(sc_core::sc_module_name name, const device_limits& sizes);
    unsigned side() const { return m_side; }

private:
    virtual const port_beats& pass(const port_beats& banks, const blocks::butterfly_controls& controls) = 0;

    const blocks::butterfly m_shape;
    const unsigned m_side;
    std::uint64_t m_delivered_elements = 0;
    std::unique_ptr<network_waveform> m_waveform;
};

/// rtl: 16 ports, side 4 (rtl_error() in pe_array.h).
std::unique_ptr<distribution_network> make_distribution_network(sc_core::sc_module_name name,
                                                                const device_limits& sizes, blocks::fidelity model);

std::unique_ptr<distribution_network> make_rtl_distribution_network(sc_core::sc_module_name name,
                                                                    const device_limits& sizes);

} // namespace tensorloom::fetta
