#include <tensorloom/models/blocks/systolic_array.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/number_format.h>

namespace tensorloom::blocks {

/// A bit per element of a row of registers. Plain C++.
class element_bits {
public:
    explicit element_bits(unsigned size) : m_size(size), m_words((size + 63) / 64) {}

    void clear() { std::fill(m_words.begin(), m_words.end(), 0); }
    bool operator[](unsigned i) const { return (m_words[i / 64] >> (i % 64) & 1u) != 0; }

    /// Those of `from` one element further, the first one new, the last one lost. `from` has the same size and may be
    /// this.
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

/// The array register by register: every cycle all elements read their neighbours' registers, then all registers
/// change.
///
/// Elements that no valid data reaches have nothing to do and cost nothing.
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

    /// The registers of all elements, row by row. a and c mean nothing where valid is not set.
    struct registers {
        std::vector<Element> a;
        std::vector<sum> c;
        std::vector<element_bits> valid; // by row
    };

    /// What stands around the array during a stream.
    struct edges {
        edges(const array_rows& stream, unsigned side) : rows(stream), arriving(side), operands(side), results(side) {}
        const array_rows& rows;
        element_bits arriving;               // by row of elements: an operand is at its left edge
        std::vector<std::uint64_t> operands; // by row of elements: rows whose operand has arrived
        std::vector<std::uint64_t> results;  // by column: rows whose result has left
        std::uint64_t overflowed = 0;
    };

    bool pass_cycle() const;
    void shift_weights(const array_weights& weights, unsigned row);
    void evaluate(bool row_enters, edges& around);
    void commit() { std::swap(m_now, m_next); }
    void deliver(edges& around, std::uint64_t cycle);
    Element operand(edges& around, unsigned i) const;
    void empty();
    void show();

    std::size_t at(unsigned i, unsigned j) const { return std::size_t{i} * m_side + j; }
    std::size_t weight_at(unsigned i, unsigned j) const { return at((m_top + i) % m_side, j); }

    struct watched_element {
        unsigned row;
        unsigned column;
        element_waveform waveform;
    };

    const unsigned m_side;
    registers m_now;
    registers m_next;
    std::vector<Element> m_weights; // rows of elements in a ring: turning it shifts all of them down
    unsigned m_top = 0;             // where the top row's are
    std::vector<std::unique_ptr<watched_element>> m_watched;
};

namespace {

/// When rows can enter an array: each needs a row's words at the input port, a row's places at the output port, and the
/// memory's time.
///
/// All three flow steadily, cycle by cycle; what a row leaves over is the next one's.
class row_flow {
public:
    row_flow(unsigned side, unsigned in_words, unsigned out_words, std::uint64_t row_cycles)
        : m_input{side, in_words}, m_output{side, out_words}, m_memory{row_cycles, 1}
    {}

    /// A cycle begins: true when a row enters in it.
    bool next()
    {
        m_input.there += m_input.per_cycle;
        m_output.there += m_output.per_cycle;
        m_memory.there += m_memory.per_cycle;
        if (!m_input.enough() || !m_output.enough() || !m_memory.enough()) { return false; }
        m_input.there -= m_input.per_row;
        m_output.there -= m_output.per_row;
        m_memory.there -= m_memory.per_row;
        return true;
    }

private:
    struct flow {
        std::uint64_t per_row;
        std::uint64_t per_cycle;
        std::uint64_t there = 0;
        bool enough() const { return there >= per_row; }
    };

