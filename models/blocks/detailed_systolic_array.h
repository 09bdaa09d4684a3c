#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/blocks/systolic_array.h>

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

} // namespace tensorloom::blocks
