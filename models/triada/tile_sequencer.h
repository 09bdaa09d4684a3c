#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <systemc>
#include <tensorloom/models/arch/triada/gemt_command.h>
#include <tensorloom/models/arch/triada/gemt_tiles.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/models/triada/cell_transfer.h>
#include <tensorloom/models/triada/stream_control.h>

namespace tensorloom::triada {

/// What a device is doing, as waveforms show it: the first of these that its command waits for.
enum class device_phase : unsigned { none = 0, matrices = 1, load = 2, compute = 3, unload = 4 };

/// The phase of a device, for waveforms. The device and the sequencer of its tiles tell it.
class phase_signal {
public:
    void enter(device_phase phase) { m_value = static_cast<unsigned>(phase); }
    const unsigned& value() const { return m_value; }

private:
    unsigned m_value = static_cast<unsigned>(device_phase::none);
};

/// A block that went through the memory port of the cells, for the log.
struct block_transfer {
    bool unload;               ///< of a result; otherwise a load, of an operand or of an initial result
    unsigned stage;            ///< 0, 1, 2
    std::uint32_t block;       ///< the pass that an operand is for; the number of a result
    std::uint64_t start_cycle; ///< of the time for which the computation waited
    std::uint64_t cycles;      ///< ... and how long; 0 when it was all hidden behind passes
    arch::triada::counts counts;
};

/// Runs a product that is larger than the mesh: stage by stage, pass by pass (arch/triada/gemt_tiles.h), with a thread
/// of its own for the memory port.
///
/// An operand and an accumulator of each pass are in two of the cells' four registers: operands in `input` and
/// `second`, accumulators in `first` and `result`. Double buffering uses both of each kind in turn, otherwise the first
/// of each is used.
///
/// The port's order, for pass q = 0, 1, ... of a stage: load the operand of q; unload the result that pass q - B
/// closed; clear or load the accumulator that q opens. B is 2 with double buffering, otherwise 1. That begins when pass
/// q - B is over. A pass begins when its operand and, if it opens a result, its accumulator are ready. So one transfer
/// or one pass is always under way, and without double buffering never both. A stage begins when the one before it has
/// been unloaded.
///
/// A stop acts on a pass at the next time-step boundary, on a transfer at the next burst or cycle boundary. A transfer
/// that fails ends the command when the pass under way is over; a pass that overflows, when the transfer under way is
/// over.
class tile_sequencer : public sc_core::sc_module {
public:
    /// `log` gets every transfer, in the order of start_cycle and in that of the steps. `phase` is told what the
    /// command waits for.
    tile_sequencer(sc_core::sc_module_name name, cell_transfer& transfers, cell_memory_if& cells,
                   stream_control& streams, const shell::program_clock& clock, arch::element_type format,
                   std::function<void(const block_transfer&)> log, phase_signal& phase);

    shell::command_outcome run(const arch::triada::gemt_command& command, const arch::triada::gemt_plan& plan);
    const char* kind() const override { return "tile_sequencer"; }

private:
    /// What both threads know of the stage under way.
    struct stage_run {
        const arch::triada::gemt_command& command;
        arch::tiled_stage stage;
        arch::tensor_descriptor input;
        arch::tensor_descriptor output;
        std::optional<arch::tensor_descriptor> initial; ///< of the output
        std::uint64_t passes;
        unsigned buffers; ///< 1 or 2

        std::uint64_t result_of(std::uint64_t pass) const { return pass / stage.passes_of_result(); }
        cell_register operand_register(std::uint64_t pass) const
        {
            return pass % buffers == 0 ? cell_register::input : cell_register::second;
        }
        cell_register sum_register(std::uint64_t pass) const
        {
            return result_of(pass) % buffers == 0 ? cell_register::first : cell_register::result;
        }
    };

    /// A transfer that has ended, before it is known how much of it was waited for.
    struct ended_transfer {
        bool unload;
        std::uint32_t block;
        transfer_report report;
    };

    // the thread of the command
    shell::command_outcome run_stage(const stage_run& run);
    shell::command_outcome run_passes();
    shell::command_outcome run_pass(std::uint64_t pass);
    bool may_run(std::uint64_t pass) const;
    template <class Ready> bool wait_for_transfers(device_phase phase, const Ready& ready);
    void log_ended(std::uint64_t waited_from, std::uint64_t before);

    // the thread of the memory port
    void serve_port();
    bool wait_for_pass(std::uint64_t pass);
    bool transfer_for(std::uint64_t pass);
    bool ended(bool unload, std::uint64_t block, const transfer_report& report);
    bool cancelled() const { return m_cancelled_at && *m_cancelled_at < m_clock.now(); }

    cell_transfer& m_transfers;
    cell_memory_if& m_cells;
    stream_control& m_streams;
    const shell::program_clock& m_clock;
    arch::element_type m_format;
    std::function<void(const block_transfer&)> m_log;
    phase_signal& m_phase;

    std::optional<stage_run> m_run;
    sc_core::sc_event m_stage_begins;
    sc_core::sc_event m_pass_ended;     // or there will be no more
    sc_core::sc_event m_transfer_ended; // or there will be no more
    std::uint64_t m_passes_done = 0;
    std::uint64_t m_operands_loaded = 0;         // passes whose operand is there
    std::uint64_t m_port_done = 0;               // passes for which the port has done all of its part
    bool m_port_busy = false;                    // it has not come to the end of the stage
    std::optional<std::uint64_t> m_cancelled_at; // cycle: the port begins nothing later than this
    std::optional<std::uint64_t> m_failed_at;    // cycle: no pass begins later than this
    bool m_is_waiting = false;                   // the command does, for transfers
    shell::command_outcome m_port_outcome;
    std::deque<ended_transfer> m_ended; // not logged yet
};

} // namespace tensorloom::triada
