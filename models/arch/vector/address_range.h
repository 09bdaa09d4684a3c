#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace tensorloom::arch::vector {

/// Bytes of the scratchpad: `rows` pieces of `bytes` each, one every `pitch` bytes. A single piece has no pitch.
struct address_range {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;
    std::uint64_t pitch = 0;
    std::uint64_t rows = 1;

    std::uint64_t end() const { return first + (rows - 1) * pitch + bytes; } ///< of the last piece
    bool empty() const { return bytes == 0; }
    friend bool operator==(const address_range& a, const address_range& b)
    {
        return a.first == b.first && a.bytes == b.bytes && a.pitch == b.pitch && a.rows == b.rows;
    }
};

/// Rows of `bytes` bytes each, in any direction; pieces that touch each other become one.
address_range rows_of_bytes(std::uint64_t address, std::int64_t row_pitch, std::uint64_t rows, std::uint64_t bytes);

/// Whether two ranges have a byte in common: exact when their pitches are equal or one of them is a single piece,
/// otherwise of their bounds (true may be said too often, false never).
bool overlap(const address_range& a, const address_range& b);

/// What one instruction reads, or writes. Empty ranges are not kept.
class address_ranges {
public:
    static constexpr std::size_t capacity = 4;

    void add(const address_range& range)
    {
        if (!range.empty()) { m_ranges[m_size++] = range; }
    }
    const address_range* begin() const { return m_ranges.data(); }
    const address_range* end() const { return m_ranges.data() + m_size; }
    bool empty() const { return m_size == 0; }

private:
    std::array<address_range, capacity> m_ranges{};
    std::size_t m_size = 0;
};

bool overlap(const address_ranges& a, const address_range& b);
bool overlap(const address_ranges& a, const address_ranges& b);

} // namespace tensorloom::arch::vector
