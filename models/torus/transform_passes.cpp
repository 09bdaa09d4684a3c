#include <tensorloom/models/torus/transform_passes.h>

namespace tensorloom::torus {

using shell::command_outcome;

unsigned result_shift(const orbit_command& c) { return c.shifts[stages_of(c).end - 1]; }

command_outcome run_stages(stage_runner& runner, const fitting_transform& work, std::uint64_t transforms_before,
                           blocks::running_pass_if& control, bool beside_transfers)
{
    const auto& command = *work.command;
    const auto descriptors = runner.stages(command.way);
    const auto range = stages_of(command);
    stage_pass p;
    p.operand_in = work.memories.operand;
    p.shift = work.pending_shift;
    for (unsigned s = range.first; s < range.end; ++s) {
        const bool makes_result = s + 1 == range.end;
        if (makes_result && beside_transfers && !control.wait_for_result()) { return {isa::error_code::aborted}; }
        p.stage = descriptors[s];
        p.opens = !(makes_result && command.accumulate());
        p.sums_in = work.memories.sums[s];
        const auto outcome = runner.run(s, p, transforms_before);
        if (!outcome.ok()) { return outcome; }
        if (s == range.first && beside_transfers) { control.release_operand(); }
        p.operand_in = p.sums_in;
        p.shift = command.shifts[s];
    }
    return {};
}

// ---- those that fit ----

command_outcome transform_stream::run(blocks::pass_sequencer& sequencer, const fitting_transform& work)
{
    m_work = work;
    m_command = work.command;
    m_transforms = transforms_of(m_command->x.present() ? m_command->x : m_command->y);
    return sequencer.run(*this);
}

std::optional<blocks::erased_transfer> transform_stream::load(std::uint64_t pass)
{
    if (!m_command->x.present()) { return std::nullopt; }
    return blocks::any(m_transfers.load(transform_of(m_command->x, pass), m_work.operand()));
}

std::optional<blocks::erased_transfer> transform_stream::open(std::uint64_t pass)
{
    if (!m_command->accumulate()) { return std::nullopt; } // sums start at +0
    return blocks::any(m_transfers.load(transform_of(m_command->y, pass), m_work.result()));
}

std::optional<blocks::erased_transfer> transform_stream::unload(std::uint64_t pass)
{
    if (m_command->hold_result()) { return std::nullopt; }
    return blocks::any(m_transfers.unload(m_work.result(), transform_of(m_command->y, pass), result_shift(*m_command)));
}

command_outcome transform_stream::run(std::uint64_t pass, blocks::running_pass_if& control)
{
    return run_stages(m_stages, m_work, pass, control, m_command->double_buffer());
}

// ---- larger ones ----

command_outcome tiled_transform::run(blocks::pass_sequencer& sequencer, const orbit_command& command,
                                     const isa::tile_plan& plan, std::uint64_t transform)
{
    m_way = command.way;
    m_shifts = command.shifts;
    m_range = stages_of(command);
    m_accumulates = command.accumulate();
    m_descriptors = m_stages.stages(m_way);
    m_transform = transform;
    blocks::product_tensors tensors;
    tensors.x.at = transform_of(command.x, transform);
    tensors.y.at = transform_of(command.y, transform);
    if (m_accumulates) { tensors.initial_y = tensors.y; }
    tensors.workspace = command.workspace.base;
    tensors.format = static_cast<base::element_type>(command.x.type);
    const unsigned buffers = command.double_buffer() ? 2 : 1;
    return tiled_product::run(sequencer, plan, tensors, {buffers, buffers, buffers});
}

// The slots that the stage does not use, in the order X, X1, X2, X3.
std::array<slot, 2> tiled_transform::idle_slots() const
{
    std::array<slot, 2> idle{};
    unsigned found = 0;
    for (const slot s : {slot::x, slot::x1, slot::x2, slot::x3}) {
        if (s != descriptor().operand && s != descriptor().accumulator) { idle.at(found++) = s; }
    }
    return idle;
}

tensor_place tiled_transform::operand_place(unsigned buffer) const
{
    return {descriptor().operand, buffer == 0 ? descriptor().operand : idle_slots()[0]};
}

tensor_place tiled_transform::sums_place(unsigned buffer) const
{
    return {descriptor().accumulator, buffer == 0 ? descriptor().accumulator : idle_slots()[1]};
}

blocks::erased_transfer tiled_transform::load_operand(const isa::tensor_descriptor& block, unsigned buffer)
{
    return blocks::any(m_transfers.load(block, operand_place(buffer)));
}

std::optional<blocks::erased_transfer>
tiled_transform::open(const isa::mode_sizes&, const std::optional<isa::tensor_descriptor>& initial, unsigned buffer)
{
    if (!initial) { return std::nullopt; } // sums start at +0
    return blocks::any(m_transfers.load(*initial, sums_place(buffer)));
}

blocks::erased_transfer tiled_transform::unload(unsigned buffer, const isa::tensor_descriptor& block)
{
    return blocks::any(m_transfers.unload(sums_place(buffer), block, m_shifts[index()]));
}

command_outcome tiled_transform::run_pass(const isa::tile_pass& pass, std::uint64_t number, unsigned operand_buffer,
                                          unsigned sums_buffer)
{
    const unsigned mode = stage().mode;
    const std::uint32_t operand = pass.operand.first[mode] / stage().operand_tile[mode];
    const std::uint32_t result = pass.result.first[mode] / stage().result_tile[mode];
    stage_pass p;
    p.stage = descriptor();
    p.window = m_way == direction::forward ? std::array{operand, result} : std::array{result, operand};
    p.opens = pass.opens && !(m_accumulates && index() + 1 == m_range.end);
    p.operand_in = operand_place(operand_buffer).in;
    p.sums_in = sums_place(sums_buffer).in;
    return m_stages.run(index(), p, m_transform * stage().passes() + number);
}

} // namespace tensorloom::torus
