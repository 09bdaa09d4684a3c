#include <tensorloom/workloads/contraction/banked_form.h>
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>
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

// A digit of a flat index: what walks through it.
struct index_digit {
    enum class walker : std::uint8_t { lane, part, counter };
    unsigned group = 0; // of the operand: batch, contracted or IA's free, free
    std::uint64_t weight = 1, count = 1;
    walker by = walker::counter;
    std::uint32_t mask = 0; // of a part
    unsigned which = 0;     // of a counter
};

constexpr auto lane = index_digit::walker::lane;
constexpr auto part = index_digit::walker::part;
constexpr auto counter = index_digit::walker::counter;

// The digits of an operand's indices, by the formulas of contract_command.
std::vector<index_digit> digits_of(const contract_command& c, operand_role role, const device_limits& g)
{
    const std::uint64_t p = g.side, steps = fetta::loops_of(c, g).steps;
    const bool os = is_output_stationary(c.mapped()), horizontal = is_horizontal(c.mapped());
    const auto counts = fetta::counter_counts(c, role, g);
    std::vector<index_digit> digits;
    const auto add_part = [&](unsigned group, std::uint64_t weight, std::uint32_t mask) {
        digits.push_back({group, weight, parts(mask), part, mask, 0});
    };
    const auto add_counter = [&](unsigned group, std::uint64_t weight, unsigned which) {
        digits.push_back({group, weight, counts[which], counter, 0, which});
    };
    // P of an index beside each other, in lanes or rows of a tile, then parts, then tiles.
    const auto add_tiled = [&](unsigned group, bool in_lanes, unsigned rows, std::uint32_t mask, unsigned tiles) {
        if (in_lanes) {
            digits.push_back({group, 1, p, lane, 0, 0});
        } else {
            add_counter(group, 1, rows);
        }
        add_part(group, p, mask);
        add_counter(group, p * parts(mask), tiles);
    };
    // Steps beside each other, then parts.
    const auto add_streamed = [&](unsigned group, std::uint32_t mask, unsigned which) {
        add_counter(group, 1, which);
        add_part(group, steps, mask);
    };
    add_part(0, 1, c.mask_batch);
    add_counter(0, parts(c.mask_batch), 0);
    if (role == operand_role::ia) {
        os ? add_streamed(1, c.mask_contracted, 1) : add_tiled(1, true, 0, c.mask_contracted, 1);
        os ? add_tiled(2, true, 0, c.mask_ia, 2) : add_streamed(2, c.mask_ia, 2);
    } else if (role == operand_role::ib) {
        os ? add_streamed(1, c.mask_contracted, 1) : add_tiled(1, horizontal, 3, c.mask_contracted, 1);
        add_tiled(2, os || !horizontal, 3, c.mask_ib, 2);
    } else {
        os ? add_tiled(1, false, 3, c.mask_ia, 1) : add_streamed(1, c.mask_ia, 1);
        add_tiled(2, true, 0, c.mask_ib, 2);
    }
    return digits;
}

// The flat index of a group in an operand: modes that go on evenly, the fastest first.
class flat_modes {
public:
    flat_modes(const contract_operand& o, unsigned group)
    {
        unsigned first = 0;
        for (unsigned x = 0; x < group; ++x) { first += o.modes[x]; }
        for (unsigned m = first + o.modes[group]; m-- > first;) {
            m_modes.push_back({m_extent, o.mode[m].size, o.mode[m].stride});
            m_extent *= o.mode[m].size;
        }
    }

