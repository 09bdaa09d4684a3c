#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <tensorloom/models/arch/vector/strided_command.h>
#include <tensorloom/models/memory/scratchpad.h>

namespace tensorloom::blocks {

/// An operand of a strided instruction: words in the scratchpad, in three modes.
template <class W> class strided_words {
public:
    strided_words() = default;
    strided_words(memory::scratchpad_if& pad, const arch::vector::strided_operand& operand)
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

    /// From an element to the next of its row, in bytes, modulo 2^64.
    std::uint64_t step() const { return static_cast<std::uint64_t>(m_stride[2]) * sizeof(W); }

    /// Tells the scratchpad that the elements from `first` on are written, up to `end` in each mode.
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
        const auto rows_end = [&](unsigned mode) { // a mode that repeats the same words is told once
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

} // namespace tensorloom::blocks
