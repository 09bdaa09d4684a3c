#include <tensorloom/models/blocks/systolic_array.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/arithmetic/word_operations.h>
#include <tensorloom/models/blocks/array_feed.h>

namespace tensorloom::blocks {

namespace {

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

} // namespace

/// The array register by register: in every cycle all elements read their neighbours' registers, then all registers are
/// updated.
///
/// Elements without valid data are not simulated.
template <class Element> class detailed_systolic_array : public systolic_array {
public:
    detailed_systolic_array(sc_core::sc_module_name name, const systolic_array_config& config,
                            const bus::stop_request& stop);

    load_outcome load(const array_weights& weights) override;
    stream_outcome stream(const array_rows& rows) override;
    using systolic_array::watch;
    const element_waveform* watch(unsigned row, unsigned column) override;
    const char* kind() const override { return "detailed_systolic_array"; }

private:
    using sum = arithmetic::accumulator_of<Element>;

    /// The registers of all elements that data passes, row by row. a and c mean nothing where valid is not set.
    struct registers {
        std::vector<Element> a;
        std::vector<sum> c;
        std::vector<element_bits> valid; // by row
        std::vector<element_bits> end;   // by row: the token of a tile's end
    };

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
        edges(const std::vector<array_tile>& all, unsigned side)
            : tiles(all), arriving(side), ending(side), loading(side), operands(side), results(side), loads(side)
        {}
        const std::vector<array_tile>& tiles;
        element_bits arriving;       // by row of elements: an operand is at its left edge
        element_bits ending;         // likewise a tile's end
        element_bits loading;        // by column: a weight is at its top edge
        std::vector<place> operands; // by row of elements: of the next operand
        std::vector<place> results;  // by column: of the next result
        std::vector<place> loads;    // by column: of the next weight, the last row of a tile's first
        std::uint64_t overflowed = 0;
    };

    stream_outcome stream_tiles(const std::vector<array_tile>& tiles) override;
    bool pass_cycle() const;
    void shift_weights(const array_weights& weights, unsigned row);
    void shift_shadows(edges& around);
    void evaluate(const entering& now, edges& around);
    void commit();
    void deliver(edges& around, std::uint64_t cycle);
    Element operand(edges& around, unsigned i) const;
    static Element weight(const array_weights& weights, std::uint64_t row, unsigned column);
    void empty();
    void show();

    std::size_t at(unsigned i, unsigned j) const { return std::size_t{i} * m_side + j; }
    Element& active(std::size_t element) { return m_weights[m_active[element]][element]; }
    Element& shadow(std::size_t element) { return m_weights[m_active[element] ^ 1u][element]; }

    struct watched_element {
        unsigned row;
        unsigned column;
        element_waveform waveform;
    };

    const unsigned m_side;
    const bool m_streaming;
    registers m_now;
    registers m_next;
    std::array<std::vector<Element>, 2> m_weights; // both registers of all elements
    std::vector<unsigned char> m_active;           // which of an element's is multiplied with
    std::vector<std::unique_ptr<watched_element>> m_watched;
};

template <class Element>
detailed_systolic_array<Element>::detailed_systolic_array(sc_core::sc_module_name name,
                                                          const systolic_array_config& config,
                                                          const bus::stop_request& stop)
    : systolic_array(name, config, stop), m_side(config.side), m_streaming(config.streaming)
{
    const std::size_t elements = at(m_side, 0);
    for (auto& set : m_weights) { set.resize(elements); }
    m_active.resize(elements);
    for (auto* r : {&m_now, &m_next}) {
        r->a.resize(elements);
        r->c.resize(elements);
        r->valid.assign(m_side, element_bits(m_side));
        r->end.assign(m_side, element_bits(m_side));
    }
}

// ---- load ----

template <class Element> load_outcome detailed_systolic_array<Element>::load(const array_weights& weights)
{
    row_flow flow(m_side, schedule().in_words, m_side, weights.row_cycles);
    load_outcome outcome;
    empty();
    std::fill(m_active.begin(), m_active.end(), 0);
    begin(array_phase::load);
    for (unsigned entered = 0; entered < m_side; ++outcome.cycles) {
        const bool enters = flow.next();
        outcome.stopped = !pass_cycle();
        if (outcome.stopped) { break; }
        if (enters) { shift_weights(weights, m_side - 1 - entered++); }
        waveform().row = entered;
        show();
    }
    end();
    return outcome;
}

