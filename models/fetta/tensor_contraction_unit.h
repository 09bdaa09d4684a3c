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
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::fetta {

/// What a CONTRACT did; its time has passed.
struct contract_outcome {
    contract_cycles cycles; ///< that have passed, by cause, without those of conflicts
    std::uint64_t conflict_cycles = 0;
    fetta::counts counts; ///< nothing when it was stopped
    bool stopped = false;
};

/// What of a unit a waveform shows.
struct contraction_trace {
    bool array = true;                ///< busy; detailed also contraction_waveform (detailed_contraction_unit.h)
    std::vector<unsigned> engines;    ///< these engines (detailed)
    bool processing_elements = false; ///< ... with their PEs; not without an engine
    bool networks = false;            ///< both distribution networks and the reduction network, level by level, and the
                                      ///< accumulation unit (detailed)
};

/// The tensor contraction unit: N contraction engines (16 in the paper) between distribution networks and a reduction
/// network, the accumulation unit behind it, and the controller as far as it runs a CONTRACT. This is the interface of
/// both fidelities; make_tensor_contraction_unit() chooses.
///
/// Source: "FETTA" (arXiv 2504.06474), sections V-B to V-D.
///
/// ia, ib, result    the ports of the unified memory's banks
///
/// What a CONTRACT computes, in which order it adds, and when rows pass is in fetta/isa/contract_command.h and
/// schedule.h:
///
///     cycles = ideal_cycles() + sum over cycles of (max(1, most distinct rows of one operand in one bank) - 1)
///
/// The cycles beyond the closed form are conflicts of linear operands. Time passes in the thread that calls, from a
/// cycle boundary to a later one. A stop acts at a cycle boundary; what the rows of the result and the accumulators
/// hold then is not specified.
///
/// Sums that are kept stay in the accumulators for the next command. Rows whose sums leave are 0 again.
/// Events    contract to accumulator_psum of fetta/isa/events.h
/// Not modelled: the decoding of the command, which takes no cycle; clock gating of engines without work.
class tensor_contraction_unit : public sc_core::sc_module {
public:
    sc_core::sc_port<bank_read_if> ia;
    sc_core::sc_port<bank_read_if> ib;
    sc_core::sc_port<bank_write_if> result;

    /// Runs a command that check() (fetta/isa/contract_check.h) has nothing against, with its bases of this iteration.
    contract_outcome execute(const contract_command& command);

    /// Elaboration: rows and conflict cycles of each bank are counted from now on, at the expense of speed.
    const base::bank_counts& count_banks();

    /// A program starts, or a reset: all accumulators are 0.
    void clear_accumulators();

    /// "accumulators": bank by bank and row by row P sums of float32, also of those that are rounded to bfloat16.
    /// Between programs they show what the last one left.
    shell::debug_memory accumulator_memory();

    /// Elaboration: shows the unit in a waveform; from then on a detailed one is kept up to date cycle by cycle.
    /// Engines, PEs and networks of the fast fidelity, which has none, engines that do not exist, and PEs without an
    /// engine are an SC_ERROR.
    void trace(sc_core::sc_trace_file& file, const contraction_trace& what);
    using sc_core::sc_module::trace;

protected:
    tensor_contraction_unit(sc_core::sc_module_name name, const config& config, const bus::stop_request& stop);

    const config& settings() const { return m_config; }
    const bus::stop_request& stop() const { return m_stop; }
    base::bank_counts* banks() { return m_banks ? &*m_banks : nullptr; } ///< nullptr: nobody counts
    accumulation_unit& accumulators() { return m_accumulators; }
    /// Where commands since the accumulators were cleared may have left sums in them: they say so.
    const accumulator_rows& kept() const { return m_kept; }
    void keep(const accumulator_rows& rows) { m_kept.include(rows); }

    /// So many of the cycles of a command have passed, of which it knows the ideal ones: fill first, then compute,
    /// reload, psum, conflict.
    static contract_outcome after(std::uint64_t passed, const contract_cycles& ideal);

private:
    virtual contract_outcome run(const contract_command& command) = 0;
    /// Its parts count there from now on.
    virtual void count_parts(base::bank_counts&) {}
    /// What a waveform shows beside busy; false: it cannot.
    virtual bool trace_parts(sc_core::sc_trace_file& file, const contraction_trace& what) = 0;

    config m_config;
    const bus::stop_request& m_stop;
    accumulation_unit m_accumulators;
    bool m_is_busy = false;
    accumulator_rows m_kept;
    std::optional<base::bank_counts> m_banks; // with count_banks()
};

/// The unit of a configuration's geometry and fidelity; stop outlives it.
std::unique_ptr<tensor_contraction_unit>
make_tensor_contraction_unit(sc_core::sc_module_name name, const config& config, const bus::stop_request& stop);

} // namespace tensorloom::fetta
