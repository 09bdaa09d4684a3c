#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <tensorloom/models/isa/vector/limits.h>
#include <tensorloom/models/isa/vector/signature.h>

namespace tensorloom::isa::vector {

/// A range of the scratchpad: `rows` pieces of `bytes` each, one every `pitch` bytes. A single piece has no pitch.
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

/// Rows of `bytes` bytes each, with a pitch of either sign; adjacent pieces become one.
address_range rows_of_bytes(std::uint64_t address, std::int64_t row_pitch, std::uint64_t rows, std::uint64_t bytes);

/// Whether two ranges share a byte: exact when their pitches are equal or one is a single piece, otherwise by their
/// bounds (which may return true for disjoint ranges, but never false for overlapping ones).
bool overlap(const address_range& a, const address_range& b);

/// The bytes that one instruction reads, or writes. Empty ranges are not stored.
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

// The bytes of the scratchpad that an instruction reads and writes, with its addresses as given (at() of an iteration):
// for hazards between units, and for weights that stay in the array. The command must have passed check(). Every
// accessed byte is included; ranges of strided operands and tables of indexed ones also cover bytes in between.
// between that are not touched.

address_ranges reads(opcode code, const vector_command& command, const limits& device);
address_ranges writes(opcode code, const vector_command& command, const limits& device);
address_ranges reads(opcode repl, const strided_command& command, const limits& device);
address_ranges writes(opcode repl, const strided_command& command, const limits& device);
/// For any instruction with such a payload.
address_ranges reads(const strided_signature& has, const strided_sizes& sizes, const strided_command& command,
                     const limits& device);
address_ranges writes(const strided_signature& has, const strided_sizes& sizes, const strided_command& command,
                      const limits& device);

// The bytes of single operands, with their addresses as given. Valid when the operand spans less than 2^40 bytes; a
// range that begins below address 0 wraps modulo 2^64.

/// Words 0 to length - shift - 1.
address_range ordered_range(const vector_operand& operand, std::uint64_t length, std::uint64_t word_bytes);

/// The rows are along the mode with the largest stride, the other modes are inside a row. Empty when a size is 0.
address_range strided_range(const strided_operand& operand, const std::array<std::uint32_t, 3>& size,
                            std::uint64_t word_bytes);

} // namespace tensorloom::isa::vector
