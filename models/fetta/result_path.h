#pragma once
#include <cstdint>
#include <memory>
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/fetta/accumulation_unit.h>
#include <tensorloom/models/fetta/controller.h>
#include <tensorloom/models/fetta/port_beats.h>
#include <tensorloom/models/fetta/reduction_network.h>
#include <tensorloom/models/fetta/bank_ports.h>
#include <tensorloom/models/fetta/isa/bank_conflicts.h>
#include <tensorloom/models/fetta/gather_scatter.h>

namespace tensorloom::fetta {

/// The path of partial sums from the engines to the banks: reduction network, accumulation unit, scatter buffer, banks.
/// The controller selects the beats.
///
/// banks    the write port of the unified memory
///
/// Source: "FETTA" (arXiv 2504.06474), figure 10 and sections V-B3, V-C2, V-D. The controls of a beat travel through
/// the network with it. A banked result leaves by the port of its bank index, a linear one by the first port of its
/// group through the scatter buffer.
///
/// A cycle: request(), which only returns the time of the banks; then two phases, as in the engines: evaluate(), then
/// commit(), which writes.
/// Events    reduction_element, accumulator_psum, result_row_write, those of the scatter buffer
///
/// Example
///
///     fetta::device_limits limits;
///     fetta::accumulation_unit accumulators("accumulators", limits);
///     fetta::result_path results("results", limits, accumulators);
///     results.banks.bind(unified_memory.result);
///     results.start(fetta::contract_command());
class result_path : public sc_core::sc_module {
public:
    sc_core::sc_port<bank_write_if> banks;

    /// The accumulators follow the network; they must outlive this path.
    result_path(sc_core::sc_module_name name, const device_limits& limits, accumulation_unit& accumulators,
                blocks::fidelity model = blocks::fidelity::detailed);

    /// Starts a command: sets the layout of its result, and the masks and flags that route it.
    void start(const contract_command& command);

    /// Cycles that the banks will take for the results that leave the accumulators for memory in this cycle, at least
    /// 1.
    unsigned request(const result_controls& controls);
    /// The bank requests of this cycle: where it stalls, if it takes more than 1 cycle.
    const bank_requests& requests() const { return m_requests; }
    /// Evaluates a cycle: these beats enter the network when controls.enters is set.
    void evaluate(const port_beats& psums, const result_controls& controls);
    void commit();
    bool writes() const { return m_writes; } ///< the last commit() wrote
    /// Discards the beats in flight: after a command, and after a stop.
    void clear();

    /// Rows written since the beginning; a row of float32 counts as two.
    std::uint64_t short_rows_written() const { return m_short_rows_written; }
    std::uint64_t entered_elements() const { return m_network->entered_elements(); } ///< since the beginning

    const buffer_totals& buffered() const { return m_scatter.totals(); }       ///< since the beginning
    std::uint64_t accumulated_psums() const { return m_accumulators.psums(); } ///< since the beginning

    /// Elaboration: adds the rows of each bank to `to` from now on, which must outlive this path.
    void count_banks(base::bank_counts& to) { m_counts = &to; }
    /// Elaboration: traces the network, its levels and the accumulation unit.
    void trace(sc_core::sc_trace_file& file);
    using sc_core::sc_module::trace;
    const char* kind() const override { return "result_path"; }

private:
    void write();
    void set_controls(std::uint32_t bank_index);

    device_limits m_limits;
    accumulation_unit& m_accumulators;
    std::unique_ptr<reduction_network> m_network;
    scatter_buffer m_scatter;

    contract_command m_command;
    bool m_linear = false;
    bool m_transpose = false;
    std::uint32_t m_bank_index = 0;
    blocks::butterfly_controls m_controls;  // of that bank index
    const result_controls* m_now = nullptr; // of the evaluated cycle
    bool m_writes = false;
    bank_requests m_requests;
    std::uint64_t m_short_rows_written = 0;
    base::bank_counts* m_counts = nullptr;
};

} // namespace tensorloom::fetta
