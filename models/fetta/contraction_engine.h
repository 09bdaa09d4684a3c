#pragma once
#include <cstdint>
#include <memory>
#include <systemc>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::fetta {

// Control, operands, results and waveforms of a contraction engine, then the engine.

/// Data path setting of the engines for a command.
enum class engine_dataflow : std::uint8_t {
    stationary_vertical,   ///< IB enters at the top and is held, psums move down
    stationary_horizontal, ///< IB enters at the left (a transposed load) and is held, psums move down
    output_stationary      ///< IB enters at the top and moves down step by step, psums stay until they drain
};

constexpr engine_dataflow dataflow_of(mapping m)
{
    if (is_output_stationary(m)) { return engine_dataflow::output_stationary; }
    return is_horizontal(m) ? engine_dataflow::stationary_horizontal : engine_dataflow::stationary_vertical;
}

/// The control token of one cycle, the same for all engines: it enters the top row with the data and moves down with
/// it, one row in L cycles (stationary) or in one (OS). L: mac_latency.
///
/// Cycles of its flags (P = side; a tile of T or K' steps starts at cycle s, the next one at least max(T, P) or
/// max(L K', P) later; schedule.h):
///
///     step                    s to s + T - 1; OS: s, s + L, .. s + L (K' - 1)
///     start                   s
///     load, stationary        s - P to s - 1: IB row r of the tile, at s - 1 - r
///     load_start, stationary  s - P
///     finish, OS              s + L K': also the start of the next tile, if it follows at once
struct engine_control {
    bool step = false; ///< a row of IA enters; OS: also a row of IB
    /// With the first step of a tile: the loaded IB becomes active (stationary), sums start at +0 (OS).
    bool start = false;
    bool load = false;       ///< stationary: a row of IB enters
    bool load_start = false; ///< with the first row of a tile
    bool finish = false;     ///< OS: the sums of the ended tile move to the shadow registers and drain
};

/// Inputs of an engine in one cycle. An absent row of IA or IB (nullptr) counts as zeros.
struct engine_operands {
    const float* ia = nullptr; ///< element i goes to row i
    const float* ib = nullptr; ///< element n goes to column n (vertical, OS), element i to row i (horizontal)
    /// Results that leave as valid rows. Stationary, with `step`: bit 0, the row of this step. OS, with `finish`: bit
    /// m, row m.
    std::uint32_t valid = 0;
};

/// The output of an engine at its bottom.
struct engine_result {
    const float* row = nullptr; ///< P psums; bfloat16 psums are stored as the equal floats
    bool valid = false;
};

/// Waveform of a contraction engine in the last cycle. Bit r of a mask: row r.
struct engine_waveform {
    std::uint32_t steps = 0;  ///< rows that did a multiply-add
    std::uint32_t starts = 0; ///< rows that began a tile
    std::uint32_t loads = 0;  ///< rows whose shadow IB shifted
    std::uint32_t drains = 0; ///< rows whose shadow psum took the psum, or the shadow psum of the row above
    bool valid = false;       ///< a valid row of psums is at the bottom
};

/// Waveform of one PE: its registers after the last cycle, and the IA received in it.
struct pe_waveform {
    bool step = false;     ///< the PE did a multiply-add in that cycle
    float ia = 0;          ///< value on the row's wire in that multiply-add
    float ib_active = 0;   ///< stationary operand of the multiply-add
    float ib_shadow = 0;   ///< IB being loaded; OS: the operand of the multiply-add, which moves on
    float psum = 0;        ///< working register, at the end of the multiply-add
    float psum_shadow = 0; ///< shadow register, draining
};

class pe_array;

/// Parameters of a contraction engine.
struct contraction_engine_config {
    unsigned side = 4;                                 ///< P: rows and columns of PEs; 2, 4, 8 or 16
    base::element_type psum = base::element_type::f32; ///< f32 or bf16 (operands must be values of bf16, then)
    /// Rows load and drain under separate enables. Without them all rows shift at once: tiles must then start 2P - 1
    /// cycles apart, or values are overwritten before their use. Only for comparison.
    bool enables = true;
    blocks::fidelity model = blocks::fidelity::detailed;  ///< or rtl: of side 4, sums in f32, with enables
    base::element_type operand = base::element_type::f32; ///< f32 or bf16: the width of operands in Verilog
    unsigned mac_latency = 1; ///< L: cycles of a multiply-add, 1 or more; 1 without enables, and in Verilog
};