// Every element copies its weight to the one below; the top row gets a new one.
template <class Element>
void detailed_systolic_array<Element>::shift_weights(const array_weights& weights, unsigned row)
{
    auto& all = m_weights[0];
    std::copy_backward(all.begin(), all.end() - m_side, all.end());
    for (unsigned j = 0; j < m_side; ++j) { all[j] = weight(weights, row, j); }
}

// 0 where memory has none.
template <class Element>
Element detailed_systolic_array<Element>::weight(const array_weights& weights, std::uint64_t row, unsigned column)
{
    if (row >= weights.rows || column >= weights.columns) { return Element{}; }
    return reinterpret_cast<const Element*>(weights.first)[static_cast<std::ptrdiff_t>(row) * weights.stride + column];
}

// ---- stream ----

template <class Element> stream_outcome detailed_systolic_array<Element>::stream(const array_rows& rows)
{
    const std::uint64_t count = rows.rows(m_side);
    const std::vector<array_tile> one{{{}, rows}};
    row_flow flow(m_side, schedule().in_words, schedule().out_words, rows.row_cycles);
    edges around(one, m_side);
    stream_outcome outcome;
    empty();
    begin(array_phase::stream);
    for (std::uint64_t entered = 0; around.results.back().tile == 0; ++outcome.cycles) {
        const bool enters = flow.next() && entered < count;
        outcome.stopped = !pass_cycle();
        if (outcome.stopped) { break; }
        entered += enters ? 1 : 0;
        evaluate({enters, false, false}, around);
        commit();
        deliver(around, outcome.cycles);
        waveform().row = entered;
        show();
    }
    end();
    outcome.overflowed = outcome.stopped ? 0 : around.overflowed;
    return outcome;
}

template <class Element>
stream_outcome detailed_systolic_array<Element>::stream_tiles(const std::vector<array_tile>& tiles)
{
    tile_control control(tiles, schedule());
    edges around(tiles, m_side);
    stream_outcome outcome;
    empty();
    begin(array_phase::load);
    for (std::size_t ends = 0;
         ends <= tiles.size();) { // that have passed the last element: of the first load, of tiles
        const bool is_first_load = control.is_first_load();
        const entering now = control.next();
        outcome.stopped = !pass_cycle();
        if (outcome.stopped) { break; }
        evaluate(now, around);
        commit();
        deliver(around, outcome.cycles++);
        ends += m_now.end[m_side - 1][m_side - 1] ? 1 : 0;
        if (is_first_load && !control.is_first_load()) { begin(array_phase::stream); }
        waveform().row = control.is_first_load() ? m_side - control.weights_left() : control.entered();
        show();
    }
    end();
    outcome.overflowed = outcome.stopped ? 0 : around.overflowed;
    return outcome;
}

// False when it does not: a stop acts at its beginning.
template <class Element> bool detailed_systolic_array<Element>::pass_cycle() const
{
    return wait_cycles(1, settings().clock_period, stop()) == 1;
}

// Computes the next values of all registers.
template <class Element> void detailed_systolic_array<Element>::evaluate(const entering& now, edges& around)
{
    around.arriving.shift_in(now.row, around.arriving);
    if (m_streaming) {
        around.ending.shift_in(now.end, around.ending);
        around.loading.shift_in(now.weights, around.loading);
    }
    for (unsigned i = 0; i < m_side; ++i) {
        const bool arrives = around.arriving[i];
        m_next.valid[i].shift_in(arrives, m_now.valid[i]);
        if (m_streaming) { m_next.end[i].shift_in(around.ending[i], m_now.end[i]); }
        const Element from_edge = arrives ? operand(around, i) : Element{};
        const Element* const weights[] = {m_weights[0].data() + at(i, 0), m_weights[1].data() + at(i, 0)};
        const unsigned char* const active = m_active.data() + at(i, 0);
        m_next.valid[i].for_each([&](unsigned j) {
            const Element a_in = j > 0 ? m_now.a[at(i, j - 1)] : from_edge;
            const sum c_in = i > 0 ? m_now.c[at(i - 1, j)] : sum{};
            const Element r = weights[active[j]][j];
            around.overflowed += arithmetic::mac_overflows<Element>(c_in, a_in, r) ? 1 : 0;
            m_next.a[at(i, j)] = a_in;
            m_next.c[at(i, j)] = arithmetic::mac(c_in, a_in, r);
        });
    }
    if (m_streaming) { shift_shadows(around); }
}

