#include <tensorloom/models/triada/tiled_gemt.h>
#include <algorithm>
#include <utility>

namespace tensorloom::triada {
namespace {

// Input, first, second and result as buffers of operands and of sums, in turn; further registers for sums.
cell_register operand_register(unsigned buffer) { return buffer == 0 ? cell_register::input : cell_register::second; }
cell_register sum_register(unsigned buffer) { return static_cast<cell_register>(buffer == 0 ? 1 : buffer + 2); }

} // namespace

shell::command_outcome tiled_gemt::run(blocks::pass_sequencer& sequencer, const gemt_command& command,
                                       const gemt_plan& plan)
{
    m_command = &command;
    const auto format = static_cast<base::element_type>(command.x.type);
    const std::uint64_t element = base::element_bytes(format);
    blocks::product_tensors tensors;
    tensors.x = {command.x, command.x_tiles()};
    tensors.y = {command.y, command.y_tiles()};
    if (command.accumulate()) { tensors.initial_y = blocks::placed_tensor{command.initial_y, command.y_tiles()}; }
    tensors.workspace = command.workspace.base + plan.x_copy_elements * element;
    tensors.workspace_tiles = command.work_tiles();
    if (command.work_tiles()) { // the rest of the workspace
        tensors.workspace_gap = (command.workspace.elements() - plan.workspace_elements()) * element;
    }
    tensors.format = format;
    if (command.convert_x()) {
        tensors.x = {isa::dense_descriptor(command.workspace.base, format,
                                           {command.x.size[0], command.x.size[1], command.x.size[2]}),
                     true};
        const auto outcome = convert({command.x, false}, tensors.x, plan.stages.front().position);
        if (!outcome.ok()) { return outcome; }
    }
    if (command.convert_y()) {
        const std::uint64_t at =
            tensors.workspace + plan.tile_plan::workspace_elements() * element + tensors.workspace_gap;
        tensors.y = {isa::dense_descriptor(at, static_cast<base::element_type>(command.y.type),
                                           {command.y.size[0], command.y.size[1], command.y.size[2]}),
                     true};
    }
    const auto buffers = registers_used();
    m_unloaded = 0;
    m_transfers.run_ahead(buffers.ahead);
    const auto outcome = tiled_product::run(sequencer, plan, tensors, buffers);
    if (!outcome.ok()) { log_last_bursts(); }
    m_transfers.run_ahead(false);
    if (!outcome.ok() || !command.convert_y()) { return outcome; }
    return convert(tensors.y, {command.y, false}, plan.stages.back().position);
}

blocks::product_buffers tiled_gemt::registers_used() const
{
    const unsigned partials = std::max<unsigned>(m_command->partials, 1);
    if (!m_command->double_buffer()) { return {1, partials, 1, false}; }
    const unsigned sums = std::min(m_config.cell_registers, 2 * partials);
    return {2, sums, sums, (m_command->flags & gemt_command::layout_flags) != 0};
}

// Copies a tensor between rows and tiles, as many tiles at a time as there are registers. With double buffering, a load
// follows the store before it at once: its elements arrive when those of the store have left the registers.
shell::command_outcome tiled_gemt::convert(const blocks::placed_tensor& from, const blocks::placed_tensor& to,
                                           unsigned position)
{
    const shape3 size{from.at.size[0], from.at.size[1], from.at.size[2]};
    const shape3& tile = m_config.mesh;
    const std::uint64_t widest = std::uint64_t{tile[2]} * m_config.registers();
    shell::command_outcome outcome;
    std::uint32_t number = 0;
    isa::tensor_block block;
    m_transfers.run_ahead(m_command->double_buffer());
    for (block.first[0] = 0; block.first[0] < size[0]; block.first[0] += block.size[0]) {
        block.size[0] = std::min(tile[0], size[0] - block.first[0]);
        for (block.first[1] = 0; block.first[1] < size[1]; block.first[1] += block.size[1]) {
            block.size[1] = std::min(tile[1], size[1] - block.first[1]);
            for (block.first[2] = 0; block.first[2] < size[2] && outcome.ok(); block.first[2] += block.size[2]) {
                block.size[2] = static_cast<std::uint32_t>(std::min<std::uint64_t>(widest, size[2] - block.first[2]));
                outcome = copy(block, from, to, {position, number++});
            }
        }
    }
    const auto stored = end_copy();
    m_transfers.run_ahead(false);
    return outcome.ok() ? stored : outcome;
}

shell::command_outcome tiled_gemt::copy(const isa::tensor_block& block, const blocks::placed_tensor& from,
                                        const blocks::placed_tensor& to, const block_place& place)
{
    const auto type = static_cast<base::element_type>(from.at.type);
    tile_row tiles{m_config.mesh, block.size, {}};
    for (std::uint32_t at = 0; at < block.size[2]; at += m_config.mesh[2]) {
        tiles.registers.push_back(static_cast<cell_register>(tiles.registers.size()));
    }
    const auto in = [&](const blocks::placed_tensor& tensor) {
        const auto at = tensor.block(m_config.mesh, block);
        if (!tensor.tiles) { return at; }
        return isa::dense_descriptor(at.base, type, {block.size[0], block.size[1] * block.size[2]});
    };
    m_phase.enter(blocks::device_phase::load);
    auto loaded = blocks::any(m_transfers.load(tiles, in(from)));
    m_transfers.wait_for(loaded);
    const auto stored = end_copy(); // the one before
    log_copy(place, false, loaded);
    if (!loaded.outcome.ok() || !stored.ok()) { return loaded.outcome.ok() ? stored : loaded.outcome; }
    m_phase.enter(blocks::device_phase::unload);
    m_stored.emplace(place, blocks::any(m_transfers.unload(tiles, in(to))));
    return m_command->double_buffer() ? m_stored->second.outcome : end_copy();
}

// Waits for the last store of a copy and logs it.
shell::command_outcome tiled_gemt::end_copy()
{
    if (!m_stored) { return {}; }
    auto [place, stored] = *std::exchange(m_stored, std::nullopt);
    m_transfers.wait_for(stored);
    log_copy(place, true, stored);
    return stored.outcome;
}

// Logs the wait for the bursts of results that had left the cells when the product failed.
void tiled_gemt::log_last_bursts()
{
    const auto last = m_transfers.end_bursts();
    if (last.cycles > 0) { log_copy({stage().position, 0}, true, blocks::any(last)); }
}

void tiled_gemt::log_copy(const block_place& place, bool unload, const blocks::erased_transfer& transfer)
{
    m_transfers.count_stalls();
    m_log(place.position, {unload, place.number, transfer.start_cycle, transfer.cycles, 0, transfer.counts});
}

blocks::erased_transfer tiled_gemt::load_operand(const isa::tensor_descriptor& block, unsigned buffer)
{
    return any(m_transfers.load({{block, operand_register(buffer)}}));
}

std::optional<blocks::erased_transfer>
tiled_gemt::open(const isa::mode_sizes& sizes, const std::optional<isa::tensor_descriptor>& initial, unsigned buffer)
{
    if (initial) { return any(m_transfers.load({{*initial, sum_register(buffer)}})); }
    m_cells.clear(sum_register(buffer), sizes);
    return std::nullopt;
}

blocks::erased_transfer tiled_gemt::unload(unsigned buffer, const isa::tensor_descriptor& block)
{
    const bool last = ++m_unloaded == stage().results();
    if (last) { m_unloaded = 0; }
    return any(m_transfers.unload(sum_register(buffer), block, m_command->shifts[stage().position], last));
}

shell::command_outcome tiled_gemt::run_pass(const isa::tile_pass& pass, std::uint64_t, unsigned operand, unsigned sums)
{
    const unsigned mode = stage().mode;
    const auto box = pass.box();
    stream_link link = link_of(*m_command, stage());
    auto& s = link.switches;
    s.window = {pass.operand.first[mode], pass.operand.size[mode], pass.result.first[mode], pass.result.size[mode]};
    s.length = box[mode];
    s.source = operand_register(operand);
    s.target = sum_register(sums);
    s.first_step = static_cast<std::uint32_t>(pass.first_row);
    return m_streams.run(box, {link});
}

} // namespace tensorloom::triada
