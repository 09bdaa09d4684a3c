#include <tensorloom/models/arch/vector/address_range.h>
#include <tensorloom/models/arch/values/integers.h>
#include <algorithm>

namespace tensorloom::arch::vector {
namespace {

// Piece i of a and piece j of b meet when apart - a.bytes < (i - j) pitch < apart + b.bytes: takes the least i - j
// above the lower bound.
bool pieces_meet(const address_range& a, const address_range& b, std::int64_t pitch)
{
    const auto apart = static_cast<std::int64_t>(b.first) - static_cast<std::int64_t>(a.first);
    const std::int64_t above = quotient_down(apart - static_cast<std::int64_t>(a.bytes), pitch) + 1;
    const std::int64_t difference = std::max(above, 1 - static_cast<std::int64_t>(b.rows));
    return difference < static_cast<std::int64_t>(a.rows) &&
           difference * pitch < apart + static_cast<std::int64_t>(b.bytes);
}

} // namespace

address_range rows_of_bytes(std::uint64_t address, std::int64_t row_pitch, std::uint64_t rows, std::uint64_t bytes)
{
    const std::uint64_t pitch =
        row_pitch < 0 ? 0 - static_cast<std::uint64_t>(row_pitch) : static_cast<std::uint64_t>(row_pitch);
    if (rows == 0 || bytes == 0) { return {address, 0, 0, 1}; }
    const std::uint64_t first = row_pitch < 0 ? address - (rows - 1) * pitch : address;
    if (rows == 1 || pitch <= bytes) { return {first, (rows - 1) * pitch + bytes, 0, 1}; }
    return {first, bytes, pitch, rows};
}

bool overlap(const address_range& a, const address_range& b)
{
    if (a.empty() || b.empty() || a.first >= b.end() || b.first >= a.end()) { return false; }
    const std::uint64_t pitch = std::max(a.pitch, b.pitch);
    const bool comparable = a.rows == 1 || b.rows == 1 || a.pitch == b.pitch;
    return pitch == 0 || !comparable || pieces_meet(a, b, static_cast<std::int64_t>(pitch));
}

bool overlap(const address_ranges& a, const address_range& b)
{
    return std::any_of(a.begin(), a.end(), [&](const address_range& one) { return overlap(one, b); });
}

bool overlap(const address_ranges& a, const address_ranges& b)
{
    return std::any_of(b.begin(), b.end(), [&](const address_range& one) { return overlap(a, one); });
}

} // namespace tensorloom::arch::vector
