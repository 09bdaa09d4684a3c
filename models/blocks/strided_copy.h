#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/vector/strided_command.h>
#include <tensorloom/models/blocks/strided_words.h>
#include <tensorloom/models/memory/scratchpad.h>

namespace tensorloom::blocks {

/// REPL: z[i][j][k] = a[i][j][k] where i, j, k < valid, else 0. Elements in C order; everything is read before anything
/// is written.
template <class W> class strided_copy {
public:
    void begin(const arch::vector::strided_command& c, memory::scratchpad_if& pad)
    {
        m_size = c.size;
        m_valid = c.valid;
        m_from = valid_elements() != 0 ? strided_words<W>(pad, c.a) : strided_words<W>(); // of nothing, any address
        m_to = {pad, c.result};
        m_to.note_written(pad, {0, 0, 0}, c.size);

        // The only overlap is that of a copy onto itself; but strides may make an element that is no longer valid share
        // a word with one that is.
        m_is_kept = c.a.address == c.result.address;
        m_kept.clear();
        if (!m_is_kept) { return; }
        for (std::uint64_t i = 0; i < m_valid[0]; ++i) {
            for (std::uint64_t j = 0; j < m_valid[1]; ++j) {
                for (std::uint64_t k = 0; k < m_valid[2]; ++k) { m_kept.push_back(m_from(i, j)[k]); }
            }
        }
    }

    std::uint64_t elements() const { return std::uint64_t{m_size[0]} * m_size[1] * m_size[2]; }
    std::uint64_t valid_elements() const { return std::uint64_t{m_valid[0]} * m_valid[1] * m_valid[2]; }

    /// The elements in C order: where each goes, and where it comes from if it is valid. next() must not be called
    /// behind the last one.
    class walker {
    public:
        explicit walker(const strided_copy& copy) : m_copy(copy) { begin_row(); }

        std::uint64_t to() const { return m_to; }
        std::uint64_t from() const { return m_from; }
        bool is_valid() const { return m_k < m_valid; }
        void next()
        {
            m_to += m_copy.m_to.step();
            m_from += m_copy.m_from.step();
            if (++m_k == m_copy.m_size[2]) {
                m_k = 0;
                if (++m_j == m_copy.m_size[1]) {
                    m_j = 0;
                    ++m_i;
                }
                begin_row();
            }
        }

    private:
        void begin_row()
        {
            m_to = m_copy.m_to.address(m_i, m_j, 0);
            m_valid = m_copy.valid_in_row(m_i, m_j);
            if (m_valid != 0) { m_from = m_copy.m_from.address(m_i, m_j, 0); } // of the others, any address
        }

        const strided_copy& m_copy;
        std::uint64_t m_i = 0, m_j = 0, m_k = 0;
        std::uint64_t m_to = 0, m_from = 0;
        std::uint64_t m_valid = 0; // of this row
    };
    walker walk() const { return walker(*this); }

    /// Elements first to last - 1.
    void copy(std::uint64_t first, std::uint64_t last)
    {
        while (first < last) { // the rest of a row
            const std::uint64_t row = first / m_size[2], k = first % m_size[2];
            const std::uint64_t end = std::min<std::uint64_t>(m_size[2], k + (last - first));
            copy_row(row / m_size[1], row % m_size[1], k, end);
            first += end - k;
        }
    }

private:
    std::uint64_t valid_in_row(std::uint64_t i, std::uint64_t j) const
    {
        return i < m_valid[0] && j < m_valid[1] ? m_valid[2] : 0;
    }
    void copy_row(std::uint64_t i, std::uint64_t j, std::uint64_t k, std::uint64_t end)
    {
        const std::uint64_t valid = std::min(end, valid_in_row(i, j));
        const auto to = m_to(i, j);
        const auto copy_from = [&](const auto& from) {
            for (; k < valid; ++k) { to[k] = from[k]; }
        };
        if (k < valid) { // a row of a that exists
            if (m_is_kept) {
                copy_from(m_kept.data() + (i * m_valid[1] + j) * m_valid[2]);
            } else {
                copy_from(m_from(i, j));
            }
        }
        for (; k < end; ++k) { to[k] = W(0); }
    }

    std::array<std::uint32_t, 3> m_size{};
    std::array<std::uint32_t, 3> m_valid{};
    strided_words<W> m_from, m_to;
    bool m_is_kept = false;
    std::vector<W> m_kept; // valid elements
};

} // namespace tensorloom::blocks
