#include "support/fetta_reference_contraction.h"
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include "support/fetta_reference_places.h"
#include "support/fetta_reference_sums.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using fetta::contract_command;
using fetta::event;
using isa::error_code;
using number = std::uint64_t;
using counters = std::array<number, 4>;
using element = reference_element;

number ceiling(number n, number d) { return (n + d - 1) / d; }

constexpr reference_stream ia = reference_stream::ia, ib = reference_stream::ib, result = reference_stream::result;
constexpr reference_stream streams[] = {ia, ib, result};

// The rows of the three streams that are touched in one cycle.
using cycle_rows = std::array<std::set<reference_row>, 3>;

class contraction {
public:
    contraction(const contract_command& command, const fetta::device_limits& limits, fetta_reference_memory& memory,
                fetta_reference_accumulators& accumulators, fetta::counts& counts);
    fetta_reference_cycles run();

private:
    struct touched {
        number cycle;
        reference_stream of;
    };

    void require_sane() const;
    // One row for an engine: `side` elements, those that exist from memory.
    template <class Elements>
    std::vector<float> read_row(const touched& t, number engine, const counters& at, const Elements& elements);
    void reduce(number cycle, const std::vector<std::vector<float>>& sums, const std::vector<bool>& valid,
                const counters& at, number accumulator_row, bool add, bool leaves,
                const std::vector<std::vector<element>>& elements);
    void flush(number before);
    number part(number engine, number mask) const { return bits_under(mask, engine); }

    void run_stationary();
    void stationary_tile(number gt, number ft, number first_step, number steps, number kt, number start);
    void run_output_stationary();
    void output_stationary_tile(number gt, number rt, number ct, number start);

    const contract_command& m_c;
    fetta_reference_places m_places;
    const fetta::device_limits& m_g;
    fetta_reference_memory& m_memory;
    fetta_reference_accumulators& m_accumulators;
    fetta::counts& m_counts;
    reference_sums m_sums;
    number m_engines, m_side;
    number m_parts_b, m_parts_k, m_parts_a, m_parts_i;
    number m_latency; // of the networks and the accumulation unit
    number m_mac_cycles;
    number m_tiles_b = 1, m_tiles_k = 1, m_tiles_a = 1, m_tiles_i = 1, m_steps = 1;
    number m_slots = 0; // multiply-adds of PEs
    std::map<number, cycle_rows> m_accesses;
    // Elements that a buffer has passed in one cycle: stream, indices.
    std::map<number, std::set<std::pair<reference_stream, std::array<number, 3>>>> m_buffered;
    fetta_reference_cycles m_cycles;
};

contraction::contraction(const contract_command& command, const fetta::device_limits& limits,
                         fetta_reference_memory& memory, fetta_reference_accumulators& accumulators,
                         fetta::counts& counts)
    : m_c(command), m_places(command, limits), m_g(limits), m_memory(memory), m_accumulators(accumulators),
      m_counts(counts), m_sums{limits.psum == element_type::bf16}, m_engines(limits.engines), m_side(limits.side),
      m_parts_b(parts_of(command.mask_batch)), m_parts_k(parts_of(command.mask_contracted)),
      m_parts_a(parts_of(command.mask_ia)), m_parts_i(parts_of(command.mask_ib)), m_latency(limits.index_bits() + 1),
      m_mac_cycles(limits.mac_latency)
{}

void contraction::require_sane() const
{
    const number masks[] = {m_c.mask_batch, m_c.mask_contracted, m_c.mask_ia, m_c.mask_ib};
    number all = 0;
    for (const number mask : masks) {
        require((all & mask) == 0, error_code::bad_field, "masks");
        all |= mask;
    }
    require(all == m_engines - 1, error_code::bad_field, "masks");
    require(m_c.mapping < fetta::mapping_count, error_code::bad_field, "mapping");
    require(m_c.batch != 0 && m_c.contracted != 0 && m_c.ia_free != 0 && m_c.ib_free != 0, error_code::bad_field,
            "extents");
    require((m_c.flags & ~contract_command::known_flags) == 0, error_code::bad_command, "flags");
    for (const reference_stream s : streams) {
        require(m_places.operand(s).bank < m_engines, error_code::bad_field, "bank");
        const auto& modes = m_places.operand(s).modes;
        require(number{modes[0]} + modes[1] + modes[2] <= fetta::max_operand_modes, error_code::bad_field, "modes");
    }
}

