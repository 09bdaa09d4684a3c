#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/models/fetta/port_beats.h>

namespace tensorloom::rtl {
class accumulator_registers;
}

namespace tensorloom::fetta {

/// A range of accumulator rows, the same in every bank.
struct accumulator_rows {
    std::uint64_t first = 0;
    std::uint64_t end = 0;

    bool meet(const accumulator_rows& others) const { return first < others.end && others.first < end; }
    /// Extends the range to cover `others`.
    void include(const accumulator_rows& others)
    {
        first = end == 0 ? others.first : std::min(first, others.first);
        end = std::max(end, others.end);
    }
};

/// Operation of the accumulation unit on the beats of a cycle, the same in all banks.
struct accumulation {
    std::uint32_t row = 0;  ///< of the accumulators, below device_limits::accumulator_rows()
    bool adds = false;      ///< adds to the stored row; otherwise these sums replace it
    bool passes_on = false; ///< the sums leave to the unified memory instead of being stored
};

/// Waveform of the accumulation unit in a cycle: incoming beats, the operation on the previous beats, outgoing beats.
/// Values of banks without a beat are 0.
struct accumulation_waveform {
    port_beats in;
    accumulation what;
    port_beats out;
};

/// The accumulation unit: N banks of rows of P partial sums, with P adders each, after the reduction network.
///
/// Source: "FETTA" (arXiv 2504.06474), section V-C2.
///
/// In every cycle each bank accepts one beat of partial sums from its port and does one of three operations: it stores
/// the beat as the first of a sum (not added to 0); it reads a row, adds (old + new) and writes the row back; or it
/// outputs the sum to the unified memory and writes 0 back. One cycle after the beat, its sum is in the accumulators or
/// at output().
///
/// Sums are float32, or bfloat16 rounded once per addition (arithmetic/psum.h). Rows keep their values between commands
/// and start at 0.
///
/// The block has no process: its owner calls evaluate() once per cycle, then commit(). output() may be read before
/// both. In the fidelity rtl the adders, and the registers at the output, are in Verilog, for banks of 4 sums in
/// float32.
///
/// Events          accumulator_psum: P per incoming beat, whatever the operation
/// Not modelled    conflicts: a bank gets one beat per cycle, and reads and writes one row
///
/// Example
///
///     fetta::device_limits limits;
///     fetta::accumulation_unit accumulators("accumulators", limits);
///     fetta::port_beats psums(limits.engines, limits.side);
///     accumulators.evaluate(psums, {0, true, false}); // adds to row 0 of every bank
///     accumulators.commit();
class accumulation_unit : public sc_core::sc_module {
public:
    accumulation_unit(sc_core::sc_module_name name, const device_limits& limits,
                      blocks::fidelity model = blocks::fidelity::detailed);
    ~accumulation_unit() override;

    /// Evaluates a cycle with these beats.
    void evaluate(const port_beats& psums, const accumulation& what);
    /// Evaluates a cycle without beats.
    void evaluate();
    /// Ends the cycle: updates accumulators and output.
    void commit();
    /// Sums that leave, of the beats of the previous cycle. Valid until commit().
    const port_beats& output() const { return m_output; }

    /// The P sums of a row, for whole commands computed at once and for tests.
    float* row(unsigned bank, std::uint32_t row) { return m_rows.data() + place(bank, row); }
    std::size_t sums() const { return m_rows.size(); } ///< of all banks, from row(0, 0) on
    std::uint64_t psums() const { return m_psums; }    ///< partial sums received since the beginning

    /// Abort: discards the beats in flight.
    void clear();
    /// Discards the beats in flight and sets all accumulators to 0.
    void reset();

    /// Elaboration: the waveform, updated every cycle from now on.
    const accumulation_waveform& watch();
    const char* kind() const override { return "accumulation_unit"; }

private:
    std::size_t place(unsigned bank, std::uint32_t row) const
    {
        return (std::size_t{bank} * m_bank_rows + row) * m_side;
    }
    template <class Psum> void add(const port_beats& psums);
    void commit_rtl();

    unsigned m_side;
    std::uint32_t m_bank_rows;
    bool m_is_narrow; // sums are bfloat16
    std::vector<float> m_rows;
    port_beats m_sums; // of the evaluated cycle
    accumulation m_what;
    port_beats m_output;
    std::uint64_t m_psums = 0;
    std::vector<std::unique_ptr<rtl::accumulator_registers>> m_rtl; // by bank; otherwise the sums are computed here
    std::unique_ptr<accumulation_waveform> m_waveform;              // only when watched
};

} // namespace tensorloom::fetta
