#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/fetta/port_beats.h>

namespace tensorloom::fetta {

/// Rows of the accumulators, the same in every bank.
struct accumulator_rows {
    std::uint64_t first = 0;
    std::uint64_t end = 0;

    bool meet(const accumulator_rows& others) const { return first < others.end && others.first < end; }
    /// And all between.
    void include(const accumulator_rows& others)
    {
        first = end == 0 ? others.first : std::min(first, others.first);
        end = std::max(end, others.end);
    }
};

/// What the accumulation unit does with the beats of a cycle, the same in all banks.
struct accumulation {
    std::uint32_t row = 0;  ///< of the accumulators, below geometry.accumulator_rows()
    bool adds = false;      ///< to the row that is there; otherwise the row begins with these sums
    bool passes_on = false; ///< the sums go on to the unified memory instead of into the accumulators
};

/// What a waveform shows of the accumulation unit: what comes in a cycle, what was done with the last beats that came,
/// and what leaves. Values of banks without a beat are 0.
struct accumulation_waveform {
    port_beats in;
    accumulation what;
    port_beats out;
};

/// The accumulation unit: N banks of rows of P partial sums, with P adders each, behind the reduction network.
///
/// Source: "FETTA" (arXiv 2504.06474), section V-C2.
///
/// Every cycle a bank takes one beat of partial sums from its port. It stores it as the first of a sum (not added to
/// 0), or reads one of its own rows, adds (old + new) and writes it back, or passes the sum on to the unified memory:
/// it leaves, and 0 is written back. One cycle after a beat has come its sum stands in the accumulators, or at
/// output().
///
/// Sums are float32, or bfloat16 rounded once per addition (arithmetic/psum.h). Rows keep what they hold between
/// commands; 0 at the start.
///
/// The block has no process: whoever steps it calls evaluate() once per cycle, then commit(). Output() may be read
/// before both.
///
/// Events          a partial sum that comes: P per beat, whatever becomes of it
/// Not modelled    conflicts: a bank gets one beat per cycle, and reads and writes one row
class accumulation_unit : public sc_core::sc_module {
public:
    accumulation_unit(sc_core::sc_module_name name, const device_limits& limits);

    /// A cycle in which these beats come.
    void evaluate(const port_beats& psums, const accumulation& what);
    /// Likewise, when nothing comes.
    void evaluate();
    /// The end of the cycle: accumulators and output change.
    void commit();
    /// Sums passed on, which came in the cycle before. Valid until commit().
    const port_beats& output() const { return m_output; }

    /// The P sums of a row: for whoever does a whole command at once, and for tests.
    float* row(unsigned bank, std::uint32_t row) { return m_rows.data() + place(bank, row); }
    std::size_t sums() const { return m_rows.size(); } ///< of all banks, from row(0, 0) on
    std::uint64_t psums() const { return m_psums; }    ///< that came since the beginning

    /// An abort: nothing is on its way.
    void clear();
    /// ... and all accumulators are 0.
    void reset();

    /// Elaboration: the waveform; from now on it is kept up to date, cycle by cycle.
    const accumulation_waveform& watch();
    const char* kind() const override { return "accumulation_unit"; }

private:
    std::size_t place(unsigned bank, std::uint32_t row) const
    {
        return (std::size_t{bank} * m_bank_rows + row) * m_side;
    }
    template <class Psum> void add(const port_beats& psums);

    unsigned m_side;
    std::uint32_t m_bank_rows;
    bool m_is_narrow; // sums are bfloat16
    std::vector<float> m_rows;
    port_beats m_sums; // of the cycle that has been evaluated
    accumulation m_what;
    port_beats m_output;
    std::uint64_t m_psums = 0;
    std::unique_ptr<accumulation_waveform> m_waveform; // only when watched
};

} // namespace tensorloom::fetta
