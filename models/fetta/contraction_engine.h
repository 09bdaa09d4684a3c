#pragma once
#include <cstdint>
#include <memory>
#include <systemc>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::fetta {

// What a contraction engine is told, given and shows, then the engine.

/// How the data paths of the engines are set for a command.
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

/// The control token of one cycle, the same for all engines: it enters the top row with the data and moves down one row
/// per cycle.
///
/// When (P = side; a tile of T or K' steps starts at cycle s, the next one at least max(steps, P) later; schedule.h):
///     step                    s to s + steps - 1
///     start                   s
///     load, stationary        s - P to s - 1: IB row r of the tile, at s - 1 - r
///     load_start, stationary  s - P
///     finish, OS              s + K': also the start of the next tile, if that follows at once
struct engine_control {
    bool step = false; ///< a row of IA enters; OS: and one of IB
    /// Of a tile, with its first step: the loaded IB becomes active (stationary), sums begin at +0 (OS).
    bool start = false;
    bool load = false;       ///< stationary: a row of IB enters
    bool load_start = false; ///< with the first row of a tile
    bool finish = false;     ///< OS: the sums of the tile that has ended move to the shadow registers and drain
};

/// What an engine's ports give it in one cycle. A row of IA or IB that is absent (nullptr) counts as zeros.
struct engine_operands {
    const float* ia = nullptr; ///< element i goes to row i
    const float* ib = nullptr; ///< element n goes to column n (vertical, OS), element i to row i (horizontal)
    /// Which results are to leave as valid rows: stationary, with `step`: bit 0, the row of this step; OS, with
    /// `finish`: bit m, row m.
    std::uint32_t valid = 0;
};

/// What leaves an engine at its bottom.
struct engine_result {
    const float* row = nullptr; ///< side psums; those of bfloat16 are kept as the floats that they are
    bool valid = false;
};

/// What a waveform shows of a contraction engine, of the cycle that has just ended. Bit r of a mask: row r.
struct engine_waveform {
    std::uint32_t steps = 0;  ///< rows that did a multiply-add: where the tokens of steps were
    std::uint32_t starts = 0; ///< rows that began a tile
    std::uint32_t loads = 0;  ///< rows whose shadow IB shifted
    std::uint32_t drains = 0; ///< rows whose shadow psum took the psum, or that of the row above
    bool valid = false;       ///< a valid row of psums stands at the bottom
};

/// What a waveform shows of one PE: its registers after the cycle that has just ended, and the IA that it was given in
/// it.
struct pe_waveform {
    bool step = false;     ///< it did a multiply-add in that cycle
    float ia = 0;          ///< on the row's wire, when it did
    float ib_active = 0;   ///< held, and multiplied with
    float ib_shadow = 0;   ///< being loaded; OS: what was multiplied with and moves on
    float psum = 0;        ///< working
    float psum_shadow = 0; ///< draining
};

class pe_array;

/// A contraction engine.
struct contraction_engine_config {
    unsigned side = 4;                                 ///< P: rows and columns of PEs; 2, 4, 8 or 16
    base::element_type psum = base::element_type::f32; ///< f32 or bf16 (operands must be values of bf16, then)
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
    const char* kind() const override { return "contraction_engine"; }

private:
    std::unique_ptr<pe_array> m_array;
};

} // namespace tensorloom::fetta