template <class Elements>
std::vector<float> contraction::read_row(const touched& t, number engine, const counters& at, const Elements& elements)
{
    std::vector<float> row(m_side);
    bool any = false;
    for (number lane = 0; lane < m_side; ++lane) {
        const element e = elements(lane);
        any = any || e.present;
        if (!e.exists) { continue; }
        reference_row place{};
        number within = lane;
        if (m_places.linear(t.of)) {
            std::tie(place, within) = m_places.linear_place(t.of, e);
            m_buffered[t.cycle].insert({t.of, e.group});
        } else {
            place = m_places.banked_place(t.of, engine, at);
        }
        row[lane] = m_memory.get(m_places.type(t.of), place.bank, place.row, within);
        m_accesses[t.cycle][static_cast<std::size_t>(t.of)].insert(place);
    }
    if (any) { m_counts[t.of == ia ? event::ia_element : event::ib_element] += m_side; }
    return row;
}

// What the engines give in one cycle goes through the reduction network to the accumulators and, where it leaves, to
// memory.
void contraction::reduce(number cycle, const std::vector<std::vector<float>>& sums, const std::vector<bool>& valid,
                         const counters& at, number accumulator_row, bool add, bool leaves,
                         const std::vector<std::vector<element>>& elements)
{
    for (number engine = 0; engine < m_engines; ++engine) {
        if (!valid[engine]) { continue; }
        m_counts[event::reduction_element] += m_side;
        if ((engine & m_c.mask_contracted) != 0) { continue; } // the first of its group stands for it
        m_counts[event::accumulator_psum] += m_side;
        const number to = m_places.port(result, engine, at);
        for (number lane = 0; lane < m_side; ++lane) {
            std::vector<float> tree(m_parts_k);
            for (number p = 0; p < m_parts_k; ++p) { tree[p] = sums[engine | bits_to(m_c.mask_contracted, p)][lane]; }
            while (tree.size() > 1) {
                std::vector<float> next(tree.size() / 2);
                for (number p = 0; p < next.size(); ++p) { next[p] = m_sums.sum(tree[2 * p], tree[2 * p + 1]); }
                tree = next;
            }
            float& accumulator = m_accumulators.at(to, accumulator_row, lane);
            const float sum = add ? m_sums.sum(accumulator, tree[0]) : tree[0];
            accumulator = leaves ? 0.0f : sum;
            const element& e = elements[engine][lane];
            if (!leaves || !e.exists) { continue; }
            reference_row place{};
            number within = lane;
            if (m_places.linear(result)) {
                std::tie(place, within) = m_places.linear_place(result, e);
                m_buffered[cycle].insert({result, e.group});
            } else {
                place = m_places.banked_place(result, engine, at);
            }
            const bool narrow = m_places.type(result) == element_type::bf16;
            m_memory.put(m_places.type(result), place.bank, place.row, within, narrow ? rounded_to_bf16(sum) : sum);
            m_accesses[cycle][static_cast<std::size_t>(result)].insert(place);
        }
    }
}

