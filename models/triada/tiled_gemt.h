#pragma once
#include <cstdint>
#include <functional>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <tensorloom/models/blocks/tiled_product.h>
#include <tensorloom/models/triada/cell_transfer.h>
#include <tensorloom/models/triada/stream_control.h>

namespace tensorloom::triada {

/// Runs a product that is larger than the mesh, block by block (blocks/tiled_product.h).
///
/// Each pass uses two of the cells' four registers: its operand is in `input` or `second`, its accumulator in `first`
/// or `result`. Double buffering alternates between the two of each kind; otherwise the first one is used. A stop acts
/// on a pass at the next time-step boundary.
class tiled_gemt : private blocks::tiled_product {
public:
    /// A transfer of a stage, 0 to 2.
    using transfer_log = std::function<void(unsigned stage, const blocks::logged_transfer&)>;

    tiled_gemt(cell_transfer& transfers, cell_memory_if& cells, stream_control& streams, transfer_log log)
        : m_transfers(transfers), m_cells(cells), m_streams(streams), m_log(std::move(log))
    {}

    shell::command_outcome run(blocks::pass_sequencer& sequencer, const gemt_command& command, const gemt_plan& plan);

private:
    blocks::erased_transfer load_operand(const isa::tensor_descriptor& block, unsigned buffer) override;
    std::optional<blocks::erased_transfer>
    open(const isa::mode_sizes& sizes, const std::optional<isa::tensor_descriptor>& initial, unsigned buffer) override;
    blocks::erased_transfer unload(unsigned buffer, const isa::tensor_descriptor& block) override;
    shell::command_outcome run_pass(const isa::tile_pass& pass, std::uint64_t number, unsigned operand,
                                    unsigned sums) override;
    void log(const blocks::logged_transfer& transfer) override { m_log(stage().position, transfer); }

    cell_transfer& m_transfers;
    cell_memory_if& m_cells;
    stream_control& m_streams;
    transfer_log m_log;
    const gemt_command* m_command = nullptr;
};

} // namespace tensorloom::triada
