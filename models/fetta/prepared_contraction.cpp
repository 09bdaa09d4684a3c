#include <tensorloom/models/fetta/prepared_contraction.h>
#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>
#include <tensorloom/models/fetta/isa/bank_conflicts.h>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/base/values/integers.h>

namespace tensorloom::fetta {

using base::element_type;

namespace {

// Calls action(tile, row) once for every row of an operand, not for each tile that uses it.
template <class Action>
void for_each_operand_row(operand_role role, const contract_index& index, std::uint64_t rows, const Action& action)
{
    const auto& loops = index.loops();
    const std::uint64_t tiles = role == operand_role::ia ? loops.ia_tiles : loops.ib_tiles;
    contract_tile tile;
    for (tile.batch = 0; tile.batch < loops.batch_tiles; ++tile.batch) {
        for (std::uint64_t free = 0; free < tiles; ++free) {
            (role == operand_role::ia ? tile.ia : tile.ib) = free;
            for (tile.contracted = 0; tile.contracted < loops.contracted_tiles; ++tile.contracted) {
                for (std::uint64_t row = 0; row < rows; ++row) { action(tile, row); }
            }
        }
    }
}

// Calls action(tile, row) for every row of the result.
template <class Action>
void for_each_result_row(const contract_index& index, bool output_stationary, std::uint64_t side, const Action& action)
{
    contract_tile tile = index.first_tile();
    do {
        if (tile.contracted != 0) { continue; }
        const std::uint64_t rows = output_stationary ? side : tile.steps;
        for (std::uint64_t row = 0; row < rows; ++row) { action(tile, tile.first_step + row); }
    } while (index.next(tile));
}

// Collects runs of an operand or result, as long as neighbours in memory are neighbours in the matrix.
class run_collector {
public:
    run_collector(const contract_command& command, operand_role role, const device_limits& g, const row_layout& layout,
                  std::vector<memory_run>& runs)
        : m_type(type_of(command, role, g)), m_layout(layout), m_elements(g.side), m_runs(runs)
    {
        if (is_linear(command, role)) { m_order.emplace(command, role, g); }
        m_runs.clear();
    }

    /// Adds the lanes of a beat: from `at` on in the matrix; banked: in this row of this bank.
    void add(const beat_indices& beat, std::uint64_t row, std::uint32_t bank, std::size_t at)
    {
        if (!m_order) {
            add(m_layout.row(m_type, row, bank), at, beat.lanes);
            return;
        }
        m_order->elements(beat, m_elements.data());
        for (std::uint32_t lane = 0; lane < beat.lanes; ++lane) {
            add(m_layout.element(m_type, m_elements[lane]), at + lane, 1);
        }
    }

private:
    void add(std::uint64_t byte, std::size_t at, std::size_t elements)
    {
        if (!m_runs.empty()) {
            memory_run& last = m_runs.back();
            if (last.at + last.elements == at && last.byte + last.elements * base::element_bytes(m_type) == byte) {
                last.elements += static_cast<std::uint32_t>(elements);
                return;
            }
        }
        m_runs.push_back({byte, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(elements)});
    }