// Cycles before this one are over.
void contraction::flush(number before)
{
    static constexpr event row_events[] = {event::ia_row_read, event::ib_row_read, event::result_row_write};
    while (!m_accesses.empty() && m_accesses.begin()->first < before) {
        number longest = 1;
        for (const reference_stream s : streams) {
            const auto& rows = m_accesses.begin()->second[static_cast<std::size_t>(s)];
            const number short_rows = rows.size() * (m_places.type(s) == element_type::f32 ? 2 : 1);
            m_counts[row_events[static_cast<std::size_t>(s)]] += short_rows;
            if (m_places.linear(s)) { m_counts[event::buffer_row] += short_rows; }
            std::vector<number> in_bank(m_engines);
            for (const auto& r : rows) { longest = std::max(longest, ++in_bank[r.bank]); }
        }
        m_cycles.conflict += longest - 1;
        m_accesses.erase(m_accesses.begin());
    }
}

// ---- stationary ----

void contraction::run_stationary()
{
    m_tiles_b = ceiling(m_c.batch, m_parts_b);
    m_tiles_k = ceiling(m_c.contracted, m_parts_k * m_side);
    m_tiles_i = ceiling(m_c.ib_free, m_parts_i * m_side);
    m_steps = ceiling(m_c.ia_free, m_parts_a);

    std::vector<number> pieces;
    const bool stays = m_c.has(contract_command::flag_accumulate) || m_c.has(contract_command::flag_keep);
    for (number rest = m_steps; rest != 0; rest -= pieces.back()) {
        const number room = stays ? m_steps : m_g.accumulator_rows();
        number piece = std::min(rest, room);
        if (rest > piece && rest - piece < m_side) { piece = rest - m_side; }
        pieces.push_back(piece);
    }

    number start = m_side; // of the next tile
    number last_steps = 0;
    for (number gt = 0; gt < m_tiles_b; ++gt) {
        for (number ft = 0; ft < m_tiles_i; ++ft) {
            number first = 0;
            for (const number steps : pieces) {
                for (number kt = 0; kt < m_tiles_k; ++kt) {
                    flush(start - m_side);
                    stationary_tile(gt, ft, first, steps, kt, start);
                    m_counts[event::tile] += 1;
                    m_cycles.compute += steps;
                    m_cycles.reload += std::max(steps, m_side) - steps;
                    start += std::max(steps, m_side);
                    last_steps = steps;
                }
                first += steps;
            }
        }
    }
    m_cycles.reload -= std::max(last_steps, m_side) - last_steps; // behind the last tile nothing is awaited
    m_cycles.fill = m_side + m_mac_cycles * m_side - 1 + m_latency;
}

void contraction::stationary_tile(number gt, number ft, number first_step, number steps, number kt, number start)
{
    const bool horizontal = fetta::is_horizontal(m_c.mapped());
    const auto batch = [&](number j) { return gt * m_parts_b + part(j, m_c.mask_batch); };
    const auto contracted = [&](number j, number i) {
        return (kt * m_parts_k + part(j, m_c.mask_contracted)) * m_side + i;
    };
    const auto ib_free = [&](number j, number n) { return (ft * m_parts_i + part(j, m_c.mask_ib)) * m_side + n; };
    const auto ia_free = [&](number j, number t) { return part(j, m_c.mask_ia) * m_steps + t; };

    // IB[engine][i][n]
    std::vector<std::vector<std::vector<float>>> held(
        m_engines, std::vector<std::vector<float>>(m_side, std::vector<float>(m_side)));
    for (number r = 0; r < m_side; ++r) {
        for (number j = 0; j < m_engines; ++j) {
            const auto row = read_row({start - 1 - r, ib}, j, {gt, kt, ft, r}, [&](number lane) {
                const number b = batch(j), k = contracted(j, horizontal ? lane : r);
                const number n = ib_free(j, horizontal ? r : lane);
                const bool present = b < m_c.batch && n < m_c.ib_free;
                return element{{b, k, n}, present && k < m_c.contracted, present};
            });
            for (number lane = 0; lane < m_side; ++lane) {
                (horizontal ? held[j][lane][r] : held[j][r][lane]) = row[lane];
            }
        }
    }

    const bool stays = m_c.has(contract_command::flag_accumulate) || m_c.has(contract_command::flag_keep);
    for (number local = 0; local < steps; ++local) {
        const number t = first_step + local;
        std::vector<std::vector<float>> sums(m_engines, std::vector<float>(m_side));
        std::vector<std::vector<element>> elements(m_engines, std::vector<element>(m_side));
        std::vector<bool> valid(m_engines);
        for (number j = 0; j < m_engines; ++j) {
            const number b = batch(j), a = ia_free(j, t);
            const auto row = read_row({start + local, ia}, j, {gt, kt, t, 0}, [&](number i) {
                const number k = contracted(j, i);
                const bool present = b < m_c.batch && a < m_c.ia_free;
                return element{{b, k, a}, present && k < m_c.contracted, present};
            });
            for (number n = 0; n < m_side; ++n) {
                for (number i = 0; i < m_side; ++i) { sums[j][n] = m_sums.fused(sums[j][n], row[i], held[j][i][n]); }
                const number f = ib_free(j, n);
                const bool present = b < m_c.batch && a < m_c.ia_free && f < m_c.ib_free;
                elements[j][n] = {{b, a, f}, present, present};
                valid[j] = valid[j] || elements[j][n].exists;
            }
        }
        m_slots += m_side * m_side * m_engines;
        const number row = stays ? m_c.accumulator_row + (gt * m_tiles_i + ft) * m_steps + t : local;
        reduce(start + local + m_mac_cycles * m_side - 1 + m_latency, sums, valid, {gt, t, ft, 0}, row,
               kt != 0 || m_c.has(contract_command::flag_accumulate),
               kt + 1 == m_tiles_k && !m_c.has(contract_command::flag_keep), elements);
    }
}

