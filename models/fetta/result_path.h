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

/// The way of partial sums from the engines to the banks: reduction network, accumulation unit, scatter buffer, banks.
/// The controller says which beats.
///
/// banks    the write port of the unified memory
///
/// Source: "FETTA" (arXiv 2504.06474), figure 10 and sections V-B3, V-C2, V-D. The controls of a beat enter the network
/// with it and travel with it. A banked result leaves by the port that its bank index says; a linear one by the first
/// port of its group, through the scatter buffer.
///
/// A cycle: request(), which only asks how long the banks will take; then two phases, like those of the engines:
/// evaluate(), then commit(), which writes.
/// Events    reduction_element, accumulator_psum, result_row_write
class result_path : public sc_core::sc_module {
public:
    sc_core::sc_port<bank_write_if> banks;

    /// The accumulators stand behind the network; they live longer.
    result_path(sc_core::sc_module_name name, const device_limits& limits, accumulation_unit& accumulators);

    /// A command: the layout of its result, and the masks and flags that route it. Nothing is on its way.
    void start(const contract_command& command);

    /// Cycles that the banks will take for the beats that come to the accumulators in this cycle and go on, at least 1.
    unsigned request(const result_controls& controls);
    /// Where they wait, when it is longer than 1.
    const bank_requests& requests() const { return m_requests; }
    /// These beats come to the network when controls.enters; none where no port is valid.
    void evaluate(const port_beats& psums, const result_controls& controls);
    void commit();
    bool writes() const { return m_writes; } ///< the last commit() wrote
    /// Nothing is on its way: after a command, and a stop.
    void clear();

    /// Since the beginning; a row of float32 is two.
    std::uint64_t short_rows_written() const { return m_short_rows_written; }
    std::uint64_t entered_elements() const { return m_network->entered_elements(); } ///< since the beginning

    std::uint64_t accumulated_psums() const { return m_accumulators.psums(); } ///< since the beginning

    /// Elaboration: from now on the rows of each bank are added there, which lives longer.
    void count_banks(base::bank_counts& counts) { m_counts = &counts; }
    /// Elaboration: shows the network, its levels and the accumulation unit in a waveform.
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
    const result_controls* m_now = nullptr; // of the cycle that has been evaluated
    bool m_writes = false;
    bank_requests m_requests;
    std::uint64_t m_short_rows_written = 0;
    base::bank_counts* m_counts = nullptr;
};

} // namespace tensorloom::fetta
