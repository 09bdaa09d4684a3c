#include <tensorloom/models/triada/fitting_gemt.h>
#include <algorithm>
#include <utility>

namespace tensorloom::triada {

using isa::error_code;
using shell::command_outcome;

namespace {

shape3 corner_of(const isa::tensor_descriptor& tensor) { return {tensor.size[0], tensor.size[1], tensor.size[2]}; }

} // namespace

command_outcome fitting_gemt::run(blocks::pass_sequencer& sequencer, const gemt_command& command, const gemt_plan& plan)
{
    m_command = &command;
    m_plan = &plan;
    auto outcome = place();
    if (outcome.ok()) { outcome = sequencer.run(*this); }
    if (outcome.ok()) {
        remember();
    } else {
        m_contents.clear();
    }
    return outcome;
}

// Finds X and the tensor to store, and chooses registers. What the command neither uses nor stores is lost.
command_outcome fitting_gemt::place()
{
    const auto& c = *m_command;
    m_x = c.keep_tensor() ? m_contents.held : c.take_next() ? m_contents.next : std::nullopt;
    m_previous = c.store_previous() ? m_contents.held : std::nullopt;
    if (!c.loads_x() && (!m_x || !m_x->has_sizes_of(c.x))) { return {error_code::not_resident}; }
    if (c.store_previous() && (!m_previous || !m_previous->has_sizes_of(c.previous_y()))) {
        return {error_code::not_resident};
    }
    if (!c.store_previous()) { m_contents.held.reset(); }
    if (!c.keep_tensor() || c.load_next()) { m_contents.next.reset(); }
    const auto is_free = [this](cell_register reg) { return !m_contents.occupies(reg); };
    std::optional<cell_register> x;
    for (unsigned r = 0; r < m_config.registers() && !x; ++r) {
        if (is_free(static_cast<cell_register>(r))) { x = static_cast<cell_register>(r); }
    }
    if (m_x) { x = m_x->reg; }
    if (!x) { return {error_code::too_large}; }
    return choose_registers(*x) ? command_outcome{} : command_outcome{error_code::too_large};
}

// Registers of the stages, and of the next X. Transfers and stages wait for each other where they share a register: the
// first choice is one where they do not, so that the last stage writes the register that X has left.
bool fitting_gemt::choose_registers(cell_register x)
{
    const auto try_with = [&](const std::function<bool(cell_register)>& free) {
        const auto found = registers_of_stages(x, m_plan->stages.size(), m_config.registers(), free);
        if (!found || (m_command->accumulate() && found->result() == x)) { return false; }
        m_registers = *found;
        return true;
    };
    const auto is_free = [&](cell_register reg) { return reg != x && !m_contents.occupies(reg); };
    const std::optional<cell_register> previous = m_previous ? std::optional(m_previous->reg) : std::nullopt;
    if (m_command->load_next()) {
        for (unsigned r = m_config.registers(); r-- > 0;) {
            m_next = static_cast<cell_register>(r);
            const bool left_alone = previous ? m_next == *previous : is_free(m_next);
            if (left_alone && try_with([&](cell_register reg) { return reg != m_next && is_free(reg); })) {
                return true;
            }
        }
    } else if (try_with(is_free)) {
        return true;
    }
    // The register of the previous result is free when that has been stored, in time for any stage; not for an initial
    // Y, which is loaded before.
    const bool stored = !m_command->accumulate();
    if (!try_with([&](cell_register reg) { return is_free(reg) || (stored && reg == previous); })) { return false; }
    if (m_command->load_next()) { m_next = place_of_next(); }
    return true;
}

// Free from the earliest stage on: nothing else lies there, nor the result.
cell_register fitting_gemt::place_of_next() const
{
    const auto lies_there = [](const std::optional<resident_tensor>& tensor, cell_register reg) {
        return tensor && tensor->reg == reg;
    };
    for (std::size_t stage = 0; stage < m_plan->stages.size(); ++stage) {
        for (unsigned r = 0; r < m_config.registers(); ++r) {
            const auto reg = static_cast<cell_register>(r);
            const bool stays = lies_there(m_contents.operand, reg) || lies_there(m_contents.next, reg);
            if (!stays && reg != m_registers.result() && !is_used_from(stage + 1, reg)) { return reg; }
        }
    }
    return m_registers.operand(); // not reached: the last stage leaves its operand free
}

// Whether this stage or a later one reads the register, or a later one writes it, or it is the result.
bool fitting_gemt::is_used_from(std::size_t stage, cell_register reg) const
{
    const auto& used = m_registers.reads;
    return std::find(used.begin() + static_cast<std::ptrdiff_t>(stage), used.end(), reg) != used.end();
}

std::optional<blocks::erased_transfer> fitting_gemt::load(std::uint64_t pass)
{
    if (pass == 1) { return blocks::any(m_transfers.load({{m_command->next_x(), m_next}})); }
    std::vector<loaded_tensor> tensors;
    if (!m_x) { tensors.push_back({m_command->x, m_registers.operand()}); }
    if (m_command->accumulate()) { tensors.push_back({m_command->initial_y, m_registers.result()}); }
    if (tensors.empty()) { return std::nullopt; }
    return blocks::any(m_transfers.load(tensors));
}

std::optional<blocks::erased_transfer> fitting_gemt::open(std::uint64_t)
{
    if (!m_previous) { return std::nullopt; }
    return blocks::any(m_transfers.unload(m_previous->reg, m_command->previous_y(), m_previous->shift));
}

std::optional<blocks::erased_transfer> fitting_gemt::unload(std::uint64_t)
{
    if (m_command->hold_result()) { return std::nullopt; }
    const unsigned shift = m_command->shifts[m_plan->stages.back().position];
    return blocks::any(m_transfers.unload(m_registers.result(), m_command->y, shift));
}

command_outcome fitting_gemt::run(std::uint64_t pass, blocks::running_pass_if& control)
{
    return pass == 0 ? run_stages(control) : command_outcome{};
}

command_outcome fitting_gemt::run_stages(blocks::running_pass_if& control)
{
    const auto& c = *m_command;
    const auto& stages = m_plan->stages;
    unsigned shift = m_x ? m_x->shift : 0; // of the operand's sums
    bool previous_is_stored = !m_previous;
    bool next_may_load = !c.load_next();
    if (!next_may_load && !is_used_from(0, m_next)) {
        control.release_operand();
        next_may_load = true;
    }
    std::vector<stream_link> chain;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const bool is_last = i + 1 == stages.size();
        const auto target = m_registers.reads[i + 1];
        if (!previous_is_stored && target == m_previous->reg) {
            // a stage before it may run meanwhile
            if (!chain.empty()) {
                if (const auto outcome = m_streams.run(m_plan->box, std::exchange(chain, {})); !outcome.ok()) {
                    return outcome;
                }
            }
            if (!control.wait_for_result()) { return {error_code::aborted}; }
            previous_is_stored = true;
        }
        if (!chain.empty() && target == m_registers.operand()) {
            if (const auto outcome = m_streams.run(m_plan->box, std::exchange(chain, {})); !outcome.ok()) {
                return outcome;
            }
        }
        if (!is_last || !c.accumulate()) { m_cells.clear(target, m_plan->box); }
        chain.push_back(link_of(c, stages[i]));
        auto& s = chain.back().switches;
        s.length = m_plan->box[stages[i].mode];
        s.source = m_registers.reads[i];
        s.target = target;
        s.ends_stream = is_last;
        s.shift = std::exchange(shift, c.shifts[stages[i].position]);
        const bool frees_next = !next_may_load && !is_used_from(i + 1, m_next);
        if (!is_last && !frees_next) { continue; }
        const auto outcome = m_streams.run(m_plan->box, std::exchange(chain, {}));
        if (!outcome.ok()) { return outcome; }
        if (frees_next && !is_last) {
            control.release_operand();
            next_may_load = true;
        }
    }
    return {};
}

void fitting_gemt::remember()
{
    const auto& c = *m_command;
    m_contents.held.reset();
    if (c.hold_result()) {
        m_contents.held = {m_registers.result(), corner_of(c.y), c.shifts[m_plan->stages.back().position]};
        m_cells.keep_corner(m_registers.result(), corner_of(c.y));
    }
    if (c.load_next()) { m_contents.next = {m_next, corner_of(c.next_x()), 0}; }
}

} // namespace tensorloom::triada
