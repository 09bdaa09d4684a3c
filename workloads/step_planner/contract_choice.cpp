#include <tensorloom/workloads/step_planner/contract_choice.h>
#include <algorithm>
#include <cmath>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/integers.h>

namespace tensorloom::workloads {
namespace {

using fetta::contract_command;
using fetta::contract_operand;
using fetta::operand_role;

constexpr std::size_t sampled_cycles = 8;

// The i-th of numbers that are spread evenly from 0 to before `end`.
std::uint64_t spread(std::size_t i, double turn, std::uint64_t end)
{
    const double fraction = static_cast<double>(i) * turn;
    return std::min(end - 1, static_cast<std::uint64_t>((fraction - std::floor(fraction)) * static_cast<double>(end)));
}

// Divides by a number from 2 on without a division: exact for 32 bits.
class divisor {
public:
    divisor() = default;
    explicit divisor(std::uint32_t by) : m_inverse(~std::uint64_t{0} / by + 1) {}

    std::uint32_t quotient(std::uint32_t n) const
    {
        __extension__ using wide = unsigned __int128;
        return static_cast<std::uint32_t>(wide{n} * m_inverse >> 64);
    }

private:
    std::uint64_t m_inverse = 0; // 2^64 / by, rounded up
};

// The digits of a flat index in a layout, the fastest first.
class flat_offsets {
public:
    flat_offsets(const contraction_graph& graph, const std::vector<unsigned>& modes, const mode_layout& layout)
    {
        for (auto m = modes.rbegin(); m != modes.rend() && m_count < most; ++m) {
            m_size[m_count] = static_cast<std::uint32_t>(graph.modes[*m].size);
            m_divisor[m_count] = divisor(m_size[m_count]);
            m_stride[m_count++] = static_cast<std::uint32_t>(layout.stride_of(*m));
        }
    }

    // Of so many neighbours from an index on.
    void put(std::uint32_t index, std::uint32_t count, std::uint32_t* to) const
    {
        if (m_count == 0) {
            std::fill_n(to, count, 0);
            return;
        }
        std::uint32_t rest = m_divisor[0].quotient(index), digit = index - rest * m_size[0], base = behind_first(rest);
        for (std::uint32_t i = 0; i < count; ++i, ++digit) {
            if (digit == m_size[0]) {
                digit = 0;
                base = behind_first(++rest);
            }
            to[i] = base + digit * m_stride[0];
        }
    }

private:
    static constexpr unsigned most = 16;

    std::uint32_t behind_first(std::uint32_t index) const
    {
        std::uint32_t offset = 0;
        for (unsigned m = 1; m < m_count && index != 0; ++m) {
            const std::uint32_t rest = m_divisor[m].quotient(index);
            offset += (index - rest * m_size[m]) * m_stride[m];
            index = rest;
        }
        return offset;
    }

    unsigned m_count = 0;
    std::array<std::uint32_t, most> m_size{}, m_stride{};
    std::array<divisor, most> m_divisor{};
};

// Rows that one cycle asks the banks for.
class asked_rows {
public:
    explicit asked_rows(std::uint32_t banks) : m_mask(banks - 1) {}

    void clear()
    {
        std::fill_n(m_count.begin(), m_mask + 1, 0);
        m_longest = 1;
    }

    void add(std::uint32_t row)
    {
        auto& rows = m_rows[row & m_mask];
        auto& count = m_count[row & m_mask];
        auto& largest = m_largest[row & m_mask];
        if (count == 0 || row > largest) { // mostly they ascend
            largest = row;
        } else {
            for (std::uint32_t r = count; r-- > 0;) {
                if (rows[r] == row) { return; }
            }
        }
        if (count < rows.size()) { rows[count++] = row; }
        m_longest = std::max(m_longest, count);
    }
    std::uint32_t longest() const { return m_longest; }

private:
    static constexpr std::size_t most_banks = 64, told_apart = 64; // rows of a bank

