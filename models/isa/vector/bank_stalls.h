#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/base/values/bank_counts.h>
#include <tensorloom/models/base/values/scratchpad_banks.h>

namespace tensorloom::isa::vector {

/// Addresses of the words of a REPL in the order of its lanes, C order. Plain C++.
class repl_words {
public:
    /// word_bytes: of an element.
    repl_words(const strided_command& repl, unsigned word_bytes) : m_repl(repl), m_bytes(word_bytes) { begin_row(); }

    std::uint64_t to() const { return m_to; }
    std::uint64_t from() const { return m_from; } ///< of a valid element
    bool is_valid() const { return m_index[2] < m_valid; }
    /// Do not call it after the last element.
    void next()
    {
        m_to += step(m_repl.result.stride[2]);
        m_from += step(m_repl.a.stride[2]);
        if (++m_index[2] == m_repl.size[2]) {
            m_index[2] = 0;
            if (++m_index[1] == m_repl.size[1]) {
                m_index[1] = 0;
                ++m_index[0];
            }
            begin_row();
        }
    }

private:
    std::uint64_t step(std::int64_t words) const
    {
        return static_cast<std::uint64_t>(words) * m_bytes; // modulo 2^64
    }
    std::uint64_t first_of_row(const strided_operand& o) const
    {
        return o.address + step(std::int64_t{o.stride[0]} * m_index[0] + std::int64_t{o.stride[1]} * m_index[1]);
    }
    void begin_row()
    {
        m_valid = m_index[0] < m_repl.valid[0] && m_index[1] < m_repl.valid[1] ? m_repl.valid[2] : 0;
        m_to = first_of_row(m_repl.result);
        m_from = first_of_row(m_repl.a);
    }

    const strided_command& m_repl;
    unsigned m_bytes;
    std::uint32_t m_index[3]{};
    std::uint32_t m_valid = 0; // of this row
    std::uint64_t m_to = 0, m_from = 0;
};

/// Stalls of an instruction for banks of the scratchpad that have several of its strided or indexed words, by group of
/// `lanes` words. The unit waits for them, and planners estimate them. Plain C++.
class bank_stalls {
public:
    /// counted: the counts of base::bank_tally.
    bank_stalls(const base::scratchpad_banks& banks, std::uint64_t lanes, base::equal_reads equal,
                base::bank_counts* counted = nullptr)
        : m_lanes(lanes), m_tally(banks, lanes, equal, counted)
    {}

    /// An instruction of so many words, without stalls so far.
    void begin(std::uint64_t words)
    {
        m_words = words;
        m_stalls.clear();
    }

    /// Adds the stalls of one operand: visit(tally, item) gives the addresses of an item. Items are in groups of
    /// `lanes`; only every `period`th has any, starting with the first. Returns the words read from the banks.
    template <class Visit> std::uint64_t add(std::uint64_t items, std::uint64_t period, const Visit& visit)
    {
        m_stalls.resize((m_words + m_lanes - 1) / m_lanes);
        std::uint64_t item = 0;
        for (std::uint64_t first = 0, group = 0; first < items; first += m_lanes, ++group) {
            const std::uint64_t last = items - first < m_lanes ? items : first + m_lanes;
            for (; item < last; item += period) { visit(m_tally, item); }
            m_stalls[group] += m_tally.end_group();
        }
        return m_tally.take_reads();
    }

    /// Adds those of a REPL.
    std::uint64_t add_repl(const strided_command& repl, unsigned word_bytes)
    {
        repl_words sources(repl, word_bytes), results(repl, word_bytes);
        const std::uint64_t elements = repl.elements();
        const std::uint64_t reads = add(elements, 1, [&](base::bank_tally& tally, std::uint64_t) {
            if (sources.is_valid()) { tally.read(sources.from()); }
            sources.next();
        });
        add(elements, 1, [&](base::bank_tally& tally, std::uint64_t) {
            tally.write(results.to());
            results.next();
        });
        return reads;
    }

    /// Adds those of the sums of a SCATTER_ADD: of `rows` rows of `row_words` words, row i goes to row row_of(i) of the
    /// table at `address`.
    template <class RowOf>
    void add_sums(std::uint64_t address, unsigned word_bytes, std::uint64_t rows, std::uint64_t row_words,
                  const RowOf& row_of)
    {
        std::uint64_t row = 0, k = 0; // of the next word
        add(rows * row_words, 1, [&](base::bank_tally& tally, std::uint64_t) {
            tally.write(address + (row_of(row) * row_words + k) * word_bytes);
            if (++k == row_words) { ++row, k = 0; }
        });
    }

    const std::vector<std::uint64_t>& by_group() const { return m_stalls; } ///< empty without stalls
    void set(const std::vector<std::uint64_t>& stalls) { m_stalls = stalls; }

    std::uint64_t words() const { return m_words; }

private:
    std::uint64_t m_lanes;
    base::bank_tally m_tally;
    std::uint64_t m_words = 0;
    std::vector<std::uint64_t> m_stalls;
};

} // namespace tensorloom::isa::vector
