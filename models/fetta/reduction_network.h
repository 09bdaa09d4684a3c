#pragma once
#include <cstdint>
#include <memory>
#include <systemc>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/blocks/butterfly.h>
#include <tensorloom/models/blocks/butterfly_switches.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/models/fetta/network_waveform.h>
#include <tensorloom/models/fetta/port_beats.h>

namespace tensorloom::fetta {

/// A reduction network: a transposable butterfly of adder switches that brings partial sums from the engines to the
/// accumulators and adds those of several engines on the way.
///
/// Source: FETTA (arXiv 2504.06474), section V-B3. Levels of distances 1, 2, 4 ... N/2, each of N/2 adder switches of
/// `side` lanes; a register after every level; then the transpose layer. Beats that enter in cycle t leave in cycle t +
/// log2 N. Controls travel with the data, so beats of different patterns follow each other without a gap. This is the
/// interface of all fidelities; make_reduction_network() chooses.
///
/// Sums: left + right in the psum format (arithmetic/psum.h), one rounding each; left is the beat at the lower port. In
/// the regular family (xor_controls) that is a tree over the engines, neighbours first.
///
/// A cycle has two phases, so that all blocks see the state before it: evaluate() once, then commit(). output() is
/// valid until commit().
///
/// Events          reduction_element: P per valid port that enters
/// Not modelled    wires; the figure's crossed wires, which are the same topology drawn differently
///
/// Example
///
///     fetta::device_limits limits;
///     auto network = fetta::make_reduction_network("reduction_network", limits, blocks::fidelity::fast);
///     fetta::port_beats psums(limits.engines, limits.side);
///     network->evaluate(psums, blocks::xor_controls(network->shape(), 3, 0, false)); // adds groups of 4 engines
///     network->commit();
class reduction_network : public sc_core::sc_module {
public:
    /// Evaluates a cycle in which these beats enter with these controls. Transposing a number of ports that is not a
    /// square is an SC_ERROR.
    void evaluate(const port_beats& psums, const blocks::butterfly_controls& controls);
    /// Evaluates a cycle without entering beats.
    void evaluate();
    /// Ends the cycle: updates the registers.
    void commit();
    /// The beats that leave in this cycle; they entered latency() cycles ago. Valid until commit().
    virtual const port_beats& output() const = 0;
    /// Abort, between two cycles: empties all registers.
    void clear();

    const blocks::butterfly& shape() const { return m_shape; }
    unsigned latency() const { return m_shape.levels; }                   ///< cycles
    std::uint64_t entered_elements() const { return m_entered_elements; } ///< since the beginning

    /// Elaboration: the waveform of the network, updated every cycle from now on.
    const network_waveform& watch();
    /// The waveform of a level and its register, 0 at the engines; nullptr in the fast fidelity, which has no levels.
    virtual const level_waveform* watch(unsigned level) = 0;
    const char* kind() const override { return "reduction_network"; }

protected:
    reduction_network(sc_core::sc_module_name name, const device_limits& sizes);
    unsigned side() const { return m_side; }

private:
    virtual void enter(const port_beats& psums, const blocks::butterfly_controls& controls) = 0;
    virtual void advance() = 0;
    virtual void empty() = 0;

    const blocks::butterfly m_shape;
    const unsigned m_side;
    const port_beats m_nothing;
    std::uint64_t m_entered_elements = 0;
    std::unique_ptr<network_waveform> m_waveform;
};

/// rtl: 16 ports, side 4, sums in f32, idle outputs invalid (rtl_error() in pe_array.h).
std::unique_ptr<reduction_network> make_reduction_network(sc_core::sc_module_name name, const device_limits& sizes,
                                                          blocks::fidelity model,
                                                          blocks::idle_output idle = blocks::idle_output::invalid);

std::unique_ptr<reduction_network> make_rtl_reduction_network(sc_core::sc_module_name name, const device_limits& sizes);

} // namespace tensorloom::fetta
