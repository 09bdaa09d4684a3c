#include <tensorloom/models/torus/transform_passes.h>

namespace tensorloom::torus {

using shell::command_outcome;

namespace {

slot transformed(const orbit_command& c) { return static_cast<slot>(static_cast<unsigned>(slot::x) + c.stages()); }
slot operand_slot(const orbit_command& c) { return c.way == direction::forward ? slot::x : transformed(c); }
slot result_slot(const orbit_command& c) { return c.way == direction::forward ? transformed(c) : slot::x; }

} // namespace

stage_range stages_of(const orbit_command& c) { return {c.first_stage(), c.first_stage() + c.stages()}; }

unsigned result_shift(const orbit_command& c) { return c.shifts[stages_of(c).end - 1]; }

// ---- those that fit ----

command_outcome transform_stream::run(blocks::pass_sequencer& sequencer, const orbit_command& command,
                                      unsigned pending_shift)
{
    m_command = &command;
    m_pending_shift = pending_shift;
    m_transforms = transforms_of(command.keep_tensor() ? command.y : command.x);
    return sequencer.run(*this);
}

std::optional<blocks::erased_transfer> transform_stream::load(std::uint64_t pass)
{
    if (m_command->keep_tensor()) { return std::nullopt; }
    return blocks::any(m_transfers.load(transform_of(m_command->x, pass), operand_slot(*m_command)));
}

std::optional<blocks::erased_transfer> transform_stream::open(std::uint64_t pass)
{
    if (!m_command->accumulate()) { return std::nullopt; } // sums start at +0
    return blocks::any(m_transfers.load(transform_of(m_command->y, pass), result_slot(*m_command)));
}

std::optional<blocks::erased_transfer> transform_stream::unload(std::uint64_t pass)
{
    if (m_command->hold_result()) { return std::nullopt; }
    return blocks::any(
        m_transfers.unload(result_slot(*m_command), transform_of(m_command->y, pass), result_shift(*m_command)));
}

command_outcome transform_stream::run(std::uint64_t pass, blocks::running_pass_if& control)
{
    const auto descriptors = m_stages.stages(m_command->way);
    const auto range = stages_of(*m_command);
    unsigned shift = m_pending_shift;
    for (unsigned s = range.first; s < range.end; ++s) {
        const bool makes_result = s + 1 == range.end;
        if (makes_result && m_command->double_buffer() && !control.wait_for_result()) {
            return {isa::error_code::aborted};
        }
        stage_pass p;
        p.stage = descriptors[s];
        p.opens = !(makes_result && m_command->accumulate());
        p.shift = shift;
        const auto outcome = m_stages.run(s, p, pass);
        shift = m_command->shifts[s];
        if (!outcome.ok()) { return outcome; }
        if (s == range.first && m_command->double_buffer()) { control.release_operand(); }
    }
    return {};
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
    tensors.x = transform_of(command.x, transform);
    tensors.y = transform_of(command.y, transform);
    if (m_accumulates) { tensors.initial_y = tensors.y; }
    tensors.workspace = command.workspace.base;
    tensors.format = static_cast<base::element_type>(command.x.type);
    return tiled_product::run(sequencer, plan, tensors, command.double_buffer() ? 2 : 1);
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
