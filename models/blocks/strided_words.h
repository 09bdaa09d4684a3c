#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/memory/scratchpad.h>

namespace tensorloom::blocks {

/// An operand of a strided instruction: words in the scratchpad in three modes.
template <class W> class strided_words {
public:
    strided_words() = default;
    strided_words(memory::scratchpad_if& pad, const isa::vector::strided_operand& operand)
        : m_address(operand.address),
          m_first(reinterpret_cast<W*>(pad.at(operand.address))), m_stride{operand.stride[0], operand.stride[1],
                                                                           operand.stride[2]}
    {}

    /// Elements (i, j, 0), (i, j, 1), ...
    struct row {
        W* first;
        std::int64_t stride;

        W& operator[](std::uint64_t k) const { return first[static_cast<std::int64_t>(k) * stride]; }
    };
    row operator()(std::uint64_t i, std::uint64_t j) const { return {m_first + distance(i, j, 0), m_stride[2]}; }

    std::uint64_t address(std::uint64_t i, std::uint64_t j, std::uint64_t k) const
    {
        return m_address + static_cast<std::uint64_t>(distance(i, j, k)) * sizeof(W);
    }

    /// Notes a write to the elements from `first` on, up to `end` in each mode, in the scratchpad.
    void note_written(memory::scratchpad_if& pad, const std::array<std::uint32_t, 3>& first,
                      const std::array<std::uint32_t, 3>& end) const
    {
        if (first[0] >= end[0] || first[1] >= end[1] || first[2] >= end[2]) { return; }
        std::uint64_t lowest = address(first[0], first[1], first[2]), behind = lowest + sizeof(W);
        for (unsigned mode = 0; mode < 3; ++mode) {
            const std::int64_t reach = m_stride[mode] * static_cast<std::int64_t>(end[mode] - 1 - first[mode]);
            (reach < 0 ? lowest : behind) += static_cast<std::uint64_t>(reach) * sizeof(W);
        }
        if (!pad.is_watched(lowest, behind)) { return; }
        const auto rows_end = [&](unsigned mode) { // a mode that repeats the same words is noted once
            return m_stride[mode] == 0 ? std::min(end[mode], first[mode] + 1) : end[mode];
        };
        for (std::uint64_t i = first[0]; i < rows_end(0); ++i) {
            for (std::uint64_t j = first[1]; j < rows_end(1); ++j) {
                pad.note_written({address(i, j, first[2]), end[2] - first[2], sizeof(W),
                                  m_stride[2] * static_cast<std::int64_t>(sizeof(W))});
            }
        }
    }

private:
    std::int64_t distance(std::uint64_t i, std::uint64_t j, std::uint64_t k) const
    {
        return m_stride[0] * static_cast<std::int64_t>(i) + m_stride[1] * static_cast<std::int64_t>(j) +
               m_stride[2] * static_cast<std::int64_t>(k);
    }

    std::uint64_t m_address = 0; // of element (0, 0, 0)
    W* m_first = nullptr;
    std::array<std::int64_t, 3> m_stride{};
};

/// REPL: z[i][j][k] = a[i][j][k] where i, j, k < valid, else 0. Elements in C order; all reads precede the first write.
template <class W> class strided_copy {
public:
    void begin(const isa::vector::strided_command& c, memory::scratchpad_if& pad)
    {
        m_size = c.size;
        m_valid = c.valid;
        m_from = valid_elements() != 0 ? strided_words<W>(pad, c.a) : strided_words<W>(); // no element: any address
        m_to = {pad, c.result};
        m_to.note_written(pad, {0, 0, 0}, c.size);

        // The only overlap is a copy onto itself; but by its strides an invalid element may share a word with a valid
        // one.
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

    /// Elements first to last - 1.
    void copy(std::uint64_t first, std::uint64_t last)
    {
        if (first >= last) { return; }
        const std::uint64_t row = first / m_size[2];
        std::uint64_t i = row / m_size[1], j = row % m_size[1];
        for (std::uint64_t k = first % m_size[2]; first < last; k = 0) { // the rest of a row
            const std::uint64_t end = std::min<std::uint64_t>(m_size[2], k + (last - first));
            copy_row(i, j, k, end);
            first += end - k;
            if (++j == m_size[1]) {
                j = 0;
                ++i;
            }
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
