#include <tensorloom/models/triada/tiled_gemt.h>

namespace tensorloom::triada {
namespace {

cell_register operand_register(unsigned buffer) { return buffer == 0 ? cell_register::input : cell_register::second; }
cell_register sum_register(unsigned buffer) { return buffer == 0 ? cell_register::first : cell_register::result; }

} // namespace

shell::command_outcome tiled_gemt::run(blocks::pass_sequencer& sequencer, const gemt_command& command,
                                       const gemt_plan& plan)
{
    m_command = &command;
    blocks::product_tensors tensors;
    tensors.x = command.x;
    tensors.y = command.y;
    if (command.accumulate()) { tensors.initial_y = command.initial_y; }
    tensors.workspace = command.workspace.base;
    tensors.format = static_cast<base::element_type>(command.x.type);
    return tiled_product::run(sequencer, plan, tensors, command.double_buffer() ? 2 : 1);
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
    return any(m_transfers.unload(sum_register(buffer), block, m_command->shifts[stage().position]));
}

shell::command_outcome tiled_gemt::run_pass(const isa::tile_pass& pass, std::uint64_t number, unsigned operand,
                                            unsigned sums)
{
    const unsigned mode = stage().mode;
    const auto box = pass.box();
    stream_link link = link_of(*m_command, stage());
    auto& s = link.switches;
    s.window = {pass.operand.first[mode], pass.operand.size[mode], pass.result.first[mode], pass.result.size[mode]};
    s.length = box[mode];
    s.source = operand_register(operand);
    s.target = sum_register(sums);
    const std::uint64_t result = number / stage().passes_of_result();
    s.first_step = static_cast<std::uint32_t>(result * stage().input[mode] + pass.operand.first[mode]);
    return m_streams.run(box, {link});
}

} // namespace tensorloom::triada
