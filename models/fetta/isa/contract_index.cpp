#include <tensorloom/models/fetta/isa/contract_index.h>

namespace tensorloom::fetta {
// ---- tiles ----

std::uint64_t rows_of_sums(const contract_command& c, const device_limits& g)
{
    const contract_loops l = loops_of(c, g);
    return l.batch_tiles * l.ia_tiles * l.ib_tiles * (is_output_stationary(c.mapped()) ? g.side : l.steps);
}

contract_index::contract_index(const contract_command& c, const device_limits& g)
    : m_loops(loops_of(c, g)), m_batch(c.batch), m_contracted(c.contracted), m_ia_free(c.ia_free), m_ib_free(c.ib_free),
      m_first_accumulator(c.accumulator_row), m_side(g.side), m_output_stationary(is_output_stationary(c.mapped())),
      m_horizontal(is_horizontal(c.mapped())),
      m_whole(c.has(contract_command::flag_accumulate) || c.has(contract_command::flag_keep)),
      m_parts{parts(c.mask_batch), parts(c.mask_contracted), parts(c.mask_ia), parts(c.mask_ib)}, m_engines(g.engines)
{
    for (std::uint32_t j = 0; j < g.engines; ++j) {
        m_engines[j] = {part_of(j, c.mask_batch), part_of(j, c.mask_contracted), part_of(j, c.mask_ia),
                        part_of(j, c.mask_ib)};
    }
}

contract_tile contract_index::first_tile() const
{
    contract_tile tile;
    tile.steps = m_loops.pieces[0];
    return tile;
}

bool contract_index::next(contract_tile& tile) const
{
    const auto turn = [](std::uint64_t& counter, std::uint64_t end) {
        if (++counter < end) { return true; }
        counter = 0;
        return false;
    };
    // From the innermost loop outwards; loops that a mapping lacks iterate once.
    if (turn(tile.contracted, m_loops.contracted_tiles)) { return true; }
    const bool more = turn(tile.piece, m_loops.pieces.size()) || turn(tile.ib, m_loops.ib_tiles) ||
                      turn(tile.ia, m_loops.ia_tiles) || turn(tile.batch, m_loops.batch_tiles);
    tile.first_step = m_loops.pieces.first(tile.piece);
    tile.steps = m_loops.pieces[tile.piece];
    return more;
}

// ---- counters ----

std::array<std::uint64_t, 4> contract_index::ia_counters(const contract_tile& tile, std::uint64_t step) const
{
    if (m_output_stationary) { return {tile.batch, step, tile.ia, 0}; }
    return {tile.batch, tile.contracted, step, 0};
}

std::array<std::uint64_t, 4> contract_index::ib_counters(const contract_tile& tile, std::uint64_t row) const
{
    if (m_output_stationary) { return {tile.batch, row, tile.ib, 0}; }
    return {tile.batch, tile.contracted, tile.ib, row};
}

std::array<std::uint64_t, 4> contract_index::result_counters(const contract_tile& tile, std::uint64_t row) const
{
    if (m_output_stationary) { return {tile.batch, tile.ia, tile.ib, row}; }
    return {tile.batch, row, tile.ib, 0};
}

std::uint64_t contract_index::accumulator_row(const contract_tile& tile, std::uint64_t row) const
{
    if (!m_whole) { return row - tile.first_step; } // first_step is 0 when output-stationary
    const std::uint64_t before = (tile.batch * m_loops.ia_tiles + tile.ia) * m_loops.ib_tiles + tile.ib;
    return m_first_accumulator + before * (m_output_stationary ? m_side : m_loops.steps) + row;
}

} // namespace tensorloom::fetta
