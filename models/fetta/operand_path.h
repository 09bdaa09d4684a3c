#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/blocks/butterfly.h>
#include <tensorloom/models/fetta/distribution_network.h>
#include <tensorloom/models/fetta/gather_scatter.h>
#include <tensorloom/models/fetta/port_beats.h>
#include <tensorloom/models/fetta/bank_ports.h>

namespace tensorloom::fetta {

struct beat_addresses;

/// The path of an operand, IA or IB, from the banks to the engines: banks, gather buffer, distribution network. The
/// controller selects the beats.
///
/// banks    a read port of the unified memory
///
/// Source: "FETTA" (arXiv 2504.06474), figure 10 and section V-D. A banked operand has one row per port, at the same
/// row of all banks; the bank index and the mask of the engines that share a beat give the network's controls. A linear
/// operand passes the gather buffer, which supplies the beat of engines that share it to the first of them; the network
/// copies it to the others.
///
/// Events    ia_row_read or ib_row_read, ia_element or ib_element, those of the gather buffer
///
/// Example
///
///     fetta::operand_path path("ia_path", fetta::operand_role::ia, fetta::device_limits());
///     path.banks.bind(unified_memory.ia);
///     path.start(fetta::contract_command());
///     path.fetch(fetta::beat_addresses()); // of the controller's cycle
///     path.deliver();                      // nullptr: no beats in this cycle
class operand_path : public sc_core::sc_module {
public:
    sc_core::sc_port<bank_read_if> banks;

    operand_path(sc_core::sc_module_name name, operand_role role, const device_limits& limits,
                 blocks::fidelity model = blocks::fidelity::detailed);

    /// Starts a command: sets the layout of the operand, and the masks and flags that route it.
    void start(const contract_command& command);

    /// A cycle, in two steps: fetch() reads the due beats from the banks, if any; deliver() routes them to the engines.
    void fetch(const beat_addresses& addresses);
    /// Cycles that the banks took for the last fetch(), at least 1.
    unsigned bank_cycles() const { return m_bank_cycles; }
    /// The bank requests of the last fetch(): where it stalled, if it took more than 1 cycle.
    const bank_requests& requests() const { return m_gather.requests(); }
    /// Beats at the engines; nullptr without due beats. Valid until the next fetch().
    const port_beats* deliver();

    /// Rows read since the beginning; a row of float32 counts as two.
    std::uint64_t short_rows_read() const { return m_short_rows_read; }
    std::uint64_t delivered_elements() const { return m_network->delivered_elements(); } ///< since the beginning

    const buffer_totals& buffered() const { return m_gather.totals(); } ///< since the beginning

    /// Elaboration: adds the rows of each bank to `to` from now on, which must outlive this path.
    void count_banks(base::bank_counts& to) { m_counts = &to; }
    /// Elaboration: traces the network and its levels.
    void trace(sc_core::sc_trace_file& file);
    using sc_core::sc_module::trace;
    const char* kind() const override { return "operand_path"; }

private:
    const port_beats& read_banked(const beat_addresses& addresses);
    const port_beats& gather(const beat_addresses& addresses);
    void set_controls(std::uint32_t bank_index);

    operand_role m_role;
    device_limits m_limits;
    gather_buffer m_gather;
    std::unique_ptr<distribution_network> m_network;

    bool m_linear = false;
    bool m_transpose = false;
    std::uint32_t m_shared = 0; // bits of the engine index that share the operand
    std::uint32_t m_bank_index = 0;
    blocks::butterfly_controls m_controls; // of that bank index
    port_beats m_rows;                     // read from the banks
    const port_beats m_nothing;
    const port_beats* m_fetched = nullptr;
    bool m_is_traced = false;
    unsigned m_bank_cycles = 1;
    std::uint64_t m_short_rows_read = 0;
    base::bank_counts* m_counts = nullptr;
};

} // namespace tensorloom::fetta