    element_type m_type;
    const row_layout& m_layout;
    std::optional<fetta::linear_operand> m_order;
    std::vector<std::uint64_t> m_elements; // of one beat
    std::vector<memory_run>& m_runs;
};

void collect_operand(const contract_command& command, const contract_index& index, operand_role role,
                     const device_limits& g, const row_layout& layout, product_tensor& to)
{
    const bool is_ia = role == operand_role::ia;
    const banked_operand banked(command, role, g);
    run_collector collector(command, role, g, layout, to.runs);
    const bool tiled = !is_ia && !is_output_stationary(command.mapped());
    for_each_operand_row(role, index, tiled ? g.side : index.loops().steps, [&](const auto& tile, std::uint64_t r) {
        const auto place = banked.at(is_ia ? index.ia_counters(tile, r) : index.ib_counters(tile, r));
        for (std::uint32_t engine = 0; engine < g.engines; ++engine) {
            if ((engine & banked.shared()) != 0) { continue; }
            const beat_indices row = is_ia ? index.ia_beat(tile, r, engine) : index.ib_beat(tile, r, engine);
            if (row.lanes != 0) { collector.add(row, place.row, banked.bank(place, engine), to.place_of(row)); }
        }
    });
}

// Sorts rows, each of them once, and joins neighbours.
void join_neighbours(std::vector<accumulator_rows_of_port>& rows)
{
    std::sort(rows.begin(), rows.end(),
              [](const auto& a, const auto& b) { return std::tie(a.port, a.first) < std::tie(b.port, b.first); });
    std::size_t joined = 0;
    for (const auto& r : rows) {
        if (joined != 0) {
            auto& last = rows[joined - 1];
            if (last.port == r.port && r.first <= last.first + last.rows) {
                last.rows = std::max(last.rows, r.first + r.rows - last.first);
                continue;
            }
        }
        rows[joined++] = r;
    }
    rows.resize(joined);
    rows.shrink_to_fit();
}

// Collects the sums of every group of engines.
void collect_sums(const contract_command& command, const contract_index& index, const device_limits& g,
                  const row_layout& layout, prepared_contraction& to)
{
    const banked_operand banked(command, operand_role::result, g);
    run_collector collector(command, operand_role::result, g, layout, to.sums.runs);
    const bool keeps = command.has(contract_command::flag_keep);
    const bool has_runs = !keeps && to.sums.held == product_tensor::storage::runs;
    const bool has_accumulator_runs = keeps || command.has(contract_command::flag_accumulate);
    to.accumulator_runs.clear();
    to.passed_rows.clear();
    to.accumulators = {};
    for_each_result_row(index, is_output_stationary(command.mapped()), g.side,
                        [&](const contract_tile& tile, std::uint64_t r) {
                            const auto place = banked.at(index.result_counters(tile, r));
                            for (std::uint32_t engine = 0; engine < g.engines; ++engine) {
                                if ((engine & banked.shared()) != 0) { continue; }
                                const beat_indices row = index.result_beat(tile, r, engine);
                                if (!row.present) { continue; }
                                const std::uint32_t port = banked.bank(place, engine);
                                const std::size_t at = to.sums.place_of(row);
                                const auto accumulator = static_cast<std::uint32_t>(index.accumulator_row(tile, r));
                                if (has_accumulator_runs) {
                                    to.accumulator_runs.push_back({static_cast<std::uint32_t>(at),
                                                                   keeps ? g.side : row.lanes, port, accumulator});
                                }
                                if (!keeps) { to.passed_rows.push_back({port, accumulator, 1}); }
                                to.accumulators.include({accumulator, accumulator + 1});
                                if (has_runs) { collector.add(row, place.row, port, at); }
                            }
                        });
    join_neighbours(to.passed_rows);
}

arithmetic::offset_table table_of(std::size_t indices, std::ptrdiff_t first, std::ptrdiff_t stride)
{
    std::vector<std::ptrdiff_t> offsets(indices);
    for (std::size_t i = 0; i < indices; ++i) { offsets[i] = first + static_cast<std::ptrdiff_t>(i) * stride; }
    return arithmetic::offset_table(std::move(offsets));
}

// Uses a linear operand or result in place, if its blocks have not many more elements than it. False otherwise.
bool place_linear(const contract_command& command, operand_role role, const device_limits& g, const row_layout& layout,
                  const std::array<std::size_t, 3>& extent, product_tensor& to)
{
    const element_type type = type_of(command, role, g);
    const auto reach = *reach_of(command, role, g);
    const auto of_block = static_cast<std::int64_t>(layout.block_bytes() / base::element_bytes(type));
    const std::int64_t block = base::quotient_down(reach.first_element, of_block);
    const std::size_t elements = extent[0] * extent[1] * extent[2];
    const auto reached = static_cast<std::size_t>(reach.last_element + 1 - reach.first_element);
    if (type == element_type::bf16) {
        const bool has_holes = role == operand_role::result && reached != elements;
        const bool is_small = elements < static_cast<std::size_t>(of_block);
        if (has_holes || is_small || reached > 2 * (elements + static_cast<std::size_t>(of_block))) { return false; }
        to.held = product_tensor::storage::image;
        const std::int64_t blocks = base::quotient_down(reach.last_element, of_block) + 1 - block;
        to.floats = static_cast<std::size_t>(blocks * of_block);
    } else {
        to.held = product_tensor::storage::memory;
    }
    to.byte = static_cast<std::uint64_t>(block) * layout.block_bytes();
    to.first = static_cast<std::size_t>(reach.first_element - block * of_block);
    to.end = to.first + reached;
    const linear_operand order(command, role, g);
    for (unsigned group = 0; group < 3; ++group) {
        std::vector<std::ptrdiff_t> offsets(extent[group]);
        for (std::size_t i = 0; i < extent[group]; ++i) { offsets[i] = order.offset(group, i); }
        if (group == 0) {
            const std::int64_t base = operand_of(command, role).base;
            for (auto& offset : offsets) { offset += base - block * of_block; }
        }
        to.offset[group] = arithmetic::offset_table(std::move(offsets));
    }
    return true;
}

// The rows of a banked tensor are rows of a dense one.
void place_dense(const std::array<std::size_t, 3>& extent, bool by_middle, product_tensor& to)
{
    const auto middle = static_cast<std::ptrdiff_t>(extent[1]), free = static_cast<std::ptrdiff_t>(extent[2]);
    to.held = product_tensor::storage::runs;
    to.floats = extent[0] * extent[1] * extent[2];
    to.offset = {table_of(extent[0], 0, middle * free), table_of(extent[1], 0, by_middle ? 1 : free),
                 table_of(extent[2], 0, by_middle ? middle : 1)};
}

// The order in which a table's offsets ascend.
std::vector<std::uint32_t> ascending(const arithmetic::offset_table& table)
{
    std::vector<std::uint32_t> order(table.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return table[a] < table[b]; });
    return order;
}

arithmetic::offset_table in_order(const arithmetic::offset_table& table, const std::vector<std::uint32_t>& order)
{
    std::vector<std::ptrdiff_t> offsets;
    offsets.reserve(order.size());
    for (const std::uint32_t i : order) { offsets.push_back(table[i]); }
    return arithmetic::offset_table(std::move(offsets));
}

// Rows and columns of a product may be in any order. Chooses one that reads and writes as many elements as possible
// together, if they lie along vectors. Each row or column has `terms` elements of the operand and `others` of the
// result.
void order_together(arithmetic::offset_table& of_operand, arithmetic::offset_table& of_result, std::size_t terms,
                    std::size_t others)
{
    const auto moves = [&](const arithmetic::offset_table& a, const arithmetic::offset_table& y) {
        constexpr std::size_t vector = 16;
        return terms * (vector / std::min(a.together(), vector)) + others * (vector / std::min(y.together(), vector));
    };
    const arithmetic::offset_table operand = of_operand, result = of_result;
    std::size_t least = moves(operand, result);
    for (const auto& order : {ascending(result), ascending(operand)}) {
        auto a = in_order(operand, order), y = in_order(result, order);
        if (moves(a, y) >= least) { continue; }
        least = moves(a, y);
        of_operand = std::move(a);
        of_result = std::move(y);
    }
}

// Commands of one program differ in extents, and in the position of their tensors within a block.
std::size_t place_of(const contract_command& c, std::size_t places)
{
    std::uint64_t mixed = c.flags;
    for (const std::uint32_t part : {c.ia.base, c.ib.base, c.result.base, c.batch, c.ia_free, c.ib_free, c.contracted,
                                     c.mapping, c.mask_ia, c.mask_ib}) {
        mixed = (mixed ^ part) * 0x9e3779b97f4a7c15u;
        mixed ^= mixed >> 32;
    }
    return static_cast<std::size_t>(mixed) & (places - 1);
}

} // namespace