    // Elements from one value of the digit to the next: 0 where it has one value in range. Nothing where it is uneven.
    std::optional<std::int64_t> stride_of(std::uint64_t weight, std::uint64_t count) const
    {
        if (count == 1 || weight >= m_extent) { return 0; }
        for (std::size_t m = 0; m < m_modes.size(); ++m) {
            const auto& of = m_modes[m];
            const std::uint64_t end = of.weight * of.size;
            if (weight < of.weight || weight >= end) { continue; }
            const bool fits = weight % of.weight == 0 && (weight * count <= end || m + 1 == m_modes.size());
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
    std::vector<mode> m_modes;
    std::uint64_t m_extent = 1;
};

// Rows between neighbours of every digit, or nothing where a row of the operand is none of the memory.
struct row_strides {
    struct of_part {
        std::uint32_t mask;
        std::uint64_t rows;
    };
    std::vector<of_part> parts; // with more than one part in range
    std::array<std::uint64_t, 4> counter{};
};

std::optional<row_strides> rows_of(const contract_command& c, operand_role role, const device_limits& g)
{
    const contract_operand& o = operand_of(c, role);
    const std::array<flat_modes, 3> groups{flat_modes(o, 0), flat_modes(o, 1), flat_modes(o, 2)};
    row_strides found;
    for (const index_digit& d : digits_of(c, role, g)) {
        const auto stride = groups[d.group].stride_of(d.weight, d.count);
        if (!stride || *stride < 0) { return std::nullopt; }
        if (d.by == lane) {
            if (*stride > 1) { return std::nullopt; }
            continue;
        }
        const auto elements = static_cast<std::uint64_t>(*stride);
        if (elements % g.side != 0) { return std::nullopt; }
        if (d.by == counter) {
            found.counter[d.which] = elements / g.side;
        } else if (elements != 0) {
            found.parts.push_back({d.mask, elements / g.side});
        }
    }
    return found;
}

std::uint32_t behind_layer(std::uint32_t port, const device_limits& g, bool transposed)
{
    return transposed ? base::transposed(port, g.index_bits()) : port;
}

// Strides of positions, where the bits of the bank that the operand's parts leave free take the low bits of them.
std::optional<std::array<std::int32_t, 4>> positions_of(const row_strides& rows, std::uint32_t shared,
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
        const std::uint64_t row = counts[i] == 1 ? 0 : rows.counter[i];
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

// Rows of the last tiles that are out of range have positions, too: none behind those of the tensor and, of a result,
// none that others have.
bool is_within(const banked_form& form, const contract_command& command, operand_role role, const device_limits& g)
{
    static constexpr std::uint16_t linear[] = {contract_command::flag_linear_ia, contract_command::flag_linear_ib,
                                               contract_command::flag_linear_result};
    const std::uint16_t flag = linear[static_cast<unsigned>(role)];
    contract_command banked = command;
    banked.flags |= flag;
    const auto of_linear = reach_of(banked, role, g);
    (role == operand_role::ia ? banked.ia : role == operand_role::ib ? banked.ib : banked.result) = form.operand;
    banked.flags &= static_cast<std::uint16_t>(~flag);
    const auto of_banked = reach_of(banked, role, g);
    return of_linear && of_banked && of_banked->last_row <= of_linear->last_row &&
           (role != operand_role::result || !may_repeat(counts_of(banked, role, g)));
}

} // namespace

std::optional<banked_form> banked_form_of(const contract_command& command, operand_role role, const device_limits& g,
                                          bool transpose_layer)
{
    const auto rows = rows_of(command, role, g);
    const contract_operand& linear = operand_of(command, role);
    if (!rows || linear.base % (g.side * g.engines) != 0) { return std::nullopt; }
    const auto counts = fetta::counter_counts(command, role, g);
    for (const bool transposed : {false, true}) {
        if (transposed && !transpose_layer) { continue; }
        const bool parts_fit = std::all_of(rows->parts.begin(), rows->parts.end(), [&](const auto& p) {
            std::uint64_t row = p.rows;
            for (std::uint32_t rest = p.mask; rest != 0; rest &= rest - 1, row *= 2) {
                if (behind_layer(rest & (~rest + 1), g, transposed) != row) { return false; }
            }
            return true;
        });
        const auto positions = positions_of(*rows, shared_mask(command, role), counts, g, transposed);
        if (!parts_fit || !positions) { continue; }
        banked_form form;
        form.transposed = transposed;
        form.operand.base = linear.base / (g.side * g.engines);
        form.operand.stride = *positions;
        return is_within(form, command, role, g) ? std::optional<banked_form>(form) : std::nullopt;
    }
    return std::nullopt;
}

} // namespace tensorloom::workloads
