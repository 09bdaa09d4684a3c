#include <tensorloom/models/fetta/isa/bank_conflicts.h>
#include <cmath>

namespace tensorloom::fetta {
namespace {

// A power of two, at least twice as many: probes stay short.
std::size_t places_for(unsigned most)
{
    std::size_t places = 2;
    while (places < 2 * std::size_t{most}) { places *= 2; }
    return places;
}

// Fibonacci hashing: rows at any power of two from each other spread.
std::size_t first_probe(std::uint64_t row, unsigned bank)
{
    return static_cast<std::size_t>((row << 7 ^ bank) * 0x9e3779b97f4a7c15u >> 32);
}

} // namespace

bank_requests::bank_requests(unsigned banks, unsigned most) : m_places(places_for(most)), m_queues(banks)
{
    m_rows.reserve(most);
}

void bank_requests::clear()
{
    m_rows.clear();
    ++m_stamp;
    m_cycles = 0;
}

unsigned bank_requests::add(std::uint64_t row, unsigned bank)
{
    std::size_t at = first_probe(row, bank) & (m_places.size() - 1);
    while (m_places[at].stamp == m_stamp) {
        const request& there = m_rows[m_places[at].index];
        if (there.row == row && there.bank == bank) { return m_places[at].index; }
        at = (at + 1) & (m_places.size() - 1);
    }
    const auto index = static_cast<unsigned>(m_rows.size());
    queue& waiting = m_queues[bank];
    if (waiting.stamp != m_stamp) { waiting = {m_stamp, 0}; }
    m_rows.push_back({row, bank, waiting.rows++});
    m_places[at] = {m_stamp, index};
    m_cycles = std::max(m_cycles, waiting.rows);
    return index;
}

linear_accesses::linear_accesses(const contract_command& c, const device_limits& g)
    : m_index(c, g), m_how(c.mapped()), m_limits(g), m_requests(g.engines, g.engines * g.side), m_elements(g.side),
      m_rows_in(g.engines)
{
    for (const auto role : operand_roles) { m_short_rows.push_back(short_rows_of(type_of(c, role, g))); }
    const contract_loops& loops = m_index.loops();
    const std::uint64_t first_step = is_output_stationary(m_how) ? 0 : m_limits.side; // the first IB enters before
    for (const auto role : operand_roles) {
        if (!passes_buffer(c, role)) { continue; }
        std::uint64_t first = first_step;
        if (role == operand_role::ib) { first = 0; }
        if (role == operand_role::result) { first += cycles_to_result(m_how, loops.steps, g); }
        m_streams.push_back({role, linear_operand(c, role, g), shared_mask(c, role), first});
    }
    for (std::uint64_t p = 0; p < loops.pieces.size(); ++p) {
        m_pass += loops.contracted_tiles * cycles_to_next_tile(m_how, loops.pieces[p], g);
    }
    m_tiles = loops.batch_tiles * loops.ia_tiles * loops.ib_tiles * m_pass;
    for (const stream& s : m_streams) { m_end = std::max(m_end, s.first + m_tiles); }
}

/// The tile of this cycle, counted from the first cycle of the first tile.
std::optional<linear_accesses::tile_beat> linear_accesses::beat_at(std::uint64_t cycle) const
{
    if (cycle >= m_tiles) { return std::nullopt; }
    const contract_loops& loops = m_index.loops();
    const auto& pieces = loops.pieces;
    const auto tile_cycles = [&](std::uint64_t piece) { return cycles_to_next_tile(m_how, pieces[piece], m_limits); };
    tile_beat at;
    const std::uint64_t pass = cycle / m_pass;
    std::uint64_t rest = cycle % m_pass;
    at.tile.ib = pass % loops.ib_tiles;
    at.tile.ia = pass / loops.ib_tiles % loops.ia_tiles;
    at.tile.batch = pass / loops.ib_tiles / loops.ia_tiles;
    // All pieces but the last two are alike.
    const std::uint64_t alike = pieces.size() > 2 ? pieces.size() - 2 : 0;
    const std::uint64_t of_alike = loops.contracted_tiles * tile_cycles(0);
    at.tile.piece = std::min(rest / of_alike, alike);
    rest -= at.tile.piece * of_alike;
    while (rest >= loops.contracted_tiles * tile_cycles(at.tile.piece)) {
        rest -= loops.contracted_tiles * tile_cycles(at.tile.piece++);
    }
    at.tile.contracted = rest / tile_cycles(at.tile.piece);
    at.cycle = rest % tile_cycles(at.tile.piece);
    at.tile.first_step = pieces.first(at.tile.piece);
    at.tile.steps = pieces[at.tile.piece];
    return at;
}

void linear_accesses::request(const stream& s, const tile_beat& at)
{
    const contract_tile& tile = at.tile;
    const bool of_steps = s.role == operand_role::ia || (s.role == operand_role::ib) == is_output_stationary(m_how);
    const std::uint64_t apart = of_steps ? cycles_of_step(m_how, m_limits) : 1;
    const std::uint64_t passed = at.cycle / apart; // beats of the tile, before this one
    if (at.cycle % apart != 0 || passed >= (of_steps ? tile.steps : m_limits.side)) { return; }
    if (s.role == operand_role::result && tile.contracted + 1 != m_index.loops().contracted_tiles) { return; }
    const std::uint64_t row = of_steps ? tile.first_step + passed : m_limits.side - 1 - passed; // the last enters first
    for (std::uint32_t engine = 0; engine < m_limits.engines; ++engine) {
        if ((engine & s.shared) != 0) { continue; }
        const beat_indices elements = s.role == operand_role::ia   ? m_index.ia_beat(tile, row, engine)
                                      : s.role == operand_role::ib ? m_index.ib_beat(tile, row, engine)
                                                                   : m_index.result_beat(tile, row, engine);
        s.order.elements(elements, m_elements.data());
        for (std::uint32_t lane = 0; lane < elements.lanes; ++lane) {
            const element_place place = s.order.place(m_elements[lane]);
            m_requests.add(place.row, place.bank);
        }
    }
}

linear_accesses::numbers linear_accesses::at(std::uint64_t cycle, base::bank_counts* banks)
{
    numbers n;
    unsigned longest = 1;
    for (const stream& s : m_streams) {
        if (cycle < s.first) { continue; }
        const auto beat = beat_at(cycle - s.first);
        if (!beat) { continue; }
        m_requests.clear();
        request(s, *beat);
        n.rows[static_cast<unsigned>(s.role)] = m_requests.rows().size();
        if (banks != nullptr) {
            for (const auto& row : m_requests.rows()) {
                banks->access(row.bank, m_short_rows[static_cast<unsigned>(s.role)]);
            }
            if (m_requests.cycles() > longest) {
                for (unsigned b = 0; b < m_limits.engines; ++b) { m_rows_in[b] = m_requests.rows_in(b); }
            }
        }
        longest = std::max(longest, m_requests.cycles());
    }
    n.conflict_cycles = longest - 1;
    if (banks != nullptr && longest > 1) {
        banks->wait(longest - 1, [&](unsigned bank) { return m_rows_in[bank] == longest; });
    }
    return n;
}

linear_accesses::numbers linear_accesses::all() { return estimate(m_end); }

linear_accesses::numbers linear_accesses::estimate(std::uint64_t sample)
{
    numbers sum;
    const bool exact = sample >= m_end;
    constexpr double golden_ratio = 0.6180339887498949; // its fraction
    for (std::uint64_t i = 0; i < (exact ? m_end : sample); ++i) {
        const double turn = static_cast<double>(i) * golden_ratio;
        const auto spread = static_cast<std::uint64_t>((turn - std::floor(turn)) * static_cast<double>(m_end));
        const numbers n = at(exact ? i : std::min(spread, m_end - 1));
        sum.conflict_cycles += n.conflict_cycles;
        for (unsigned r = 0; r < sum.rows.size(); ++r) { sum.rows[r] += n.rows[r]; }
    }
    if (exact) { return sum; }
    const auto scaled = [&](std::uint64_t counted) {
        return static_cast<std::uint64_t>(
            std::llround(static_cast<double>(counted) * static_cast<double>(m_end) / static_cast<double>(sample)));
    };
    sum.conflict_cycles = scaled(sum.conflict_cycles);
    for (auto& rows : sum.rows) { rows = scaled(rows); }
    return sum;
}

namespace {

// At most one row per bank and cycle: no stall.
void count_banked(const contract_command& c, operand_role role, const device_limits& g, base::bank_counts& to)
{
    const contract_index index(c, g);
    const banked_operand operand(c, role, g);
    const bool output_stationary = is_output_stationary(c.mapped());
    const bool of_steps = role == operand_role::ia || (role == operand_role::ib) == output_stationary;
    const std::uint64_t short_rows = short_rows_of(type_of(c, role, g));
    contract_tile tile = index.first_tile();
    do {
        if (role == operand_role::result && tile.contracted + 1 != index.loops().contracted_tiles) { continue; }
        const std::uint64_t first = of_steps ? tile.first_step : 0;
        for (std::uint64_t row = first; row < first + (of_steps ? tile.steps : g.side); ++row) {
            const auto place = operand.at(role == operand_role::ia   ? index.ia_counters(tile, row)
                                          : role == operand_role::ib ? index.ib_counters(tile, row)
                                                                     : index.result_counters(tile, row));
            for (std::uint32_t engine = 0; engine < g.engines; ++engine) {
                if ((engine & operand.shared()) != 0) { continue; }
                const beat_indices beat = role == operand_role::ia   ? index.ia_beat(tile, row, engine)
                                          : role == operand_role::ib ? index.ib_beat(tile, row, engine)
                                                                     : index.result_beat(tile, row, engine);
                if (beat.lanes != 0) { to.access(operand.bank(place, engine), short_rows); }
            }
        }
    } while (index.next(tile));
}

} // namespace

base::bank_counts banks_of(const contract_command& c, const device_limits& g)
{
    base::bank_counts banks(g.engines);
    for (const auto role : operand_roles) {
        const bool kept = role == operand_role::result && c.has(contract_command::flag_keep);
        if (!kept && !is_linear(c, role)) { count_banked(c, role, g, banks); }
    }
    linear_accesses linear(c, g);
    for (std::uint64_t cycle = 0; cycle < linear.cycles(); ++cycle) { linear.at(cycle, &banks); }
    return banks;
}

void count_linear(const linear_accesses::numbers& numbers, const contract_command& c, const device_limits& g,
                  counts& to)
{
    constexpr event row_events[] = {event::ia_row_read, event::ib_row_read, event::result_row_write};
    to[event::conflict_cycle] = numbers.conflict_cycles;
    to[event::buffer_row] = 0;
    for (const auto role : operand_roles) {
        if (!passes_buffer(c, role)) { continue; }
        const auto r = static_cast<unsigned>(role);
        to[row_events[r]] = short_rows_of(type_of(c, role, g)) * numbers.rows[r];
        to[event::buffer_row] += to[row_events[r]];
    }
}

} // namespace tensorloom::fetta
