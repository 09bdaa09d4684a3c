#pragma once
#include <cstdint>
#include <memory>
#include <systemc>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/fetta/engine_control.h>
#include <tensorloom/models/fetta/engine_waveform.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::fetta {

class pe_array;

/// A contraction engine.
struct contraction_engine_config {
    unsigned side = 4;                                 ///< P: rows and columns of PEs; 2, 4, 8 or 16
    arch::element_type psum = arch::element_type::f32; ///< f32 or bf16 (operands must be values of bf16, then)
    /// Rows load and drain under enables of their own. Without, all rows shift at once: tiles must then start 2P - 1
    /// cycles apart, or values are overwritten before their use. Only for comparison.
    bool enables = true;
};

/// A contraction engine: a transposable systolic array of P x P processing elements. Source: FETTA (arXiv 2504.06474),
/// section V-B1, figure 11.
///
///     IA    broadcast along a row, no register in the row; element i of a row of IA reaches row i of the engine i
///           cycles later (skew buffer)
///     IB    two registers per PE, one active, one shadow: shifts down from the top, or right from the left (element i
///           delayed by i cycles: skew buffer), or is held
///     psum  a working and a shadow register per PE: sums move down the columns, or stay and drain through the shadow
///           registers, bottom row first
///
/// A PE (r, n) multiplies when a token of a step is at its row (arithmetic/psum.h; bit for bit in this order):
///     stationary   psum(r,n) = psum(r-1,n) + ia(r) ib_active(r,n), +0 above the top row: a column sums i = 0 .. P-1,
///                  ascending
///     OS           psum(r,n) = (first step ? +0 : psum(r,n)) + ia(r) ib_in(r,n): a PE sums its steps in order
///
/// Timing (a tile starts at s; all columns in phase, because IA is broadcast):
///     stationary   row r swaps its IB registers at the beginning of cycle s + r, and shifts its shadow only in the
///                  load cycles r .. P-1 (vertical) or in the load cycles delayed by r (horizontal); the psums of step
///                  t stand at the bottom at the end of s + t + P-1
///     OS           row r multiplies step k in s + k + r, its sums go to the shadow in s + K' + r; row m stands at the
///                  bottom at the end of s + K' + P-1 + (P-1-m); row r shifts its shadow only in the first r of the P
///                  drain cycles
/// So stationary tiles may start max(T, P) cycles apart, and OS tiles of one length max(K', P): they may finish P
/// cycles apart.
///
/// The block has no process: all engines of an array stand under one clock. In every cycle its owner calls evaluate()
/// of all blocks, then commit() of all; result() is what a register holds between two cycles. The data path is set
/// between commands only: tiles of two paths do not overlap.
///
/// Not modelled: the wires of the broadcast and the multiplexers of the PE as such; pipeline stages in the multiplier.
class contraction_engine : public sc_core::sc_module {
public:
    /// An impossible side or psum is an SC_ERROR.
    contraction_engine(sc_core::sc_module_name name, const contraction_engine_config& config = {});
    ~contraction_engine() override;

    /// Sets the data path, between commands. What was on its way (after an abort) is gone, and the waveform shows
    /// nothing.
    void configure(engine_dataflow path);

    /// The first half of a cycle: samples the ports.
    void evaluate(const engine_control& control, const engine_operands& operands);
    /// The second half: all registers change.
    void commit();

    /// A cycle in which all registers hold: only the waveform changes.
    void hold();

    /// The row at the bottom since the last commit(), until the next one.
    engine_result result() const;

    /// Multiply-adds that PEs have done since they were made, those with zeros too.
    std::uint64_t multiply_adds() const;

    /// Elaboration: the waveform of the engine, or of a PE; from now on it is kept up to date, cycle by cycle.
    const engine_waveform& watch();
    const pe_waveform& watch(unsigned row, unsigned column);

private:
    std::unique_ptr<pe_array> m_array;
};

} // namespace tensorloom::fetta
