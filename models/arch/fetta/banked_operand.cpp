#include <tensorloom/models/arch/fetta/banked_operand.h>
#include <algorithm>
#include <tensorloom/models/arch/fetta/engine_parts.h>
#include <tensorloom/models/arch/fetta/schedule.h>
#include <tensorloom/models/arch/values/integers.h>

namespace tensorloom::arch::fetta {

banked_place place_of(std::int64_t position, std::uint32_t base, std::uint32_t bank, std::uint32_t shared)
{
    const std::uint32_t sharing = parts(shared);
    const auto low = static_cast<std::uint32_t>(position) & (sharing - 1);
    return {base + static_cast<std::uint64_t>(quotient_down(position, sharing)), bank ^ deposit(low, shared)};
}

banked_operand::banked_operand(const contract_command& c, operand_role role, const geometry& g)
    : m_base(operand_of(c, role).base), m_bank(operand_of(c, role).bank), m_shared(shared_mask(c, role)),
      m_index_bits(g.index_bits()), m_transpose(is_transposed(c, role))
{
    const auto& stride = operand_of(c, role).stride;
    std::copy(stride.begin(), stride.end(), m_stride.begin());
}

banked_place banked_operand::at(const std::array<std::uint64_t, 4>& counters) const
{
    std::int64_t position = 0;
    for (unsigned c = 0; c < 4; ++c) { position += static_cast<std::int64_t>(counters[c]) * m_stride[c]; }
    return place_of(position, m_base, m_bank, m_shared);
}

std::array<std::uint64_t, 4> counter_counts(const contract_command& c, operand_role role, const geometry& g)
{
    const contract_loops l = loops_of(c, g);
    // Rows of a group that lies along the tiles: fewer than P only where there is no second tile.
    const auto rows = [&](std::uint64_t tiles, std::uint32_t extent) {
        return std::uint64_t{tiles > 1 ? g.side : std::min(g.side, extent)};
    };
    if (is_output_stationary(c.mapped())) {
        switch (role) {
        case operand_role::ia: return {l.batch_tiles, l.steps, l.ia_tiles, 1};
        case operand_role::ib: return {l.batch_tiles, l.steps, l.ib_tiles, 1};
        default: return {l.batch_tiles, l.ia_tiles, l.ib_tiles, rows(l.ia_tiles, c.ia_free)};
        }
    }
    switch (role) {
    case operand_role::ia: return {l.batch_tiles, l.contracted_tiles, l.steps, 1};
    case operand_role::ib:
        return {l.batch_tiles, l.contracted_tiles, l.ib_tiles,
                is_horizontal(c.mapped()) ? rows(l.ib_tiles, c.ib_free) : rows(l.contracted_tiles, c.contracted)};
    default: return {l.batch_tiles, l.steps, l.ib_tiles, 1};
    }
}

} // namespace tensorloom::arch::fetta
