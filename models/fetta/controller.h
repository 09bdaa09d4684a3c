#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/fetta/accumulation_unit.h>
#include <tensorloom/models/fetta/contraction_engine.h>
#include <tensorloom/models/fetta/operand_stream.h>

namespace tensorloom::fetta {

/// Controls of the result path in one cycle.
struct result_controls {
    bool enters = false;          ///< sums enter the reduction network in this cycle
    std::uint32_t bank_index = 0; ///< routes the entering sums
    beat_addresses arrives;       ///< sums that reach the accumulators; addresses are those of results for the banks
    accumulation what;            ///< operation of the accumulators on these sums
};

/// Controls of all blocks in one cycle of the engines.
struct contract_controls {
    engine_control engines;
    std::vector<std::uint32_t> valid; ///< by engine: engine_operands::valid
    beat_addresses ia, ib;            ///< operand beats read in this cycle
    result_controls result;
    std::uint64_t tile = 0; ///< tile of the last rows of IA, from 0
};

/// The controller of a FETTA, for CONTRACT commands: nested loop counters for IA, IB and the result, each with an
/// address generator. In every cycle they produce the controls of the engines, the networks and the accumulators.
///
/// Source: "FETTA" (arXiv 2504.06474), section V-D and figure 15: a state machine of loop counters. Loops that wrap
/// update the bank index; the exclusive or of the bank index with the engine numbers gives the networks' controls
/// (blocks/butterfly.h).
///
/// A cycle is a cycle of the engines (fetta/isa/schedule.h). The owner of the controller adds the wait cycles of bank
/// conflicts.
///
/// The block has no process: its owner calls next_cycle() once per cycle.
/// Not modelled: the command decoder, which takes no cycle.
///
/// Example
///
///     fetta::controller controller("controller", fetta::device_limits());
///     controller.start(fetta::contract_command());
///     while (!controller.ended()) { controller.next_cycle(); }
class controller : public sc_core::sc_module {
public:
    controller(sc_core::sc_module_name name, const device_limits& limits);

    /// Starts a command that check() accepts (fetta/isa/contract_check.h); its first cycle is the next one.
    void start(const contract_command& command);
    /// Whether the command has ended: its last sums reached the accumulators in the previous cycle.
    bool ended() const { return m_arriving.ended(); }
    /// Advances to the next cycle; call it while !ended(). Valid until the next call.
    const contract_controls& next_cycle();
    const char* kind() const override { return "controller"; }

private:
    void control_engines();
    void control_results();

    device_limits m_limits;
    operand_stream m_ia, m_ib;
    operand_stream m_entering; // sums that enter the reduction network
    operand_stream m_arriving; // sums that reach the accumulators

    contract_command m_command;
    std::optional<fetta::contract_index> m_index; // of the command
    bool m_output_stationary = false;
    std::uint64_t m_cycle = 0;
    std::uint64_t m_tiles = 0; // started
    static constexpr std::uint64_t never = ~std::uint64_t{0};
    std::uint64_t m_finish = never; // output-stationary: the cycle in which the sums of a tile are complete
    contract_tile m_finished;       // that tile
    contract_controls m_controls;
};

} // namespace tensorloom::fetta