void prepared_contraction::prepare(const contract_command& prepared, const device_limits& g, const row_layout& layout,
                                   bool counts_banks)
{
    command = prepared;
    ideal = ideal_cycles(command, g);
    counts = contract_counts(command, g);
    linear_accesses accesses(command, g);
    count_linear(accesses.all(), command, g, counts);
    cycles = ideal.total() + counts[event::conflict_cycle];
    if (counts_banks) { banks = banks_of(command, g); }

    const bool output_stationary = is_output_stationary(command.mapped());
    const bool horizontal = is_horizontal(command.mapped());
    const bool keeps = command.has(contract_command::flag_keep);
    const std::size_t batch = command.batch, terms = command.contracted, rows = command.ia_free, side = g.side;
    columns = command.ib_free;
    if (keeps) { columns = (columns + side - 1) / side * side; }

    const contract_index index(command, g);
    const auto place = [&](operand_role role, bool may_stay, const std::array<std::size_t, 3>& extent, bool by_middle,
                           product_tensor& to) {
        to.runs.clear();
        if (may_stay && is_linear(command, role) && place_linear(command, role, g, layout, extent, to)) { return; }
        place_dense(extent, by_middle, to);
        if (role != operand_role::result) { collect_operand(command, index, role, g, layout, to); }
    };
    place(operand_role::ia, true, {batch, terms, rows}, !output_stationary, ia);
    place(operand_role::ib, columns == command.ib_free, {batch, terms, columns}, horizontal, ib);
    place(operand_role::result, !keeps && !command.has(contract_command::flag_accumulate), {batch, rows, columns},
          false, sums);
    collect_sums(command, index, g, layout, *this);
    if (sums.held != product_tensor::storage::runs) {
        order_together(ia.offset[2], sums.offset[1], terms, columns);
        order_together(ib.offset[2], sums.offset[2], terms, rows);
    }
    for (auto* const tensor : {&ia, &ib, &sums}) { tensor->runs.shrink_to_fit(); }
    accumulator_runs.shrink_to_fit();
}

