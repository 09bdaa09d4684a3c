#include <tensorloom/models/torus/overlapped_transform.h>

namespace tensorloom::torus {

using shell::command_outcome;

command_outcome overlapped_transform::run(blocks::pass_sequencer& sequencer, const fitting_transform& work,
                                          const std::optional<lying_tensor>& previous,
                                          const std::optional<tensor_place>& next)
{
    m_work = work;
    m_previous = previous;
    m_next = next;
    return sequencer.run(*this);
}

// What the port does for a pass: also storing the previous result.
std::optional<blocks::erased_transfer> overlapped_transform::load(std::uint64_t pass)
{
    const auto& c = *m_work.command;
    if (pass == store_previous) {
        if (!m_previous) { return std::nullopt; }
        return blocks::any(m_transfers.unload(m_previous->place, c.previous_y(), m_previous->shift));
    }
    if (pass == load_next) {
        if (!m_next) { return std::nullopt; }
        return blocks::any(m_transfers.load(c.next_x(), *m_next));
    }
    if (!c.x.present()) { return std::nullopt; }
    return blocks::any(m_transfers.load(c.x, m_work.operand()));
}

std::optional<blocks::erased_transfer> overlapped_transform::unload(std::uint64_t)
{
    const auto& c = *m_work.command;
    if (c.hold_result()) { return std::nullopt; }
    return blocks::any(m_transfers.unload(m_work.result(), c.y, result_shift(c)));
}

command_outcome overlapped_transform::run(std::uint64_t pass, blocks::running_pass_if& control)
{
    if (pass != transform) { return {}; }
    control.release_operand(); // no transfer comes into a memory that a stage uses
    constexpr bool beside_transfers = false;
    return run_stages(m_stages, m_work, 0, control, beside_transfers);
}

// The other tensors have number 1.
void overlapped_transform::log(const blocks::logged_transfer& t)
{
    const bool unloads = t.unload || t.number == store_previous;
    m_log(0, {unloads, t.number == transform ? 0u : 1u, t.start_cycle, t.cycles, t.overlapped, t.counts});
}

} // namespace tensorloom::torus
