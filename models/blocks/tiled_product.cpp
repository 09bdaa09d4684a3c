#include <tensorloom/models/blocks/tiled_product.h>

namespace tensorloom::blocks {

using shell::command_outcome;

command_outcome tiled_product::run(pass_sequencer& sequencer, const isa::tile_plan& plan,
                                   const product_tensors& tensors, const product_buffers& buffers)
{
    const auto intermediate = [&](std::size_t index) {
        const auto& shape = plan.stages[index].output;
        const auto at = tensors.workspace + plan.workspace_offset(index) * base::element_bytes(tensors.format) +
                        (index > 0 ? tensors.workspace_gap : 0);
        return placed_tensor{isa::dense_descriptor(at, tensors.format, {shape[0], shape[1], shape[2]}),
                             tensors.workspace_tiles};
    };
    m_buffers = buffers;
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        const bool last = i + 1 == plan.stages.size();
        m_stage = plan.stages[i];
        m_input = i == 0 ? tensors.x : intermediate(i - 1);
        m_output = last ? tensors.y : intermediate(i);
        m_initial = last ? tensors.initial_y : std::nullopt;
        m_passes = m_stage.passes();
        const auto outcome = sequencer.run(*this);
        if (!outcome.ok()) { return outcome; }
    }
    return {};
}

std::optional<erased_transfer> tiled_product::load(std::uint64_t pass)
{
    const auto p = m_stage.pass(pass);
    return load_operand(m_input.block(m_stage.operand_tile, p.operand), operand_buffer(p));
}

std::optional<erased_transfer> tiled_product::open(std::uint64_t pass)
{
    const auto p = m_stage.pass(pass);
    std::optional<isa::tensor_descriptor> initial;
    if (m_initial) { initial = m_initial->block(m_stage.result_tile, p.result); }
    return open(p.result.size, initial, sum_buffer(p));
}

std::optional<erased_transfer> tiled_product::unload(std::uint64_t pass)
{
    const auto p = m_stage.pass(pass);
    return unload(sum_buffer(p), m_output.block(m_stage.result_tile, p.result));
}

command_outcome tiled_product::run(std::uint64_t pass, running_pass_if&)
{
    const auto p = m_stage.pass(pass);
    return run_pass(p, pass, operand_buffer(p), sum_buffer(p));
}

} // namespace tensorloom::blocks