// In a column with an arriving weight: weight t of a tile (from 0) moves the weights before it down to row t. Elements
// below may still hold weights that they have to swap in.
template <class Element> void detailed_systolic_array<Element>::shift_shadows(edges& around)
{
    around.loading.for_each([&](unsigned j) {
        place& next = around.loads[j];
        for (auto i = static_cast<unsigned>(next.row); i > 0; --i) { shadow(at(i, j)) = shadow(at(i - 1, j)); }
        shadow(at(0, j)) = weight(around.tiles[next.tile].weights, m_side - 1 - next.row, j);
        next.pass(m_side);
    });
}

// All registers change; elements that the end of a tile passes swap their weights.
template <class Element> void detailed_systolic_array<Element>::commit()
{
    std::swap(m_now, m_next);
    for (unsigned i = 0; m_streaming && i < m_side; ++i) {
        m_now.end[i].for_each([&](unsigned j) { m_active[at(i, j)] ^= 1u; });
    }
}

// The operand at the left edge of a row of elements.
template <class Element> Element detailed_systolic_array<Element>::operand(edges& around, unsigned i) const
{
    place& next = around.operands[i];
    const array_rows& rows = around.tiles[next.tile].rows;
    const std::uint64_t row = next.row;
    next.pass(rows.rows(m_side));
    if (i >= rows.in_row(row, rows.left_columns, m_side)) { return Element{}; }
    return reinterpret_cast<const Element*>(rows.left)[static_cast<std::ptrdiff_t>(row) * rows.left_stride + i];
}

// Outputs of the bottom row go to memory if they have a place there.
template <class Element> void detailed_systolic_array<Element>::deliver(edges& around, std::uint64_t cycle)
{
    m_now.valid[m_side - 1].for_each([&](unsigned j) {
        place& next = around.results[j];
        const array_rows& rows = around.tiles[next.tile].rows;
        if (j < rows.in_row(next.row, rows.result_columns, m_side)) {
            sum& to = reinterpret_cast<sum*>(rows.result)[static_cast<std::ptrdiff_t>(next.row) * rows.result_stride +
                                                          static_cast<std::ptrdiff_t>(j)];
            const sum& out = m_now.c[at(m_side - 1, j)];
            to = rows.accumulate ? arithmetic::word_sum(to, out, around.overflowed) : out;
        }
        if (listener() != nullptr) { listener()->result_out(next.rows_before + next.row, j, cycle); }
        next.pass(rows.rows(m_side));
    });
}

// Discards data that was in flight when the last stream was stopped.
template <class Element> void detailed_systolic_array<Element>::empty()
{
    for (unsigned i = 0; i < m_side; ++i) {
        m_now.valid[i].clear();
        m_now.end[i].clear();
    }
}

// ---- waveforms ----

template <class Element> const element_waveform* detailed_systolic_array<Element>::watch(unsigned row, unsigned column)
{
    m_watched.push_back(std::make_unique<watched_element>(watched_element{row, column, {}}));
    return &m_watched.back()->waveform;
}

template <class Element> void detailed_systolic_array<Element>::show()
{
    for (const auto& w : m_watched) {
        auto& shown = w->waveform;
        shown.valid = m_now.valid[w->row][w->column];
        if (shown.valid) {
            shown.a_out = arithmetic::shown(m_now.a[at(w->row, w->column)]);
            shown.c_out = arithmetic::shown(m_now.c[at(w->row, w->column)]);
        }
        shown.weight = arithmetic::shown(active(at(w->row, w->column)));
        if (m_streaming) { shown.shadow = arithmetic::shown(shadow(at(w->row, w->column))); }
    }
}

std::unique_ptr<systolic_array> make_detailed_systolic_array(sc_core::sc_module_name name,
                                                             const systolic_array_config& config,
                                                             const bus::stop_request& stop)
{
    return base::with_element<double, float, std::complex<double>, arithmetic::bfloat16, arithmetic::float16,
                              std::int8_t, std::int32_t, std::int64_t>(
        config.format, [&](auto element) -> std::unique_ptr<systolic_array> {
            return std::make_unique<detailed_systolic_array<decltype(element)>>(name, config, stop);
        });
}

} // namespace tensorloom::blocks
