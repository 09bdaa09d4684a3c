#pragma once
#include <functional>
#include <tensorloom/models/blocks/pass_sequencer.h>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <tensorloom/models/triada/cell_contents.h>
#include <tensorloom/models/triada/cell_transfer.h>
#include <tensorloom/models/triada/stream_control.h>

namespace tensorloom::triada {

/// Runs a POINTWISE command: every cell of X's corner changes its own element, in place, in one time-step
/// (arithmetic/pointwise.h).
///
/// X comes from memory or is the held tensor. The operand of multiply and add lies in a register of its own: loaded,
/// and given up or kept afterwards, or kept from an earlier command. The value of add, scale and threshold comes as a
/// coefficient on every lateral line of the corner; cells latch it.
class pointwise_runner {
public:
    using transfer_log = std::function<shell::command_outcome(const char* name, const transfer_report&)>;

    pointwise_runner(const config& config, cell_transfer& transfers, stream_control& streams, cell_contents& contents,
                     blocks::phase_signal& phase, transfer_log log)
        : m_config(config), m_transfers(transfers), m_streams(streams), m_contents(contents), m_phase(phase),
          m_log(std::move(log))
    {}

    /// not_resident: a tensor that the command uses does not lie there in its sizes; too_large: too few registers.
    shell::command_outcome run(const isa::pointwise_command& command);

private:
    shell::command_outcome place(const isa::pointwise_command& command);
    shell::command_outcome run_placed(const isa::pointwise_command& command);
    std::optional<cell_register> free_register(std::optional<cell_register> except) const;

    const config& m_config;
    cell_transfer& m_transfers;
    stream_control& m_streams;
    cell_contents& m_contents;
    blocks::phase_signal& m_phase;
    transfer_log m_log;
    resident_tensor m_x, m_operand; // of the running command
};

} // namespace tensorloom::triada
