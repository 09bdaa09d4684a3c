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

/// What the controller tells the path of the results in one cycle.
struct result_controls {
    bool enters = false;          ///< beats of sums enter the reduction network
    std::uint32_t bank_index = 0; ///< ... which this one routes
    beat_addresses arrives; ///< beats of sums come to the accumulators; places are those of what goes on to the banks
    accumulation what;      ///< ... where this is done with them
};

/// What the controller tells all blocks in one cycle of the engines.
struct contract_controls {
    engine_control engines;
    std::vector<std::uint32_t> valid; ///< by engine: engine_operands::valid
    beat_addresses ia, ib;            ///< that are read in this cycle
    result_controls result;
    std::uint64_t tile = 0; ///< number of the tile whose rows of IA entered last, from 0
};

/// The controller of a FETTA, as far as it runs a CONTRACT: nests of loop counters for IA, IB and the result, with an
/// address generator each, which tell the engines, the networks' paths and the accumulators in every cycle what to do.
///
/// Source: "FETTA" (arXiv 2504.06474), section V-D and figure 15: a state machine of loop counters; bank transitions
/// where loops wrap, which update the bank index; its exclusive or with the engines' numbers is the networks' control
/// (blocks/butterfly.h).
///
/// A cycle is one of the engines (fetta/isa/schedule.h). What a cycle lasts longer, because rows lie in one bank, is
/// not the controller's business: whoever steps it waits.
///
/// The block has no process: next_cycle() once per cycle.
/// Not modelled: the decoder of the commands, which takes no cycle.
class controller : public sc_core::sc_module {
public:
    controller(sc_core::sc_module_name name, const device_limits& limits);

    /// A command without complaint (fetta/isa/contract_check.h); its first cycle is the next one.
    void start(const contract_command& command);
    /// No cycle remains: the last beats of sums came to the accumulators in the one before.
    bool ended() const { return m_arriving.ended(); }
    /// On to the next cycle, while not ended(). Valid until the next call.
    const contract_controls& next_cycle();
    const char* kind() const override { return "controller"; }

private:
    void control_engines();
    void control_results();

    device_limits m_limits;
    operand_stream m_ia, m_ib;
    operand_stream m_entering; // beats of sums that come to the reduction network
    operand_stream m_arriving; // ... that come to the accumulators

    contract_command m_command;
    std::optional<fetta::contract_index> m_index; // of the command
    bool m_output_stationary = false;
    std::uint64_t m_cycle = 0;
    std::uint64_t m_tiles = 0; // that have begun
    bool m_finishes = false;   // output-stationary: the last step was that of a tile
    contract_tile m_finished;  // ... which is this one
    contract_controls m_controls;
};

} // namespace tensorloom::fetta