// ---- output-stationary ----

void contraction::run_output_stationary()
{
    m_tiles_b = ceiling(m_c.batch, m_parts_b);
    m_tiles_a = ceiling(m_c.ia_free, m_parts_a * m_side);
    m_tiles_i = ceiling(m_c.ib_free, m_parts_i * m_side);
    m_steps = ceiling(m_c.contracted, m_parts_k);

    number start = 0;
    for (number gt = 0; gt < m_tiles_b; ++gt) {
        for (number rt = 0; rt < m_tiles_a; ++rt) {
            for (number ct = 0; ct < m_tiles_i; ++ct) {
                flush(start);
                output_stationary_tile(gt, rt, ct, start);
                m_counts[event::tile] += 1;
                m_cycles.compute += m_steps;
                m_cycles.psum += std::max(m_mac_cycles * m_steps, m_side) - m_steps;
                start += std::max(m_mac_cycles * m_steps, m_side);
            }
        }
    }
    m_cycles.psum -= std::max(m_mac_cycles * m_steps, m_side) - m_steps;
    m_cycles.psum += (m_mac_cycles - 1) * (m_steps - 1); // each step of the last tile but the first waits for its sums
    m_cycles.psum += m_side;                             // the last tile drains
    m_cycles.fill = m_mac_cycles - 1 + m_side - 1 + m_latency;
}

