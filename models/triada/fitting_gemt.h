#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <tensorloom/models/blocks/pass_sequencer.h>
#include <tensorloom/models/triada/cell_contents.h>
#include <tensorloom/models/triada/cell_transfer.h>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <tensorloom/models/triada/stream_control.h>

namespace tensorloom::triada {

/// Runs a product that fits the mesh: its stages follow each other in the cells, from register to register
/// (registers_of_stages()). X comes from memory or lies there, Y goes to memory or stays (cell_contents.h).
///
/// Beside the stages the memory port stores the held tensor (store_previous), then loads the next X (load_next). Where
/// a cell has registers enough, the stages leave the registers of both alone: the last one writes the register that X
/// has left. Otherwise a stage that writes the held tensor's register begins when that is stored, and the next X is
/// loaded when its register is free. The command ends when all of this is done. A stop acts on a stage at the next
/// time-step boundary, on a transfer at the next burst or cycle boundary.
class fitting_gemt : private blocks::pass_series_if {
public:
    /// `log`: a transfer that a stage may have hidden.
    using transfer_log = std::function<void(const blocks::logged_transfer&)>;

    fitting_gemt(const config& config, cell_transfer& transfers, cell_memory_if& cells, stream_control& streams,
                 cell_contents& contents, transfer_log log)
        : m_config(config), m_transfers(transfers), m_cells(cells), m_streams(streams), m_contents(contents),
          m_log(std::move(log))
    {}

    /// not_resident: a tensor that the command uses does not lie there in its sizes; too_large: too few registers.
    shell::command_outcome run(blocks::pass_sequencer& sequencer, const gemt_command& command, const gemt_plan& plan);

private:
    // pass_series_if: pass 0 is the product; pass 1 only waits for the next X
    std::uint64_t passes() const override { return m_command->load_next() ? 2 : 1; }
    unsigned buffers() const override { return 1; }
    std::uint64_t result_of(std::uint64_t pass) const override { return pass; }
    bool opens(std::uint64_t pass) const override { return pass == 0; }
    bool closes(std::uint64_t pass) const override { return pass == 0; }
    bool begins_with_result() const override { return !m_command->store_previous(); }
    bool open_stores() const override { return m_command->store_previous(); }
    bool moves_beside_passes() const override { return m_command->store_previous() || m_command->load_next(); }
    std::optional<blocks::erased_transfer> load(std::uint64_t pass) override;
    std::optional<blocks::erased_transfer> open(std::uint64_t pass) override;
    std::optional<blocks::erased_transfer> unload(std::uint64_t pass) override;
    shell::command_outcome run(std::uint64_t pass, blocks::running_pass_if& control) override;
    void log(const blocks::logged_transfer& transfer) override { m_log(transfer); }

    shell::command_outcome place();
    bool choose_registers(cell_register x);
    cell_register place_of_next() const;
    bool is_used_from(std::size_t stage, cell_register reg) const;
    shell::command_outcome run_stages(blocks::running_pass_if& control);
    void remember();

    const config& m_config;
    cell_transfer& m_transfers;
    cell_memory_if& m_cells;
    stream_control& m_streams;
    cell_contents& m_contents;
    transfer_log m_log;
    // of the running command
    const gemt_command* m_command = nullptr;
    const gemt_plan* m_plan = nullptr;
    std::optional<resident_tensor> m_x;        // where X lies already
    std::optional<resident_tensor> m_previous; // the held tensor, to be stored
    stage_registers m_registers;
    cell_register m_next = cell_register::input; // of the next X
};

} // namespace tensorloom::triada
