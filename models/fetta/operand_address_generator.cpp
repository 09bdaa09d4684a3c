#include <tensorloom/models/fetta/operand_address_generator.h>

namespace tensorloom::fetta {

using blocks::address_loop;

operand_address_generator::operand_address_generator(operand_role role, const device_limits& limits)
    : m_role(role), m_limits(limits), m_counters(limits.engines)
{
    for (auto& counters : m_counters) { counters.lane.resize(limits.side); }
}

void operand_address_generator::start(const contract_command& command, const contract_index& index)
{
    m_index = &index;
    m_operand = operand_of(command, m_role);
    m_shared = shared_mask(command, m_role);
    m_output_stationary = is_output_stationary(command.mapped());
    m_descends =
        m_role == operand_role::ib ? !m_output_stationary : m_role == operand_role::result && m_output_stationary;
    start_walk();
    set_place();
    begin_tile();
    start_counters();
}

// Which stride of the operand belongs to which loop is in contract_operand.
void operand_address_generator::start_walk()
{
    const auto& turns = m_index->loops();
    const auto& stride = m_operand.stride;
    address_loop loop[loops] = {{turns.batch_tiles, stride[0]}, {turns.ia_tiles, 0},         {turns.ib_tiles, 0},
                                {turns.pieces.size(), 0},       {turns.contracted_tiles, 0}, {m_limits.side, 0}};
    address_loop &ia = loop[1], &ib = loop[2], &k = loop[contracted_loop], &row = loop[row_loop];
    switch (m_role) {
    case operand_role::ia:
        (m_output_stationary ? row : k).stride = stride[1];
        (m_output_stationary ? ia : row).stride = stride[2];
        break;
    case operand_role::ib:
        (m_output_stationary ? row : k).stride = stride[1];
        ib.stride = stride[2];
        break;
    case operand_role::result:
        (m_output_stationary ? ia : row).stride = stride[1];
        ib.stride = stride[2];
        break;
    }
    std::int64_t first = std::int64_t{m_operand.base} * parts(m_shared);
    if (m_descends) {
        row.stride = -std::int64_t{stride[3]};
        first += std::int64_t{stride[3]} * (m_limits.side - 1);
    }
    m_row_stride = row.stride;
    m_walk.start(first, loop, loops);
}

// Each piece of the stream has its own number of rows; the next one starts after them.
void operand_address_generator::begin_tile()
{
    const auto& pieces = m_index->loops().pieces;
    m_tile.batch = m_walk.counter(0);
    m_tile.ia = m_walk.counter(1);
    m_tile.ib = m_walk.counter(2);
    m_tile.piece = m_walk.counter(piece_loop);
    m_tile.contracted = m_walk.counter(contracted_loop);
    m_tile.steps = pieces[m_tile.piece];
    m_tile.first_step = pieces.first(m_tile.piece);
    if (m_descends) {
        m_first_row = m_limits.side - 1;
        return;
    }
    m_first_row = m_tile.first_step;
    m_walk.set(row_loop, {m_tile.steps, m_row_stride});
    m_walk.set(piece_loop, {pieces.size(), static_cast<std::int64_t>(m_tile.steps) * m_row_stride});
}

// Each lane has a counter of the index that the lanes go along.
void operand_address_generator::start_counters()
{
    std::vector<blocks::index_digit> digits[3];
    const operand_mode* mode = m_operand.mode.data();
    for (unsigned group = 0; group < 3; ++group) {
        for (std::uint32_t m = 0; m < m_operand.modes[group]; ++m, ++mode) {
            digits[group].push_back({mode->size, mode->stride});
        }
    }
    const auto& lanes = digits[elements(0).along];
    for (auto& counters : m_counters) {
        for (unsigned group = 0; group < 3; ++group) {
            counters.same[group].start(digits[group].data(), static_cast<unsigned>(digits[group].size()));
        }
        for (auto& lane : counters.lane) { lane.start(lanes.data(), static_cast<unsigned>(lanes.size())); }
    }
}

bool operand_address_generator::step()
{
    const unsigned moved = m_walk.step();
    set_place();
    if (moved != row_loop) { begin_tile(); }
    return moved != loops;
}

std::uint64_t operand_address_generator::row() const
{
    const std::uint64_t passed = m_walk.counter(row_loop);
    return m_descends ? m_first_row - passed : m_first_row + passed;
}

beat_indices operand_address_generator::elements(std::uint32_t engine) const
{
    switch (m_role) {
    case operand_role::ia: return m_index->ia_beat(m_tile, row(), engine);
    case operand_role::ib: return m_index->ib_beat(m_tile, row(), engine);
    default: return m_index->result_beat(m_tile, row(), engine);
    }
}

// The bits of the counted register, each on its wire. Rows below 0 occur only with linear operands, which have no
// place.
void operand_address_generator::set_place() { m_place = place_of(m_walk.address(), 0, m_operand.bank, m_shared); }

void operand_address_generator::places(std::uint32_t engine, const beat_indices& elements, std::uint64_t* to)
{
    if (elements.lanes == 0) { return; }
    linear_counters& counters = m_counters[engine];
    std::int64_t first = m_operand.base;
    for (unsigned group = 0; group < 3; ++group) {
        if (group == elements.along) { continue; }
        counters.same[group].seek(elements.index[group]);
        first += counters.same[group].address();
    }
    for (std::uint32_t lane = 0; lane < elements.lanes; ++lane) {
        counters.lane[lane].seek(elements.index[elements.along] + lane);
        to[lane] = static_cast<std::uint64_t>(first + counters.lane[lane].address());
    }
}

} // namespace tensorloom::fetta
