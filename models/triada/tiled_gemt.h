#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <tensorloom/models/blocks/tiled_product.h>
#include <tensorloom/models/triada/cell_transfer.h>
#include <tensorloom/models/triada/stream_control.h>

namespace tensorloom::triada {

/// Runs a product that is larger than the mesh, block by block (blocks/tiled_product.h).
///
/// Each pass uses two registers of the cells: its operand is in `input` or `second`, its accumulator in one of the
/// others. Double buffering alternates between the two operand registers; otherwise `input` is used. Results use the
/// accumulators in turn: with double buffering all of them, but at most two groups of the blocks that share operands;
/// otherwise those of one group. A stop acts on a pass at the next time-step boundary.
///
/// Before the first stage, X in rows is copied into the workspace tile by tile, if the command says so; after the last
/// stage Y is copied from the workspace to its rows. Both copies move as many tiles at a time as a cell has registers,
/// neighbours along mode 3, so that a row is as long as possible.
class tiled_gemt : private blocks::tiled_product {
public:
    /// A transfer of a stage, 0 to 2.
    using transfer_log = std::function<void(unsigned stage, const blocks::logged_transfer&)>;

    tiled_gemt(const config& config, cell_transfer& transfers, cell_memory_if& cells, stream_control& streams,
               blocks::phase_signal& phase, transfer_log log)
        : m_config(config), m_transfers(transfers), m_cells(cells), m_streams(streams), m_phase(phase),
          m_log(std::move(log))
    {}

    shell::command_outcome run(blocks::pass_sequencer& sequencer, const gemt_command& command, const gemt_plan& plan);

private:
    blocks::erased_transfer load_operand(const isa::tensor_descriptor& block, unsigned buffer) override;
    std::optional<blocks::erased_transfer>
    open(const isa::mode_sizes& sizes, const std::optional<isa::tensor_descriptor>& initial, unsigned buffer) override;
    blocks::erased_transfer unload(unsigned buffer, const isa::tensor_descriptor& block) override;
    shell::command_outcome run_pass(const isa::tile_pass& pass, std::uint64_t number, unsigned operand,
                                    unsigned sums) override;
    void wait_for(blocks::erased_transfer& transfer) override { m_transfers.wait_for(transfer); }
    void log(const blocks::logged_transfer& transfer) override
    {
        m_transfers.count_stalls();
        m_log(stage().position, transfer);
    }

    blocks::product_buffers registers_used() const;
    /// A block of a copy, for the log.
    struct block_place {
        unsigned position; ///< of the stage
        std::uint32_t number;
    };
    shell::command_outcome convert(const blocks::placed_tensor& from, const blocks::placed_tensor& to,
                                   unsigned position);
    shell::command_outcome copy(const isa::tensor_block& block, const blocks::placed_tensor& from,
                                const blocks::placed_tensor& to, const block_place& place);
    shell::command_outcome end_copy();
    void log_last_bursts();
    void log_copy(const block_place& place, bool unload, const blocks::erased_transfer& transfer);

    const config& m_config;
    cell_transfer& m_transfers;
    cell_memory_if& m_cells;
    stream_control& m_streams;
    blocks::phase_signal& m_phase;
    transfer_log m_log;
    const gemt_command* m_command = nullptr;
    std::uint64_t m_unloaded = 0;                                            // blocks of the running stage
    std::optional<std::pair<block_place, blocks::erased_transfer>> m_stored; // of a copy, not logged yet
};

} // namespace tensorloom::triada
