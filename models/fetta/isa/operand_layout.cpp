#include <tensorloom/models/fetta/isa/operand_layout.h>
#include <algorithm>
#include <cstdlib>
#include <utility>
#include <tensorloom/models/fetta/isa/schedule.h>

namespace tensorloom::fetta {
namespace {

constexpr std::uint64_t most_tabulated = 1u << 16;

std::array<mode_group, 3> groups_of(const contract_operand& o)
{
    const operand_mode* first = o.mode.data();
    return {mode_group(first, o.modes[0]), mode_group(first + o.modes[0], o.modes[1]),
            mode_group(first + o.modes[0] + o.modes[1], o.modes[2])};
}

constexpr std::uint64_t too_far = std::uint64_t{1} << 40;

std::uint64_t distance(const strided_count& c) { return static_cast<std::uint64_t>(std::abs(c.stride)); }

// From the first value to the last, or too_far.
std::uint64_t span(const strided_count& c)
{
    const std::uint64_t between = c.count - 1;
    return distance(c) != 0 && between >= too_far / distance(c) ? too_far : between * distance(c);
}

} // namespace

// ---- banked ----

banked_place place_of(std::int64_t position, std::uint32_t base, std::uint32_t bank, std::uint32_t shared)
{
    const std::uint32_t sharing = parts(shared);
    const auto low = static_cast<std::uint32_t>(position) & (sharing - 1);
    return {base + static_cast<std::uint64_t>(base::quotient_down(position, sharing)), bank ^ deposit(low, shared)};
}

banked_operand::banked_operand(const contract_command& c, operand_role role, const device_limits& g)
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

std::array<std::uint64_t, 4> counter_counts(const contract_command& c, operand_role role, const device_limits& g)
{
    const contract_loops l = loops_of(c, g);
    // Rows of a group along the tiles: fewer than P only with a single tile.
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

// ---- linear ----

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

linear_operand::linear_operand(const contract_command& c, operand_role role, const device_limits& g)
    : m_base(operand_of(c, role).base), m_groups(groups_of(operand_of(c, role))), m_side_bits(base::log2_of(g.side)),
      m_index_bits(g.index_bits())
{}

void linear_operand::elements(const beat_indices& beat, std::uint64_t* to) const
{
    std::uint64_t first = m_base;
    for (unsigned i = 0; i < 3; ++i) {
        if (i != beat.along && beat.lanes != 0) {
            first += static_cast<std::uint64_t>(m_groups[i].offset(beat.index[i]));
        }
    }
    for (std::uint32_t lane = 0; lane < beat.lanes; ++lane) {
        to[lane] = first + static_cast<std::uint64_t>(m_groups[beat.along].offset(beat.index[beat.along] + lane));
    }
}

// ---- from the first to the last ----

std::vector<strided_count> counts_of(const contract_command& c, operand_role role, const device_limits& g)
{
    const contract_operand& o = operand_of(c, role);
    std::vector<strided_count> strided;
    if (is_linear(c, role)) {
        const unsigned modes = o.modes[0] + o.modes[1] + o.modes[2];
        for (unsigned m = 0; m < modes; ++m) { strided.push_back({o.mode[m].size, o.mode[m].stride}); }
        return strided;
    }
    const auto turns = counter_counts(c, role, g);
    for (unsigned i = 0; i < turns.size(); ++i) { strided.push_back({turns[i], o.stride[i]}); }
    return strided;
}

std::optional<reach> reach_of(const std::vector<strided_count>& strided)
{
    reach r;
    for (const strided_count& c : strided) {
        const std::uint64_t far = span(c);
        if (far >= too_far) { return std::nullopt; }
        (c.stride < 0 ? r.low : r.high) +=
            c.stride < 0 ? -static_cast<std::int64_t>(far) : static_cast<std::int64_t>(far);
    }
    if (r.high - r.low >= static_cast<std::int64_t>(too_far)) { return std::nullopt; }
    return r;
}

bool may_repeat(std::vector<strided_count> strided)
{
    std::sort(strided.begin(), strided.end(),
              [](const strided_count& a, const strided_count& b) { return distance(a) < distance(b); });
    std::uint64_t within = 0; // what the smaller strides span together
    for (const strided_count& c : strided) {
        if (c.count == 1) { continue; }
        if (distance(c) <= within) { return true; }
        within = std::min(within + span(c), too_far);
    }
    return false;
}

std::optional<operand_reach> reach_of(const contract_command& c, operand_role role, const device_limits& g)
{
    const auto far = reach_of(counts_of(c, role, g));
    if (!far) { return std::nullopt; }
    const std::int64_t base = operand_of(c, role).base;
    const std::int64_t of_all_banks = std::int64_t{g.side} * g.engines; // of all banks
    if (is_linear(c, role)) {
        const std::int64_t first = base + far->low;
        const std::int64_t last = base + far->high;
        return operand_reach{base::quotient_down(first, of_all_banks), base::quotient_down(last, of_all_banks), first,
                             last};
    }
    const std::int64_t of_a_row = parts(shared_mask(c, role));
    const std::int64_t first = base + base::quotient_down(far->low, of_a_row);
    const std::int64_t last = base + base::quotient_down(far->high, of_a_row);
    return operand_reach{first, last, first * of_all_banks, (last + 1) * of_all_banks - 1};
}

} // namespace tensorloom::fetta
