#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tensorloom::arithmetic {

/// The offset of each index of a tensor's mode, or of several modes flattened into one, in elements from index 0.
class offset_table {
public:
    offset_table() = default;
    explicit offset_table(std::vector<std::ptrdiff_t> offsets) : m_offsets(std::move(offsets))
    {
        while (m_together < m_offsets.size() && lie_together(2 * m_together)) { m_together *= 2; }
        if (m_together >= m_offsets.size()) { m_together = all_together; }
        const std::ptrdiff_t step = m_offsets.size() < 2 ? 0 : m_offsets[1] - m_offsets[0];
        std::size_t even = std::min<std::size_t>(2, m_offsets.size());
        while (even < m_offsets.size() && m_offsets[even] - m_offsets[even - 1] == step) { ++even; }
        if (even == m_offsets.size()) { m_step = step; }
    }

    std::size_t size() const { return m_offsets.size(); }
    std::ptrdiff_t operator[](std::size_t index) const { return m_offsets[index]; }
    const std::ptrdiff_t* data() const { return m_offsets.data(); }

    /// A power of two: groups of this many indices, from each of its multiples on, are contiguous.
    std::size_t together() const { return m_together; }
    static constexpr std::size_t all_together = ~(~std::size_t{0} >> 1); ///< all indices are contiguous

    /// Distance between consecutive indices, if it is constant.
    const std::optional<std::ptrdiff_t>& step() const { return m_step; }

private:
    bool lie_together(std::size_t n) const
    {
        for (std::size_t i = 0; i < m_offsets.size(); ++i) {
            if (m_offsets[i] != m_offsets[i - i % n] + static_cast<std::ptrdiff_t>(i % n)) { return false; }
        }
        return true;
    }

    std::vector<std::ptrdiff_t> m_offsets;
    std::size_t m_together = 1;
    std::optional<std::ptrdiff_t> m_step;
};

/// The offsets of an operand's indices: evenly spaced, or from a table, which must outlive this object.
class index_offsets {
public:
    index_offsets(std::ptrdiff_t stride = 0) : m_stride(stride) {} // NOLINT(google-explicit-constructor)
    index_offsets(const offset_table& table) : m_table(&table) {}  // NOLINT(google-explicit-constructor)

    std::ptrdiff_t operator[](std::size_t index) const
    {
        return m_table != nullptr ? (*m_table)[index] : static_cast<std::ptrdiff_t>(index) * m_stride;
    }
    /// As that of the table.
    std::size_t together() const
    {
        return m_table != nullptr ? m_table->together() : m_stride == 1 ? offset_table::all_together : 1;
    }
    /// As that of the table.
    std::optional<std::ptrdiff_t> step() const { return m_table != nullptr ? m_table->step() : m_stride; }
    /// Offsets of indices 0 to n - 1, stored in `room` without a table.
    const std::ptrdiff_t* first(std::size_t n, std::vector<std::ptrdiff_t>& room) const
    {
        if (m_table != nullptr) { return m_table->data(); }
        room.resize(std::max(room.size(), n));
        for (std::size_t i = 0; i < n; ++i) { room[i] = (*this)[i]; }
        return room.data();
    }

private:
    const offset_table* m_table = nullptr;
    std::ptrdiff_t m_stride = 0;
};

} // namespace tensorloom::arithmetic