placed_contraction prepared_contractions::of(const contract_command& command, const device_limits& g,
                                             const row_layout& layout, bool counts_banks)
{
    contract_command from_first_block = command;
    placed_contraction placed{};
    for (const auto role : operand_roles) {
        const std::uint64_t elements = layout.block_bytes() / base::element_bytes(type_of(command, role, g));
        const auto bases = static_cast<std::uint32_t>( // of a block
            is_linear(command, role) ? elements : elements / (g.engines * g.side));
        auto& operand = role == operand_role::ia   ? from_first_block.ia
                        : role == operand_role::ib ? from_first_block.ib
                                                   : from_first_block.result;
        placed.byte[static_cast<unsigned>(role)] = operand.base / bases * layout.block_bytes();
        operand.base %= bases;
    }
    kept_contraction& kept = place_for(from_first_block);
    if (kept.used == 0 || !(kept.prepared.command == from_first_block)) {
        m_entries -= kept.prepared.entries();
        kept.prepared.prepare(from_first_block, g, layout, counts_banks);
        m_entries += kept.prepared.entries();
        const std::uint64_t first = placed.byte[static_cast<unsigned>(operand_role::result)];
        const auto written = result_range(command, g);
        kept.prepared.written = {written.first - first, written.end - first};
        if (m_entries > most_entries) { forget_others(kept); }
    }
    kept.used = ++m_calls;
    placed.prepared = &kept.prepared;
    return placed;
}

// The entry of the command, or the least recently used one.
prepared_contractions::kept_contraction& prepared_contractions::place_for(const contract_command& command)
{
    const auto group = m_kept.begin() + static_cast<std::ptrdiff_t>(place_of(command, places / ways) * ways);
    auto oldest = group;
    for (auto k = group; k != group + ways; ++k) {
        if (k->used != 0 && k->prepared.command == command) { return *k; }
        if (k->used < oldest->used) { oldest = k; }
    }
    return *oldest;
}

void prepared_contractions::forget_others(const kept_contraction& last)
{
    for (auto& k : m_kept) {
        if (&k != &last) { k = {}; }
    }
    m_entries = last.prepared.entries();
}

} // namespace tensorloom::fetta