void contraction::output_stationary_tile(number gt, number rt, number ct, number start)
{
    const auto batch = [&](number j) { return gt * m_parts_b + part(j, m_c.mask_batch); };
    const auto ia_free = [&](number j, number m) { return (rt * m_parts_a + part(j, m_c.mask_ia)) * m_side + m; };
    const auto ib_free = [&](number j, number n) { return (ct * m_parts_i + part(j, m_c.mask_ib)) * m_side + n; };

    // sums[row of the engine][engine][column]
    std::vector<std::vector<std::vector<float>>> sums(
        m_side, std::vector<std::vector<float>>(m_engines, std::vector<float>(m_side)));
    for (number step = 0; step < m_steps; ++step) {
        for (number j = 0; j < m_engines; ++j) {
            const number b = batch(j), k = part(j, m_c.mask_contracted) * m_steps + step;
            const bool has = k < m_c.contracted;
            const auto left = read_row({start + m_mac_cycles * step, ia}, j, {gt, step, rt, 0}, [&](number m) {
                const bool present = b < m_c.batch && ia_free(j, m) < m_c.ia_free;
                return element{{b, k, ia_free(j, m)}, present && has, present};
            });
            const auto right = read_row({start + m_mac_cycles * step, ib}, j, {gt, step, ct, 0}, [&](number n) {
                const bool present = b < m_c.batch && ib_free(j, n) < m_c.ib_free;
                return element{{b, k, ib_free(j, n)}, present && has, present};
            });
            for (number m = 0; m < m_side; ++m) {
                for (number n = 0; n < m_side; ++n) { sums[m][j][n] = m_sums.fused(sums[m][j][n], left[m], right[n]); }
            }
        }
        m_slots += m_side * m_side * m_engines;
    }

    const bool stays = m_c.has(contract_command::flag_accumulate) || m_c.has(contract_command::flag_keep);
    for (number m = m_side; m-- > 0;) { // the bottom row leaves first
        std::vector<std::vector<element>> elements(m_engines, std::vector<element>(m_side));
        std::vector<bool> valid(m_engines);
        for (number j = 0; j < m_engines; ++j) {
            for (number n = 0; n < m_side; ++n) {
                const number b = batch(j), a = ia_free(j, m), f = ib_free(j, n);
                const bool present = b < m_c.batch && a < m_c.ia_free && f < m_c.ib_free;
                elements[j][n] = {{b, a, f}, present, present};
                valid[j] = valid[j] || elements[j][n].exists;
            }
        }
        const number tile = (gt * m_tiles_a + rt) * m_tiles_i + ct;
        const number row = stays ? m_c.accumulator_row + tile * m_side + m : m;
        reduce(start + m_mac_cycles * m_steps + m_side - 1 + (m_side - 1 - m) + m_latency, sums[m], valid,
               {gt, rt, ct, m}, row, m_c.has(contract_command::flag_accumulate), !m_c.has(contract_command::flag_keep),
               elements);
    }
}

fetta_reference_cycles contraction::run()
{
    require_sane();
    if (fetta::is_output_stationary(m_c.mapped())) {
        run_output_stationary();
    } else {
        run_stationary();
    }
    flush(~number{0});
    for (const auto& [cycle, elements] : m_buffered) {
        for (const auto& [s, index] : elements) {
            m_counts[event::buffer_word] += m_places.type(s) == element_type::f32 ? 2 : 1;
        }
    }
    const bool leaves = !m_c.has(contract_command::flag_keep);
    if (m_places.linear(ia) || m_places.linear(ib)) { m_cycles.fill += m_g.buffer_cycles; }
    if (m_places.linear(result) && leaves) { m_cycles.fill += m_g.buffer_cycles; }
    const number macs = number{m_c.batch} * m_c.contracted * m_c.ia_free * m_c.ib_free;
    m_counts[event::contract] += 1;
    m_counts[event::compute_cycle] += m_cycles.compute;
    m_counts[event::fill_cycle] += m_cycles.fill;
    m_counts[event::reload_cycle] += m_cycles.reload;
    m_counts[event::psum_cycle] += m_cycles.psum;
    m_counts[event::conflict_cycle] += m_cycles.conflict;
    m_counts[event::mac] += macs;
    m_counts[event::padding_mac] += m_slots - macs;
    return m_cycles;
}

} // namespace

float& fetta_reference_accumulators::at(std::uint64_t port, std::uint64_t row, std::uint64_t lane)
{
    require(row < m_limits.accumulator_rows(), error_code::bad_field, "row outside of the accumulators");
    return m_sums[(port * m_limits.accumulator_rows() + row) * m_limits.side + lane];
}

fetta_reference_cycles run_reference_contraction(const contract_command& command, const fetta::device_limits& limits,
                                                 fetta_reference_memory& memory,
                                                 fetta_reference_accumulators& accumulators, fetta::counts& counts)
{
    return contraction(command, limits, memory, accumulators, counts).run();
}

} // namespace tensorloom::test
