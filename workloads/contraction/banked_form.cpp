#include <tensorloom/workloads/contraction/banked_form.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <tensorloom/models/fetta/isa/operand_layout.h>
#include <tensorloom/models/fetta/isa/schedule.h>
#include <tensorloom/models/base/values/integers.h>

namespace tensorloom::workloads {
namespace {

using fetta::contract_command;
using fetta::contract_operand;
using fetta::device_limits;
using fetta::operand_role;
using fetta::parts;

// The flat index of a group in an operand: modes that go on evenly, the fastest first.
class flat_modes {
public:
    flat_modes(const contract_operand& o, unsigned group)
    {
        unsigned first = 0;
        for (unsigned x = 0; x < group; ++x) { first += o.modes[x]; }
        for (unsigned m = first + o.modes[group]; m-- > first;) {
            m_modes[m_count++] = {m_extent, o.mode[m].size, o.mode[m].stride};
            m_extent *= o.mode[m].size;
        }
    }

    // Elements from one value of the digit to the next: 0 where it has one value in range. Nothing where it is uneven.
    std::optional<std::int64_t> stride_of(std::uint64_t weight, std::uint64_t count) const
    {
        if (count == 1 || weight >= m_extent) { return 0; }
        for (unsigned m = 0; m < m_count; ++m) {
            const auto& of = m_modes[m];
            const std::uint64_t end = of.weight * of.size;
            if (weight < of.weight || weight >= end) { continue; }
            const bool fits = weight % of.weight == 0 && (weight * count <= end || m + 1 == m_count);
            if (!fits) { return std::nullopt; }
            return static_cast<std::int64_t>(weight / of.weight) * of.stride;
        }
        return std::nullopt;
    }

private:
    struct mode {
        std::uint64_t weight, size;
        std::int64_t stride;
    };
    std::array<mode, fetta::max_operand_modes> m_modes;
    unsigned m_count = 0;
    std::uint64_t m_extent = 1;
};

std::uint32_t behind_layer(std::uint32_t port, const device_limits& g, bool transposed)
{
    return transposed ? base::transposed(port, g.index_bits()) : port;
}

// Strides of positions, where the bits of the bank that the operand's parts leave free take the low bits of them.
std::optional<std::array<std::int32_t, 4>> positions_of(const std::array<std::uint64_t, 4>& rows, std::uint32_t shared,
                                                        const std::array<std::uint64_t, 4>& counts,
                                                        const device_limits& g, bool transposed)
{
    std::uint64_t low_bit = g.engines, next = 0; // of the bank: the lowest that positions take
    for (std::uint32_t rest = shared; rest != 0; rest &= rest - 1) {
        const std::uint64_t bit = behind_layer(rest & (~rest + 1), g, transposed);
        if (next != 0 && bit != next) { return std::nullopt; }
        if (next == 0) { low_bit = bit; }
        next = 2 * bit;
    }
    const std::uint64_t sharing = parts(shared);
    const bool to_the_top = low_bit * sharing == g.engines;
    std::array<std::int32_t, 4> positions{};
    std::uint64_t in_row = 0; // the last position of the counters that stay within a row of the banks
    for (unsigned i = 0; i < positions.size(); ++i) {
        const std::uint64_t row = counts[i] == 1 ? 0 : rows[i];
        if (row % low_bit != 0) { return std::nullopt; }
        std::uint64_t position = row / low_bit;
        if (!to_the_top && row % g.engines == 0) {
            position = row / g.engines * sharing;
        } else if (!to_the_top) {
            in_row += (counts[i] - 1) * position;
            if (in_row >= sharing) { return std::nullopt; }
        }
        positions[i] = static_cast<std::int32_t>(position);
    }
    return positions;
}

} // namespace

banked_forms::banked_forms(const contract_command& command, operand_role role, const device_limits& g,
                           bool transpose_layer)
    : m_command(command), m_role(role), m_limits(g), m_transpose_layer(transpose_layer),
      m_counts(fetta::counter_counts(command, role, g)), m_masks{command.mask_batch, command.mask_contracted,
                                                                 command.mask_ia, command.mask_ib}
{
    add_digits();
}

// By the formulas of contract_command.
void banked_forms::add_digits()
{
    const contract_command& c = m_command;
    const std::uint64_t p = m_limits.side, steps = fetta::loops_of(c, m_limits).steps;
    const bool os = is_output_stationary(c.mapped()), horizontal = is_horizontal(c.mapped());
    const auto add = [&](const digit& d) { m_digits[m_digit_count++] = d; };
    const auto add_part = [&](unsigned group, std::uint64_t weight, unsigned parted) {
        add({group, weight, parts(m_masks[parted]), digit::walker::part, parted});
    };
    const auto add_counter = [&](unsigned group, std::uint64_t weight, unsigned which) {
        add({group, weight, m_counts[which], digit::walker::counter, which});
    };
    // P of an index beside each other, in lanes or rows of a tile, then parts, then tiles.
    const auto add_tiled = [&](unsigned group, bool in_lanes, unsigned rows, unsigned parted, unsigned tiles) {
        if (in_lanes) {
            add({group, 1, p, digit::walker::lane, 0});
        } else {
            add_counter(group, 1, rows);
        }
        add_part(group, p, parted);
        add_counter(group, p * parts(m_masks[parted]), tiles);
    };
    // Steps beside each other, then parts.
    const auto add_streamed = [&](unsigned group, unsigned parted, unsigned which) {
        add_counter(group, 1, which);
        add_part(group, steps, parted);
    };
    constexpr unsigned batch = 0, contracted = 1, ia_free = 2, ib_free = 3;
    add_part(0, 1, batch);
    add_counter(0, parts(c.mask_batch), 0);
    if (m_role == operand_role::ia) {
        os ? add_streamed(1, contracted, 1) : add_tiled(1, true, 0, contracted, 1);
        os ? add_tiled(2, true, 0, ia_free, 2) : add_streamed(2, ia_free, 2);
    } else if (m_role == operand_role::ib) {
        os ? add_streamed(1, contracted, 1) : add_tiled(1, horizontal, 3, contracted, 1);
        add_tiled(2, os || !horizontal, 3, ib_free, 2);
    } else {
        os ? add_tiled(1, false, 3, ia_free, 1) : add_streamed(1, ia_free, 1);
        add_tiled(2, true, 0, ib_free, 2);
    }
}

// Nothing where a row of the operand is none of the memory.
std::optional<banked_forms::row_strides> banked_forms::rows_of(const contract_operand& linear) const
{
    if (linear.base % (m_limits.side * m_limits.engines) != 0) { return std::nullopt; }
    const std::array<flat_modes, 3> groups{flat_modes(linear, 0), flat_modes(linear, 1), flat_modes(linear, 2)};
    row_strides found;
    for (unsigned i = 0; i < m_digit_count; ++i) {
        const digit& d = m_digits[i];
        const auto stride = groups[d.group].stride_of(d.weight, d.count);
        if (!stride || *stride < 0) { return std::nullopt; }
        if (d.by == digit::walker::lane) {
            if (*stride > 1) { return std::nullopt; }
            continue;
        }
        const auto elements = static_cast<std::uint64_t>(*stride);
        if (elements % m_limits.side != 0) { return std::nullopt; }
        if (d.by == digit::walker::counter) {
            found.counter[d.which] = elements / m_limits.side;
        } else {
            found.part[d.which] = elements / m_limits.side;
        }
    }
    return found;
}

// Rows of the last tiles that are out of range have positions, too: none behind those of the tensor and, of a result,
// none that others have.
bool banked_forms::is_within(const banked_form& form, const contract_operand& linear) const
{
    static constexpr std::uint16_t flags[] = {contract_command::flag_linear_ia, contract_command::flag_linear_ib,
                                              contract_command::flag_linear_result};
    const std::uint16_t flag = flags[static_cast<unsigned>(m_role)];
    contract_command banked = m_command;
    auto& operand = m_role == operand_role::ia ? banked.ia : m_role == operand_role::ib ? banked.ib : banked.result;
    operand = linear;
    banked.flags |= flag;
    const auto of_linear = reach_of(banked, m_role, m_limits);
    operand = form.operand;
    banked.flags &= static_cast<std::uint16_t>(~flag);
    const auto of_banked = reach_of(banked, m_role, m_limits);
    return of_linear && of_banked && of_banked->last_row <= of_linear->last_row &&
           (m_role != operand_role::result || !may_repeat(counts_of(banked, m_role, m_limits)));
}

std::optional<banked_form> banked_forms::of(const contract_operand& linear) const
{
    const auto rows = rows_of(linear);
    return rows ? of(linear, *rows) : std::nullopt;
}

std::optional<banked_form> banked_forms::of(const contract_operand& linear, const row_strides& rows) const
{
    const device_limits& g = m_limits;
    for (const bool transposed : {false, true}) {
        if (transposed && !m_transpose_layer) { continue; }
        bool parts_fit = true;
        for (unsigned x = 0; x < parted_indices; ++x) {
            std::uint64_t row = rows.part[x];
            for (std::uint32_t rest = row == 0 ? 0 : m_masks[x]; rest != 0; rest &= rest - 1, row *= 2) {
                parts_fit = parts_fit && behind_layer(rest & (~rest + 1), g, transposed) == row;
            }
        }
        if (!parts_fit) { continue; }
        const auto positions = positions_of(rows.counter, shared_mask(m_command, m_role), m_counts, g, transposed);
        if (!positions) { continue; }
        banked_form form;
        form.transposed = transposed;
        form.operand.base = linear.base / (g.side * g.engines);
        form.operand.stride = *positions;
        return is_within(form, linear) ? std::optional<banked_form>(form) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<banked_form> banked_form_of(const contract_command& command, operand_role role, const device_limits& g,
                                          bool transpose_layer)
{
    return banked_forms(command, role, g, transpose_layer).of(operand_of(command, role));
}

} // namespace tensorloom::workloads
