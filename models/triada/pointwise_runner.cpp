#include <tensorloom/models/triada/pointwise_runner.h>

namespace tensorloom::triada {

using isa::error_code;
using shell::command_outcome;

command_outcome pointwise_runner::run(const isa::pointwise_command& command)
{
    auto outcome = place(command);
    if (outcome.ok()) { outcome = run_placed(command); }
    if (!outcome.ok()) {
        m_contents.clear();
        return outcome;
    }
    m_contents.held.reset();
    if (command.hold_result()) { m_contents.held = {m_x.reg, m_x.shape, command.shift}; }
    if (command.has_operand()) {
        m_contents.operand.reset();
        if (command.hold_operand()) { m_contents.operand = m_operand; }
    }
    return {};
}

std::optional<cell_register> pointwise_runner::free_register(std::optional<cell_register> except) const
{
    for (unsigned r = 0; r < m_config.registers(); ++r) {
        const auto reg = static_cast<cell_register>(r);
        if (reg != except && !m_contents.occupies(reg)) { return reg; }
    }
    return std::nullopt;
}

// Finds what lies there, and registers for the rest.
command_outcome pointwise_runner::place(const isa::pointwise_command& c)
{
    const auto there = [](const std::optional<resident_tensor>& tensor, const isa::tensor_descriptor& wanted) {
        return tensor && tensor->has_sizes_of(wanted);
    };
    if (c.keep_tensor() && !there(m_contents.held, c.x)) { return {error_code::not_resident}; }
    if (c.keep_operand() && !there(m_contents.operand, c.operand)) { return {error_code::not_resident}; }
    const shape3 shape{c.x.size[0], c.x.size[1], c.x.size[2]};
    if (!c.keep_tensor()) { m_contents.held = m_contents.next = std::nullopt; }
    if (c.has_operand() && !c.keep_operand()) { m_contents.operand.reset(); }
    const auto x = c.keep_tensor() ? std::optional(m_contents.held->reg) : free_register(std::nullopt);
    if (!x) { return {error_code::too_large}; }
    m_x = c.keep_tensor() ? *m_contents.held : resident_tensor{*x, shape, 0};
    if (!c.has_operand()) { return {}; }
    if (c.keep_operand()) {
        m_operand = *m_contents.operand;
        return {};
    }
    const auto operand = free_register(x);
    if (!operand) { return {error_code::too_large}; }
    m_operand = {*operand, shape, 0};
    return {};
}

command_outcome pointwise_runner::run_placed(const isa::pointwise_command& c)
{
    std::vector<loaded_tensor> tensors;
    if (!c.keep_tensor()) { tensors.push_back({c.x, m_x.reg}); }
    if (c.has_operand() && !c.keep_operand()) { tensors.push_back({c.operand, m_operand.reg}); }
    if (!tensors.empty()) {
        m_phase.enter(blocks::device_phase::load);
        const auto outcome = m_log("load", m_transfers.load(tensors));
        if (!outcome.ok()) { return outcome; }
    }
    m_phase.enter(blocks::device_phase::compute);
    const auto outcome = m_streams.run(m_x, m_operand.reg, c);
    if (!outcome.ok() || c.hold_result()) { return outcome; }
    m_phase.enter(blocks::device_phase::unload);
    return m_log("unload", m_transfers.unload(m_x.reg, c.y, c.shift));
}

} // namespace tensorloom::triada
