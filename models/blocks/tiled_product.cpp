#include <tensorloom/models/blocks/tiled_product.h>

namespace tensorloom::blocks {

using shell::command_outcome;

command_outcome tiled_product::run(pass_sequencer& sequencer, const isa::tile_plan& plan,
                                   const product_tensors& tensors, unsigned buffers)
{
    const auto intermediate = [&](std::size_t index) {
        const auto& shape = plan.stages[index].output;
        return isa::dense_descriptor(tensors.workspace +
                                         plan.workspace_offset(index) * base::element_bytes(tensors.format),
                                     tensors.format, {shape[0], shape[1], shape[2]});
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
    return load_operand(isa::block_descriptor(m_input, m_stage.pass(pass).operand), operand_buffer(pass));
}

std::optional<erased_transfer> tiled_product::open(std::uint64_t pass)
{
    const auto block = m_stage.pass(pass).result;
    std::optional<isa::tensor_descriptor> initial;
    if (m_initial) { initial = isa::block_descriptor(*m_initial, block); }
    return open(block.size, initial, sum_buffer(pass));
}

std::optional<erased_transfer> tiled_product::unload(std::uint64_t pass)
{
    return unload(sum_buffer(pass), isa::block_descriptor(m_output, m_stage.pass(pass).result));
}

command_outcome tiled_product::run(std::uint64_t pass, running_pass_if&)
{
    return run_pass(m_stage.pass(pass), pass, operand_buffer(pass), sum_buffer(pass));
}

} // namespace tensorloom::blocks
