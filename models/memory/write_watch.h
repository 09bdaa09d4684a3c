#pragma once
#include <cstdint>

namespace tensorloom::memory {

/// Rows of bytes at a stride.
struct byte_rows {
    std::uint64_t address = 0;   ///< of the first byte
    std::uint64_t rows = 0;      ///< 0: no bytes
    std::uint64_t row_bytes = 0; ///< at least 1
    std::int64_t stride = 0;     ///< from a row to the next, in bytes, signed
};

/// Whether rows of bytes have been written since they were read. Plain C++.
///
/// Exact to the byte: what is written between the rows does not count. Whoever keeps a copy of a part of a scratchpad
/// has one of these attached to it.
class write_watch {
public:
    /// From now on these rows are watched.
    void watch(const byte_rows& rows);
    /// Nothing is watched; written() is true, as at the start.
    void forget()
    {
        m_rows.rows = 0;
        m_written = true;
    }

    bool written() const { return m_written; }
    /// Whether a note of bytes from first to end - 1 could change anything.
    bool looks_at(std::uint64_t first, std::uint64_t end) const
    {
        return !m_written && m_rows.rows != 0 && first < m_end && end > m_first;
    }

    /// Somebody writes these rows.
    void note(const byte_rows& written);

private:
    byte_rows m_rows;
    std::uint64_t m_first = 0; // bytes of the watched rows lie from here
    std::uint64_t m_end = 0;   // to before here
    bool m_written = true;
};

} // namespace tensorloom::memory
