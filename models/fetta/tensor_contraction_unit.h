#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/schedule.h>
#include <tensorloom/models/base/values/bank_counts.h>
#include <tensorloom/models/fetta/accumulation_unit.h>
#include <tensorloom/models/fetta/config.h>
#include <tensorloom/models/fetta/bank_ports.h>
#include <tensorloom/models/shell/debug_memory.h>
#include <tensorloom/tlm/device_clock.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::fetta {

/// Outcome of a CONTRACT, after its time has passed.
struct contract_outcome {
    contract_cycles cycles; ///< cycles by cause, without conflicts
    std::uint64_t conflict_cycles = 0;
    fetta::counts counts; ///< 0 when it was stopped
    bool stopped = false;
};

/// Parts of a unit to trace.
struct contraction_trace {
    bool array = true;                ///< busy; detailed also contraction_waveform (detailed_contraction_unit.h)
    std::vector<unsigned> engines;    ///< these engines (detailed)
    bool processing_elements = false; ///< also the PEs of these engines, of which there must be one
    bool networks = false;            ///< both distribution networks and the reduction network, level by level, and the
                                      ///< accumulation unit (detailed)
};

/// The tensor contraction unit: N contraction engines (16 in the paper) between distribution networks and a reduction
/// network, followed by the accumulation unit, and the part of the controller that runs a CONTRACT. This is the
/// interface of both fidelities; make_tensor_contraction_unit() chooses.
///
/// Source: "FETTA" (arXiv 2504.06474), sections V-B to V-D.
///
/// ia, ib, result    the ports of the unified memory's banks
///
/// fetta/isa/contract_command.h defines the function of a CONTRACT and the order of its sums, schedule.h its timing:
///
///     cycles = ideal_cycles() + sum over cycles of (max(1, most distinct rows of one operand in one bank) - 1)
///
/// The cycles beyond the closed form are conflicts of linear operands. Time passes in the calling thread, from one
/// cycle boundary to another. A stop acts at a cycle boundary; the rows of the result and the accumulators are then
/// undefined.
///
/// Kept sums stay in the accumulators for the next command. Rows whose sums leave are set to 0.
/// Events    contract to accumulator_psum of fetta/isa/events.h
/// Not modelled: the decoding of the command, which takes no cycle; clock gating of idle engines.
///
/// Example
///
///     const bus::device_clock clock(sc_core::sc_time(1, sc_core::SC_NS));
///     auto contractions = fetta::make_tensor_contraction_unit("contractions", {}, clock, stop);
///     contractions->ia.bind(unified_memory.ia);
///     contractions->ib.bind(unified_memory.ib);
///     contractions->result.bind(unified_memory.result);
class tensor_contraction_unit : public sc_core::sc_module {
public:
    sc_core::sc_port<bank_read_if> ia;
    sc_core::sc_port<bank_read_if> ib;
    sc_core::sc_port<bank_write_if> result;

    /// Runs a command that check() (fetta/isa/contract_check.h) accepts, with the bases of this iteration.
    contract_outcome execute(const contract_command& command);

    /// Elaboration: counts rows and conflict cycles of each bank from now on, at the expense of speed.
    const base::bank_counts& count_banks();

    /// Sets all accumulators to 0: at the start of a program and after a reset.
    void clear_accumulators();

    /// "accumulators": P float32 sums per row, bank by bank and row by row, also of bfloat16 sums. Between programs
    /// they show the state after the last one.
    shell::debug_memory accumulator_memory();

    /// Elaboration: traces the unit; a detailed unit updates its waveform every cycle from then on. SC_ERROR for
    /// engines, PEs or networks of the fast fidelity, for engines that do not exist, and for PEs without an engine.
    void trace(sc_core::sc_trace_file& file, const contraction_trace& what);
    using sc_core::sc_module::trace;

protected:
    tensor_contraction_unit(sc_core::sc_module_name name, const config& config, const bus::clock_source& clock,
                            const bus::stop_request& stop);

    const config& settings() const { return m_config; }
    const bus::clock_source& clock() const { return m_clock; }
    const bus::stop_request& stop() const { return m_stop; }
    base::bank_counts* banks() { return m_banks ? &*m_banks : nullptr; } ///< nullptr unless they are counted
    accumulation_unit& accumulators() { return m_accumulators; }
    /// The rows in which commands may have left sums since the accumulators were cleared; they report them by keep().
    const accumulator_rows& kept() const { return m_kept; }
    void keep(const accumulator_rows& rows) { m_kept.include(rows); }

    /// Splits `passed` cycles of a command by cause: fill first, then compute, reload, psum, conflict.
    static contract_outcome after(std::uint64_t passed, const contract_cycles& ideal);

private:
    virtual contract_outcome run(const contract_command& command) = 0;
    /// Makes its parts add to these counts from now on.
    virtual void count_parts(base::bank_counts&) {}
    /// Traces the parts of the unit; false when it cannot.
    virtual bool trace_parts(sc_core::sc_trace_file& file, const contraction_trace& what) = 0;

    config m_config;
    bus::clock_source m_clock;
    const bus::stop_request& m_stop;
    accumulation_unit m_accumulators;
    bool m_is_busy = false;
    accumulator_rows m_kept;
    std::optional<base::bank_counts> m_banks; // with count_banks()
};

/// The unit of a configuration's limits and fidelity; clock and stop must outlive it.
std::unique_ptr<tensor_contraction_unit> make_tensor_contraction_unit(sc_core::sc_module_name name,
                                                                      const config& config,
                                                                      const bus::clock_source& clock,
                                                                      const bus::stop_request& stop);

} // namespace tensorloom::fetta
