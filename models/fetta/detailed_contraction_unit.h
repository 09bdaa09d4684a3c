#pragma once
#include <cstdint>
#include <memory>
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/contraction_engine.h>
#include <tensorloom/models/fetta/controller.h>
#include <tensorloom/models/fetta/operand_path.h>
#include <tensorloom/models/fetta/port_beats.h>
#include <tensorloom/models/fetta/result_path.h>
#include <tensorloom/models/fetta/tensor_contraction_unit.h>

namespace tensorloom::fetta {

/// Waveform of the detailed unit in one cycle, in addition to busy.
struct contraction_waveform {
    bool load = false;      ///< a row of a stationary IB enters
    bool step = false;      ///< a row of IA enters; output-stationary: also a row of IB
    bool drain = false;     ///< output-stationary: sums begin to leave
    bool stall = false;     ///< the engines wait for rows of one bank
    bool write = false;     ///< rows of the result are written
    std::uint64_t tile = 0; ///< tile of the last rows of IA, from 0
};

/// The detailed tensor contraction unit: cycle by cycle, every block a module. In the fidelity rtl the engines,
/// the networks and the adders of the accumulation unit are in Verilog.
///
///     unified memory -> (gather buffer) -> distribution network of IA, of IB -> contraction engines -> reduction
///         network -> accumulation unit -> (scatter buffer) -> unified memory
///
/// In every cycle the controller sets the controls of all blocks. They share one clock with two phases: evaluate, then
/// commit. When a bank has several rows of one operand to read or to write, the engines stall until it is done: all
/// registers hold, and the cycle is executed in the last of its clock periods.
///
/// Host speed: without a waveform, time passes for many cycles at once; a stop still acts at its cycle boundary.
///
/// Example
///
///     fetta::detailed_contraction_unit contractions("contractions", fetta::config(), clock, stop);
///     contractions.ia.bind(unified_memory.ia);
///     contractions.ib.bind(unified_memory.ib);
///     contractions.result.bind(unified_memory.result);
///     contractions.execute(fetta::contract_command()); // in a thread
class detailed_contraction_unit final : public tensor_contraction_unit {
public:
    detailed_contraction_unit(sc_core::sc_module_name name, const config& config, const bus::clock_source& clock,
                              const bus::stop_request& stop);
    ~detailed_contraction_unit() override;
    const char* kind() const override { return "detailed_contraction_unit"; }

private:
    /// Counts of all modules.
    struct totals {
        std::uint64_t multiply_adds = 0, reduced = 0, accumulated = 0;
        std::uint64_t ia_rows = 0, ib_rows = 0, result_rows = 0, ia_elements = 0, ib_elements = 0;
        buffer_totals buffered;
    };
    /// Cycles of a command so far.
    struct cycle_counts {
        std::uint64_t all = 0;   // without conflicts
        std::uint64_t steps = 0; // cycles with a row of IA
        std::uint64_t tiles = 0; // cycles with the first row of a tile
        std::uint64_t since = 0; // cycles without a step since the last step
        std::uint64_t gaps = 0;  // cycles without a step between steps
        std::uint64_t rows = 0;  // rows of sums of the last tile that reached the accumulators
        std::uint64_t conflicts = 0;
    };

    contract_outcome run(const contract_command& command) override;
    void count_parts(base::bank_counts& counts) override;
    bool trace_parts(sc_core::sc_trace_file& file, const contraction_trace& what) override;

    bool cycle();
    void count(const contract_controls& controls);
    void collect_results();
    bool stall(std::uint64_t cycles);
    bool pass(std::uint64_t cycles, bool at_once);
    void rest();
    totals counted() const;
    void trace_engine(sc_core::sc_trace_file& file, contraction_engine& engine, bool processing_elements);

    device_limits m_limits;
    controller m_controller;
    operand_path m_ia;
    operand_path m_ib;
    std::vector<std::unique_ptr<contraction_engine>> m_engines;
    result_path m_results;

    engine_dataflow m_dataflow = engine_dataflow::stationary_vertical; // of the command
    cycle_counts m_cycles;
    port_beats m_psums;          // at the bottom of the engines
    std::uint64_t m_waiting = 0; // cycles whose time has not passed yet
    std::uint64_t m_passed = 0;
    contraction_waveform m_waveform;
    bool m_is_traced = false;
};

} // namespace tensorloom::fetta