    flow m_input, m_output, m_memory;
};

} // namespace

template <class Element>
detailed_systolic_array<Element>::detailed_systolic_array(sc_core::sc_module_name name,
                                                          const systolic_array_config& config,
                                                          const bus::stop_request& stop)
    : systolic_array(name, config, stop), m_side(config.side)
{
    const std::size_t elements = at(m_side, 0);
    m_weights.resize(elements);
    for (auto* r : {&m_now, &m_next}) {
        r->a.resize(elements);
        r->c.resize(elements);
        r->valid.assign(m_side, element_bits(m_side));
    }
}

// ---- load ----

template <class Element> load_outcome detailed_systolic_array<Element>::load(const array_weights& weights)
{
    row_flow flow(m_side, schedule().in_words, m_side, weights.row_cycles);
    load_outcome outcome;
    empty();
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
    m_top = (m_top + m_side - 1) % m_side;
    Element* const top = m_weights.data() + weight_at(0, 0);
    const unsigned columns = row < weights.rows ? weights.columns : 0;
    const auto* const from = reinterpret_cast<const Element*>(weights.first) + std::ptrdiff_t{row} * weights.stride;
    std::copy_n(from, columns, top);
    std::fill(top + columns, top + m_side, Element{});
}

// ---- stream ----

template <class Element> stream_outcome detailed_systolic_array<Element>::stream(const array_rows& rows)
{
    const std::uint64_t count = rows.rows(m_side);
    row_flow flow(m_side, schedule().in_words, schedule().out_words, rows.row_cycles);
    edges around(rows, m_side);
    stream_outcome outcome;
    empty();
    begin(array_phase::stream);
    for (std::uint64_t entered = 0; around.results.back() < count; ++outcome.cycles) {
        const bool enters = flow.next() && entered < count;
        outcome.stopped = !pass_cycle();
        if (outcome.stopped) { break; }
        entered += enters ? 1 : 0;
        evaluate(enters, around);
        commit();
        deliver(around, outcome.cycles);
        waveform().row = entered;
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

// What all registers will hold, from what they hold.
template <class Element> void detailed_systolic_array<Element>::evaluate(bool row_enters, edges& around)
{
    around.arriving.shift_in(row_enters, around.arriving);
    for (unsigned i = 0; i < m_side; ++i) {
        const bool arrives = around.arriving[i];
        m_next.valid[i].shift_in(arrives, m_now.valid[i]);
        const Element from_edge = arrives ? operand(around, i) : Element{};
        const Element* const weights = m_weights.data() + weight_at(i, 0);
        m_next.valid[i].for_each([&](unsigned j) {
            const Element a_in = j > 0 ? m_now.a[at(i, j - 1)] : from_edge;
            const sum c_in = i > 0 ? m_now.c[at(i - 1, j)] : sum{};
            around.overflowed += arithmetic::mac_overflows<Element>(c_in, a_in, weights[j]) ? 1 : 0;
            m_next.a[at(i, j)] = a_in;
            m_next.c[at(i, j)] = arithmetic::mac(c_in, a_in, weights[j]);
        });
    }
}

// The operand at the left edge of a row of elements.
template <class Element> Element detailed_systolic_array<Element>::operand(edges& around, unsigned i) const
{
    const array_rows& rows = around.rows;
    const std::uint64_t row = around.operands[i]++;
    if (i >= rows.in_row(row, rows.left_columns, m_side)) { return Element{}; }
    return reinterpret_cast<const Element*>(rows.left)[static_cast<std::ptrdiff_t>(row) * rows.left_stride + i];
}

// What leaves the bottom row goes to memory, where it has a place.
template <class Element> void detailed_systolic_array<Element>::deliver(edges& around, std::uint64_t cycle)
{
    const array_rows& rows = around.rows;
    m_now.valid[m_side - 1].for_each([&](unsigned j) {
        const std::uint64_t row = around.results[j]++;
        if (j < rows.in_row(row, rows.result_columns, m_side)) {
            reinterpret_cast<sum*>(rows.result)[static_cast<std::ptrdiff_t>(row) * rows.result_stride + j] =
                m_now.c[at(m_side - 1, j)];
        }
        if (listener() != nullptr) { listener()->result_out(row, j, cycle); }
    });
}

// What was on its way when the last stream stopped is gone.
template <class Element> void detailed_systolic_array<Element>::empty()
{
    for (auto& row : m_now.valid) { row.clear(); }
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
        shown.weight = arithmetic::shown(m_weights[weight_at(w->row, w->column)]);
    }
}

std::unique_ptr<systolic_array> make_detailed_systolic_array(sc_core::sc_module_name name,
                                                             const systolic_array_config& config,
                                                             const bus::stop_request& stop)
{
    return arch::with_element<double, std::complex<double>, std::int8_t, std::int32_t, std::int64_t>(
        config.format, [&](auto element) -> std::unique_ptr<systolic_array> {
            return std::make_unique<detailed_systolic_array<decltype(element)>>(name, config, stop);
        });
}

} // namespace tensorloom::blocks
