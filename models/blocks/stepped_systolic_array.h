#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/arithmetic/word_operations.h>
#include <tensorloom/models/blocks/array_feed.h>
#include <tensorloom/models/blocks/systolic_array.h>

namespace tensorloom::blocks {

/// A bit per element of a row of registers. Plain C++.
class element_bits {
public:
    explicit element_bits(unsigned size) : m_size(size), m_words((size + 63) / 64) {}

    void clear() { std::fill(m_words.begin(), m_words.end(), 0); }
    bool operator[](unsigned i) const { return (m_words[i / 64] >> (i % 64) & 1u) != 0; }

    /// Shifts `from` by one element: the first bit is new, the last one is dropped. `from` has the same size and may be
    /// *this.
    void shift_in(bool first, const element_bits& from)
    {
        std::uint64_t carry = first ? 1 : 0;
        for (std::size_t w = 0; w < m_words.size(); ++w) {
            const std::uint64_t word = from.m_words[w];
            m_words[w] = word << 1 | carry;
            carry = word >> 63;
        }
        if (m_size % 64 != 0) { m_words.back() &= (std::uint64_t{1} << (m_size % 64)) - 1; }
    }

    /// Calls visit(i) for every bit that is set, ascending.
    template <class Visit> void for_each(const Visit& visit) const
    {
        for (std::size_t w = 0; w < m_words.size(); ++w) {
            for (std::uint64_t rest = m_words[w]; rest != 0; rest &= rest - 1) {
                visit(static_cast<unsigned>(64 * w) + static_cast<unsigned>(__builtin_ctzll(rest)));
            }
        }
    }

private:
    unsigned m_size;
    std::vector<std::uint64_t> m_words;
};

/// What surrounds the registers of a systolic array, cycle by cycle: it reads operands and weights from memory, skews
/// them at the edges, and writes results. The registers are those of the fidelity:
///
///     explicit Registers(const systolic_array_config&)
///     void empty()                                     what is in flight is dropped
///     void begin_load()                                the first weight registers are in use from now on
///     void shift_in(const Element* row)                every weight moves down by an element, this row comes in
///     void operand(unsigned i, const Element&)         in this cycle at the left of row i; so is
///     void end_of_tile(unsigned i)                     the token that makes elements change their weights
///     void load(unsigned j, unsigned t, const Element&)  at the top of column j: row t of the next tile's weights
///     std::uint64_t tick()                             the cycle ends; the number of sums that left their range
///     void for_each_result(visit)                      visit(j, sum) for the new sums of the last row, ascending
///     bool last_ends() const                           a tile's end has passed the last element
///     void show(unsigned i, unsigned j, element_waveform&) const
///
/// Example
///
///     const auto array = blocks::make_detailed_systolic_array("array", {4, base::element_type::f64}, stop);
template <class Element, class Registers> class stepped_systolic_array : public systolic_array {
public:
    stepped_systolic_array(sc_core::sc_module_name name, const systolic_array_config& config,
                           const bus::stop_request& stop)
        : systolic_array(name, config, stop), m_side(config.side), m_streaming(config.streaming), m_registers(config),
          m_depth(config.pipeline_depth), m_row(config.side)
    {}

    load_outcome load(const array_weights& weights) override;
    stream_outcome stream(const array_rows& rows) override;
    using systolic_array::watch;
    const element_waveform* watch(unsigned row, unsigned column) override
    {
        m_watched.push_back(std::make_unique<watched_element>(watched_element{row, column, {}}));
        return &m_watched.back()->waveform;
    }
    const char* kind() const override { return Registers::kind; }

private:
    using sum = arithmetic::accumulator_of<Element>;

    /// Progress through the rows of all tiles.
    struct place {
        std::size_t tile = 0;
        std::uint64_t row = 0;
        std::uint64_t rows_before = 0; // of the tiles before
        void pass(std::uint64_t rows_of_tile)
        {
            if (++row < rows_of_tile) { return; }
            ++tile;
            rows_before += row;
            row = 0;
        }
    };

    /// Control and progress around the array while tiles stream through it.
    struct edges {
        edges(const std::vector<array_tile>& all, unsigned side, unsigned depth)
            : tiles(all), arriving(side * depth), ending(side * depth), loading(side), operands(side), results(side),
              loads(side)
        {}
        const std::vector<array_tile>& tiles;
        element_bits arriving;       // by row of elements x pipeline depth: an operand is at its left edge
        element_bits ending;         // likewise a tile's end
        element_bits loading;        // by column: a weight is at its top edge
        std::vector<place> operands; // by row of elements: of the next operand
        std::vector<place> results;  // by column: of the next result
        std::vector<place> loads;    // by column: of the next weight, the last row of a tile's first
        std::uint64_t overflowed = 0;
    };

    stream_outcome stream_tiles(const std::vector<array_tile>& tiles) override;
    bool pass_cycle() const;
    template <class Visit> void for_each_row(const element_bits& moving, const Visit& visit) const;
    void step(const entering& now, edges& around);
    void deliver(edges& around, std::uint64_t cycle);
    Element operand(edges& around, unsigned i) const;
    static Element weight(const array_weights& weights, std::uint64_t row, unsigned column);
    void show();

    struct watched_element {
        unsigned row;
        unsigned column;
        element_waveform waveform;
    };

    const unsigned m_side;
    const bool m_streaming;
    Registers m_registers;
    const unsigned m_depth;
    std::vector<Element> m_row; // of weights
    std::vector<std::unique_ptr<watched_element>> m_watched;
};

// ---- load ----

template <class Element, class Registers>
load_outcome stepped_systolic_array<Element, Registers>::load(const array_weights& weights)
{
    row_flow flow(m_side, schedule().in_words, m_side, row_pace{weights.row_cycles});
    load_outcome outcome;
    m_registers.empty();
    m_registers.begin_load();
    begin(array_phase::load);
    for (unsigned entered = 0; entered < m_side; ++outcome.cycles) {
        const bool enters = flow.next();
        outcome.stopped = !pass_cycle();
        if (outcome.stopped) { break; }
        if (enters) {
            const unsigned row = m_side - 1 - entered++;
            for (unsigned j = 0; j < m_side; ++j) { m_row[j] = weight(weights, row, j); }
            m_registers.shift_in(m_row.data());
        }
        waveform().row = entered;
        show();
    }
    end();
    return outcome;
}

// 0 where memory has none.
template <class Element, class Registers>
Element stepped_systolic_array<Element, Registers>::weight(const array_weights& weights, std::uint64_t row,
                                                           unsigned column)
{
    if (row >= weights.rows || column >= weights.columns) { return Element{}; }
    return reinterpret_cast<const Element*>(weights.first)[static_cast<std::ptrdiff_t>(row) * weights.stride + column];
}

// ---- stream ----

template <class Element, class Registers>
stream_outcome stepped_systolic_array<Element, Registers>::stream(const array_rows& rows)
{
    const std::uint64_t count = rows.rows(m_side);
    const std::vector<array_tile> one{{{}, rows}};
    row_flow flow(m_side, schedule().in_words, schedule().out_words, rows.pace);
    edges around(one, m_side, m_depth);
    stream_outcome outcome;
    m_registers.empty();
    begin(array_phase::stream);
    for (std::uint64_t entered = 0; around.results.back().tile == 0; ++outcome.cycles) {
        const bool enters = flow.next() && entered < count;
        outcome.stopped = !pass_cycle();
        if (outcome.stopped) { break; }
        entered += enters ? 1 : 0;
        step({enters, false, false}, around);
        deliver(around, outcome.cycles);
        waveform().row = entered;
        show();
    }
    end();
    outcome.overflowed = outcome.stopped ? 0 : around.overflowed;
    return outcome;
}

template <class Element, class Registers>
stream_outcome stepped_systolic_array<Element, Registers>::stream_tiles(const std::vector<array_tile>& tiles)
{
    tile_control control(tiles, schedule());
    edges around(tiles, m_side, m_depth);
    stream_outcome outcome;
    m_registers.empty();
    begin(array_phase::load);
    for (std::size_t ends = 0;
         ends <= tiles.size();) { // that have passed the last element: of the first load, of tiles
        const bool is_first_load = control.is_first_load();
        const entering now = control.next();
        outcome.stopped = !pass_cycle();
        if (outcome.stopped) { break; }
        step(now, around);
        deliver(around, outcome.cycles++);
        ends += m_registers.last_ends() ? 1 : 0;
        if (is_first_load && !control.is_first_load()) { begin(array_phase::stream); }
        waveform().row = control.is_first_load() ? m_side - control.weights_left() : control.entered();
        show();
    }
    end();
    outcome.overflowed = outcome.stopped ? 0 : around.overflowed;
    return outcome;
}

// False when it does not: a stop acts at its beginning.
template <class Element, class Registers> bool stepped_systolic_array<Element, Registers>::pass_cycle() const
{
    return wait_cycles(1, settings().clock_period.period(), stop()) == 1;
}

// Calls visit(i) for the rows of elements at whose left edge something arrives.
template <class Element, class Registers>
template <class Visit>
void stepped_systolic_array<Element, Registers>::for_each_row(const element_bits& moving, const Visit& visit) const
{
    moving.for_each([&](unsigned at) {
        if (at % m_depth == 0) { visit(at / m_depth); }
    });
}

// What arrives at the edges, and the cycle.
template <class Element, class Registers>
void stepped_systolic_array<Element, Registers>::step(const entering& now, edges& around)
{
    around.arriving.shift_in(now.row, around.arriving);
    for_each_row(around.arriving, [&](unsigned i) { m_registers.operand(i, operand(around, i)); });
    if (m_streaming) {
        around.ending.shift_in(now.end, around.ending);
        for_each_row(around.ending, [&](unsigned i) { m_registers.end_of_tile(i); });
        around.loading.shift_in(now.weights, around.loading);
        around.loading.for_each([&](unsigned j) {
            place& next = around.loads[j];
            const auto row = static_cast<unsigned>(next.row);
            m_registers.load(j, row, weight(around.tiles[next.tile].weights, m_side - 1 - row, j));
            next.pass(m_side);
        });
    }
    around.overflowed += m_registers.tick();
}

// The operand at the left edge of a row of elements.
template <class Element, class Registers>
Element stepped_systolic_array<Element, Registers>::operand(edges& around, unsigned i) const
{
    place& next = around.operands[i];
    const array_rows& rows = around.tiles[next.tile].rows;
    const std::uint64_t row = next.row;
    next.pass(rows.rows(m_side));
    if (i >= rows.in_row(row, rows.left_columns, m_side)) { return Element{}; }
    return reinterpret_cast<const Element*>(rows.left)[static_cast<std::ptrdiff_t>(row) * rows.left_stride + i];
}

// Results of the bottom row go to memory if they have a place there.
template <class Element, class Registers>
void stepped_systolic_array<Element, Registers>::deliver(edges& around, std::uint64_t cycle)
{
    m_registers.for_each_result([&](unsigned j, const sum& out) {
        place& next = around.results[j];
        const array_rows& rows = around.tiles[next.tile].rows;
        if (j < rows.in_row(next.row, rows.result_columns, m_side)) {
            sum& to = reinterpret_cast<sum*>(rows.result)[static_cast<std::ptrdiff_t>(next.row) * rows.result_stride +
                                                          static_cast<std::ptrdiff_t>(j)];
            to = rows.accumulate ? arithmetic::word_sum(to, out, around.overflowed) : out;
        }
        if (listener() != nullptr) { listener()->result_out(next.rows_before + next.row, j, cycle); }
        next.pass(rows.rows(m_side));
    });
}

template <class Element, class Registers> void stepped_systolic_array<Element, Registers>::show()
{
    for (const auto& w : m_watched) { m_registers.show(w->row, w->column, w->waveform); }
}

} // namespace tensorloom::blocks
