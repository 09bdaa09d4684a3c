#include <tensorloom/models/arch/fetta/linear_operand.h>
#include <algorithm>
#include <utility>
#include <tensorloom/models/arch/values/integers.h>

namespace tensorloom::arch::fetta {
namespace {

constexpr std::uint64_t most_tabulated = 1u << 16;

std::array<mode_group, 3> groups_of(const contract_operand& o)
{
    const operand_mode* first = o.mode.data();
    return {mode_group(first, o.modes[0]), mode_group(first + o.modes[0], o.modes[1]),
            mode_group(first + o.modes[0] + o.modes[1], o.modes[2])};
}

} // namespace

mode_group::mode_group(const operand_mode* modes, std::uint32_t count) : m_modes(modes, modes + count)
{
    std::uint64_t extent = 1;
    for (const operand_mode& m : m_modes) { extent = std::min(extent * m.size, 2 * most_tabulated); }
    if (extent > most_tabulated) { return; }
    m_table = {0};
    for (const operand_mode& m : m_modes) {
        std::vector<std::int64_t> longer;
        longer.reserve(m_table.size() * m.size);
        for (const std::int64_t offset : m_table) {
            for (std::uint32_t digit = 0; digit < m.size; ++digit) {
                longer.push_back(offset + std::int64_t{digit} * m.stride);
            }
        }
        m_table = std::move(longer);
    }
}

std::int64_t mode_group::divided(std::uint64_t index) const
{
    std::int64_t offset = 0;
    for (auto m = m_modes.rbegin(); m != m_modes.rend(); ++m) {
        offset += static_cast<std::int64_t>(index % m->size) * m->stride;
        index /= m->size;
    }
    return offset;
}

linear_operand::linear_operand(const contract_command& c, operand_role role, const geometry& g)
    : m_base(operand_of(c, role).base), m_groups(groups_of(operand_of(c, role))), m_side_bits(log2_of(g.side)),
      m_index_bits(g.index_bits())
{}

void linear_operand::elements(const row_elements& row, std::uint64_t* to) const
{
    std::uint64_t first = m_base;
    for (unsigned i = 0; i < 3; ++i) {
        if (i != row.along && row.lanes != 0) { first += static_cast<std::uint64_t>(m_groups[i].offset(row.index[i])); }
    }
    for (std::uint32_t lane = 0; lane < row.lanes; ++lane) {
        to[lane] = first + static_cast<std::uint64_t>(m_groups[row.along].offset(row.index[row.along] + lane));
    }
}

} // namespace tensorloom::arch::fetta