/// A contraction engine: a transposable systolic array of P x P processing elements. Source: FETTA (arXiv 2504.06474),
/// section V-B1, figure 11.
///
///     IA    broadcast along a row without registers; element i of a row of IA reaches row i of the engine i L cycles
///           later, OS i cycles (skew buffer)
///     IB    two registers per PE, one active, one shadow: shifts down from the top (through L-1 further registers
///           from row to row, which OS bypasses), or right from the left (element i delayed by i L cycles: skew
///           buffer), or is stationary
///     psum  a working and a shadow register per PE: sums move down the columns, or stay and drain through the shadow
///           registers, bottom row first
///
/// PE (r, n) multiplies when a step's token is at its row (arithmetic/psum.h; bit for bit in this order):
///
///     stationary   psum(r,n) = psum(r-1,n) + ia(r) ib_active(r,n), +0 above the top row: a column sums i = 0 .. P-1,
///                  ascending
///     OS           psum(r,n) = (first step ? +0 : psum(r,n)) + ia(r) ib_in(r,n): a PE sums its steps in order
///
/// Timing (a tile starts at s; all columns are in phase, because IA is broadcast; a multiply-add takes L cycles):
///
///     stationary   row r begins to multiply step t in s + t + L r. It swaps its IB registers at the beginning of cycle
///                  s + L r, and shifts its shadow only for the rows r .. P-1 of IB (vertical) or for all (horizontal),
///                  L r cycles after they enter; the psums of step t are at the bottom at the end of s + t + L P-1
///     OS           row r begins to multiply step k in s + L k + r, its sums move to the shadow in s + L K' + r; row m
///                  is at the bottom at the end of s + L K' + P-1 + (P-1-m); row r shifts its shadow only in the first
///                  r of the P drain cycles
///
/// Stationary tiles may therefore start max(T, P) cycles apart, and OS tiles of equal length max(L K', P) cycles: the
/// ends of OS tiles are at least P cycles apart.
///
/// The block has no process: all engines of an array share one clock. In every cycle the owner calls evaluate() of all
/// blocks, then commit() of all; result() is valid between cycles. The data path is set between commands only: tiles of
/// two paths do not overlap.
///
/// Not modelled: broadcast wires and PE multiplexers; L OS tiles that take turns in the multiply-adds.
///
/// Example
///
///     fetta::contraction_engine engine("engine", {4, base::element_type::f32});
///     engine.configure(fetta::engine_dataflow::output_stationary);
///     const float row[] = {1, 2, 3, 4};
///     engine.evaluate({true, true}, {row, row}); // the first step of a tile: rows of IA and IB enter
///     engine.commit();
class contraction_engine : public sc_core::sc_module {
public:
    /// An invalid side, psum or mac_latency is an SC_ERROR, and an engine that does not exist in Verilog.
    contraction_engine(sc_core::sc_module_name name, const contraction_engine_config& config = {});
    ~contraction_engine() override;

    /// Sets the data path, between commands. Discards values in flight (after an abort); the waveform is then empty.
    void configure(engine_dataflow path);

    /// The first half of a cycle: samples the ports.
    void evaluate(const engine_control& control, const engine_operands& operands);
    /// The second half: all registers change.
    void commit();

    /// A cycle without a register update; only the waveform changes.
    void hold();

    /// The row at the bottom since the last commit(), until the next one.
    engine_result result() const;

    /// Multiply-adds of the PEs since construction, including those with zeros.
    std::uint64_t multiply_adds() const;

    /// Elaboration: the waveform of the engine, or of a PE, updated every cycle from now on.
    const engine_waveform& watch();
    const pe_waveform& watch(unsigned row, unsigned column);
    const char* kind() const override { return "contraction_engine"; }

private:
    std::unique_ptr<pe_array> m_array;
};

} // namespace tensorloom::fetta
