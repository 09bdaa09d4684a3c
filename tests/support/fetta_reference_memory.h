#pragma once
#include <cstdint>
#include <cstring>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include "support/mmv_reference_units.h"
#include "support/reference_failure.h"

namespace tensorloom::test {

/// The unified memory of the reference: banks of rows, and the two windows on them.
///
/// Kept in the order of the float32 window, for the vector unit's sake: float32 row r of bank b begins at byte (r x
/// banks + b) x 4 side, and the rows 2r and 2r + 1 of 16-bit elements of that bank are its halves.
class fetta_reference_memory {
public:
    explicit fetta_reference_memory(const fetta::device_limits& g) : m_limits(g), m_words(g.memory_bytes()) {}

    /// An element of a row. Throws reference_failure (too_large) when the memory has no such row.
    float get(base::element_type type, std::uint64_t bank, std::int64_t row, std::uint64_t lane) const
    {
        const auto at = static_cast<std::int64_t>(place(type, bank, row, lane));
        if (type == base::element_type::f32) { return m_words.get<float>(at); }
        return upper_half(m_words.get<std::uint16_t>(at));
    }
    /// bf16 takes the upper half of the value's bits.
    void put(base::element_type type, std::uint64_t bank, std::int64_t row, std::uint64_t lane, float value)
    {
        const auto at = static_cast<std::int64_t>(place(type, bank, row, lane));
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        if (type == base::element_type::f32) {
            m_words.put(at, bits);
        } else {
            m_words.put(at, static_cast<std::uint16_t>(bits >> 16));
        }
    }

    /// Where a byte is that LOAD and STORE address: windows of 16-bit elements, then of float32.
    std::int64_t byte(std::uint64_t address) const
    {
        const std::uint64_t window = m_limits.memory_bytes();
        require(address < 2 * window, isa::error_code::too_large, "address outside of the unified memory");
        if (address >= window) { return static_cast<std::int64_t>(address - window); }
        const std::uint64_t row_bytes = m_limits.row_bytes(base::element_type::bf16);
        const std::uint64_t row = address / row_bytes;
        const auto first = place(base::element_type::bf16, row % m_limits.engines,
                                 static_cast<std::int64_t>(row / m_limits.engines), 0);
        return static_cast<std::int64_t>(first + address % row_bytes);
    }
    /// What the vector unit sees.
    reference_scratchpad& words() { return m_words; }

private:
    static float upper_half(std::uint32_t bits)
    {
        bits <<= 16;
        float value;
        std::memcpy(&value, &bits, sizeof value);
        return value;
    }
    std::size_t place(base::element_type type, std::uint64_t bank, std::int64_t row, std::uint64_t lane) const
    {
        require(bank < m_limits.engines && row >= 0 && row < std::int64_t{m_limits.bank_rows(type)},
                isa::error_code::too_large, "row outside of the unified memory");
        const bool narrow = type == base::element_type::bf16;
        const auto wide_row = static_cast<std::uint64_t>(narrow ? row / 2 : row);
        const std::uint64_t half = narrow && row % 2 != 0 ? m_limits.row_bytes(type) : 0;
        return (wide_row * m_limits.engines + bank) * m_limits.row_bytes(base::element_type::f32) + half +
               lane * base::element_bytes(type);
    }

    fetta::device_limits m_limits;
    reference_scratchpad m_words;
};

} // namespace tensorloom::test
