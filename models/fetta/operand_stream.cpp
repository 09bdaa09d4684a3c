#include <tensorloom/models/fetta/operand_stream.h>

namespace tensorloom::fetta {

operand_stream::operand_stream(operand_role role, const device_limits& limits)
    : m_role(role), m_limits(limits), m_address(role, limits)
{}

void operand_stream::start(const contract_command& command, const contract_index& index)
{
    m_address.start(command, index);
    m_how = command.mapped();
    m_apart = m_role == operand_role::result ? 1 : cycles_of_step(m_how, m_limits);
    m_linear = is_linear(command, m_role);
    m_shared = shared_mask(command, m_role);
    m_ended = false;
    m_tile_start = is_output_stationary(m_how) ? 0 : m_limits.side; // the first IB enters before
    begin_tile();
}

void operand_stream::begin_tile()
{
    const std::uint64_t side = m_limits.side, steps = m_address.tile().steps;
    m_passed = 0;
    m_rows = steps;
    m_cycle = m_tile_start;
    if (m_role == operand_role::ib && !is_output_stationary(m_how)) {
        m_rows = side;
        m_cycle -= side;
    } else if (m_role == operand_role::result) {
        m_rows = is_output_stationary(m_how) ? side : steps;
        m_cycle += cycles_to_result(m_how, steps, m_limits);
    }
}

void operand_stream::next()
{
    const std::uint64_t steps = m_address.tile().steps;
    m_ended = !m_address.step();
    if (m_ended) { return; }
    m_cycle += m_apart;
    if (++m_passed < m_rows) { return; }
    m_tile_start += cycles_to_next_tile(m_how, steps, m_limits);
    begin_tile();
}

void operand_stream::address_to(beat_addresses& to)
{
    const std::size_t side = m_limits.side;
    to.due = true;
    to.first = is_first();
    to.place = m_address.place();
    to.beats.assign(m_limits.engines, {});
    to.elements.resize(m_limits.engines * side);
    for (std::uint32_t engine = 0; engine < m_limits.engines; ++engine) {
        if ((engine & m_shared) != 0) { continue; }
        to.beats[engine] = m_address.elements(engine);
        if (m_linear) { m_address.places(engine, to.beats[engine], to.elements.data() + engine * side); }
    }
}

} // namespace tensorloom::fetta