    std::uint32_t m_mask, m_longest = 1;
    std::array<std::uint32_t, most_banks> m_count; // of the banks there are, once cleared
    // Counts say what is there.
    std::array<std::uint32_t, most_banks> m_largest; // of the rows of a bank that has some
    std::array<std::array<std::uint32_t, told_apart>, most_banks> m_rows;
};

} // namespace

group_modes groups_of(const contraction_graph& graph, std::size_t contraction)
{
    const auto& c = graph.contractions[contraction];
    group_modes groups;
    const auto add = [&](contraction_index x, unsigned mode) {
        if (graph.modes[mode].size > 1 && c.sliced != mode) { groups[at(x)].push_back(mode); }
    };
    for (const unsigned m : graph.tensors[c.a].modes) {
        const bool in_b = graph.has(c.b, m), in_c = graph.has(c.result, m);
        add(!in_b ? contraction_index::a_free : in_c ? contraction_index::batch : contraction_index::contracted, m);
    }
    for (const unsigned m : graph.tensors[c.b].modes) {
        if (!graph.has(c.a, m)) { add(contraction_index::b_free, m); }
    }
    return groups;
}

flat_extents extents_of(const contraction_graph& graph, const group_modes& groups)
{
    const auto extent = [&](contraction_index x) {
        std::uint64_t product = 1;
        for (const unsigned m : groups[at(x)]) { product *= graph.modes[m].size; }
        return product;
    };
    return {extent(contraction_index::batch), extent(contraction_index::contracted), extent(contraction_index::a_free),
            extent(contraction_index::b_free)};
}

contraction_tensor tensor_of(fetta::mapping mapping, operand_role role)
{
    if (role == operand_role::result) { return contraction_tensor::c; }
    return (role == operand_role::ib) == has_x_in_ib(mapping) ? contraction_tensor::a : contraction_tensor::b;
}

std::array<contraction_index, 3> operand_groups(fetta::mapping mapping, operand_role role)
{
    const bool swapped = has_x_in_ib(mapping);
    const auto of_ia = swapped ? contraction_index::b_free : contraction_index::a_free;
    const auto of_ib = swapped ? contraction_index::a_free : contraction_index::b_free;
    if (role == operand_role::result) { return {contraction_index::batch, of_ia, of_ib}; }
    return {contraction_index::batch, contraction_index::contracted, role == operand_role::ia ? of_ia : of_ib};
}

operand_path path_of(const contract_choice& choice, operand_role role)
{
    const auto& banked = choice.banked[at(role)];
    return !banked ? operand_path::gathered : banked->transposed ? operand_path::transposed : operand_path::network;
}

contract_operand linear_operand_of(const contraction_graph& graph, const contract_choice& choice, operand_role role,
                                   const mode_layout& layout)
{
    const auto groups = operand_groups(choice.mapping, role);
    return linear_operand_of(
        graph, {&choice.groups[at(groups[0])], &choice.groups[at(groups[1])], &choice.groups[at(groups[2])]}, layout);
}

contract_operand linear_operand_of(const contraction_graph& graph, const operand_modes& modes,
                                   const mode_layout& layout)
{
    contract_operand o;
    unsigned used = 0;
    for (unsigned i = 0; i < modes.size(); ++i) {
        for (const unsigned m : *modes[i]) {
            const auto size = static_cast<std::uint32_t>(graph.modes[m].size);
            const auto stride = static_cast<std::int32_t>(layout.stride_of(m));
            const bool continues =
                o.modes[i] != 0 && o.mode[used - 1].stride == stride * static_cast<std::int32_t>(size);
            if (continues) {
                o.mode[used - 1] = {o.mode[used - 1].size * size, stride};
                continue;
            }
            if (used == fetta::max_operand_modes) {
                throw base::input_error("network: found a tensor of more modes than " +
                                        std::to_string(fetta::max_operand_modes) +
                                        " in a contraction, expected at most that");
            }
            o.mode[used++] = {size, stride};
            ++o.modes[i];
        }
    }
    return o;
}

contract_command command_of(const flat_extents& extents, const contract_choice& choice, bool store_bf16)
{
    contract_command c = contract_of(extents, choice.mapping, choice.split, store_bf16);
    std::uint32_t* const masks[] = {&c.mask_batch, &c.mask_contracted, &c.mask_ia, &c.mask_ib};
    std::uint32_t next = 1;
    for (const auto index : choice.bits) {
        std::uint32_t& mask = *masks[static_cast<unsigned>(index)];
        const std::uint32_t parts = fetta::parts(mask);
        mask = (parts - 1) * next;
        next *= parts;
    }
    return c;
}

contract_command command_of(const contraction_graph& graph, const contract_choice& choice,
                            const contraction_layouts& layouts, bool store_bf16)
{
    static constexpr std::uint16_t linear[] = {contract_command::flag_linear_ia, contract_command::flag_linear_ib,
                                               contract_command::flag_linear_result};
    static constexpr std::uint16_t transposed[] = {contract_command::flag_transpose_ia,
                                                   contract_command::flag_transpose_ib,
                                                   contract_command::flag_transpose_result};
    contract_command c = command_of(extents_of(graph, choice.groups), choice, store_bf16);
    contract_operand* const operands[] = {&c.ia, &c.ib, &c.result};
    for (const auto role : fetta::operand_roles) {
        const auto& banked = choice.banked[at(role)];
        *operands[at(role)] =
            banked ? banked->operand
                   : linear_operand_of(graph, choice, role, *layouts[at(tensor_of(choice.mapping, role))]);
        c.flags |= !banked ? linear[at(role)] : banked->transposed ? transposed[at(role)] : 0;
    }
    return c;
}

contract_operand place_of_kept_sums(const contract_operand& result)
{
    contract_operand o;
    o.bank = result.bank;
    o.stride = result.stride;
    return o;
}

stream_samples::stream_samples(const contract_choice& choice, const flat_extents& extents,
                               const fetta::device_limits& g)
    : m_side(g.side), m_banks(g.engines)
{
    const contract_command c = contract_of(extents, choice.mapping, choice.split, false);
    const fetta::contract_index index(c, g);
    const auto& loops = index.loops();
    const bool os = is_output_stationary(choice.mapping);
    for (const auto role : fetta::operand_roles) {
        stream& s = m_streams[at(role)];
        const bool of_steps = role == operand_role::ia || (role == operand_role::ib) == os;
        const std::uint64_t beats = of_steps ? loops.steps : g.side;
        const std::uint64_t contracted = role == operand_role::result ? 1 : loops.contracted_tiles;
        const std::uint64_t pieces = of_steps ? 1 : loops.pieces.size();
        const std::uint64_t tiles = loops.batch_tiles * loops.ia_tiles * loops.ib_tiles * contracted;
        s.cycles = static_cast<double>(beats * tiles * pieces);
        const auto sampled = static_cast<std::size_t>(std::min<std::uint64_t>(sampled_cycles, beats * tiles));
        for (std::size_t i = 0; i < sampled; ++i) {
            std::uint64_t turn = spread(i, 0.6180339887498949, tiles);
            const std::uint64_t step = spread(i, 0.7548776662466927, beats);
            fetta::contract_tile tile;
            tile.contracted = role == operand_role::result ? loops.contracted_tiles - 1 : turn % contracted;
            turn /= contracted;
            tile.ib = turn % loops.ib_tiles;
            tile.ia = turn / loops.ib_tiles % loops.ia_tiles;
            tile.batch = turn / loops.ib_tiles / loops.ia_tiles;
            for (std::uint32_t engine = 0; engine < g.engines; ++engine) {
                if ((engine & shared_mask(c, role)) != 0) { continue; }
                const auto row = role == operand_role::ia   ? index.ia_beat(tile, step, engine)
                                 : role == operand_role::ib ? index.ib_beat(tile, step, engine)
                                                            : index.result_beat(tile, step, engine);
                if (row.lanes == 0) { continue; }
                stream_samples::beat sampled_beat{{}, row.along, row.lanes};
                for (unsigned x = 0; x < 3; ++x) { sampled_beat.index[x] = static_cast<std::uint32_t>(row.index[x]); }
                s.beats.push_back(sampled_beat);
            }
            s.ends.push_back(s.beats.size());
        }
    }
}

stream_conflicts::stream_conflicts(const stream_samples& samples, const contraction_graph& graph, operand_role role,
                                   const group_orders& orders, const mode_layout& layout)
    : m_stream(samples.m_streams[at(role)]), m_graph(graph), m_orders(orders), m_layout(layout), m_side(samples.m_side),
      m_banks(samples.m_banks)
{
    for (unsigned i = 0; i < 3; ++i) { m_places[i].resize(orders[i]->size()); }
}

// The offsets of the first `end` beats. Lanes along another group share one offset.
const std::uint32_t* stream_conflicts::offsets_to(std::size_t end, unsigned group, std::size_t order)
{
    places& of = m_places[group][order];
    if (of.beats >= end) { return of.offsets.data(); }
    const auto& modes = (*m_orders[group])[order];
    const flat_offsets offsets(m_graph, modes, m_layout);
    of.offsets.resize(m_stream.beats.size() * m_side);
    m_work += modes.size() * (end - of.beats) * m_side;
    for (std::size_t i = of.beats; i < end; ++i) {
        const auto& b = m_stream.beats[i];
        const std::uint32_t lanes = b.along == group ? b.lanes : 1;
        std::uint32_t* const to = of.offsets.data() + i * m_side;
        if (i > 0 && lanes == 1 && m_stream.beats[i - 1].index[group] == b.index[group]) { // as of most engines
            *to = *(to - m_side);
        } else {
            offsets.put(b.index[group], lanes, to);
        }
    }
    of.beats = end;
    return of.offsets.data();
}

// Cycles that the sampled beats wait for a bank, scaled from the sample to the stream.
double stream_conflicts::cycles(const std::array<std::size_t, 3>& order, double limit)
{
    const std::uint32_t side_bits = base::log2_of(m_side);
    const auto sampled = static_cast<double>(m_stream.ends.size());
    asked_rows rows(m_banks);
    std::uint64_t waited = 0;
    std::size_t first = 0; // beat of a cycle
    double all = 0;
    for (const std::size_t end : m_stream.ends) {
        std::array<const std::uint32_t*, 3> of{};
        for (unsigned i = 0; i < 3; ++i) { of[i] = offsets_to(end, i, order[i]); }
        rows.clear();
        m_work += (end - first) * m_side;
        for (; first < end; ++first) {
            const auto& b = m_stream.beats[first];
            const std::size_t at = first * m_side;
            std::uint32_t base = 0;
            for (unsigned i = 0; i < 3; ++i) { base += i == b.along ? 0 : of[i][at]; }
            const std::uint32_t* const along = of[b.along] + at;
            std::uint32_t row = (base + along[0]) >> side_bits;
            rows.add(row);
            for (std::uint32_t l = 1; l < b.lanes; ++l) {
                const std::uint32_t next = (base + along[l]) >> side_bits;
                if (next != row) { rows.add(next); }
                row = next;
            }
        }
        waited += rows.longest() - 1;
        all = m_stream.cycles * static_cast<double>(waited) / sampled;
        if (all >= limit) { break; }
    }
    return all;
}

} // namespace tensorloom::workloads
