#include <tensorloom/models/isa/vector/accesses.h>
#include <algorithm>
#include <cstdlib>
#include <tensorloom/models/base/values/integers.h>

namespace tensorloom::isa::vector {

namespace {

// Piece i of a and piece j of b overlap when apart - a.bytes < (i - j) pitch < apart + b.bytes: tests the smallest i -
// j above the lower bound.
bool pieces_meet(const address_range& a, const address_range& b, std::int64_t pitch)
{
    const auto apart = static_cast<std::int64_t>(b.first) - static_cast<std::int64_t>(a.first);
    const std::int64_t above = base::quotient_down(apart - static_cast<std::int64_t>(a.bytes), pitch) + 1;
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

address_ranges reads(opcode code, const vector_command& c, const limits& device)
{
    const vector_lengths lengths = lengths_of(code, c);
    address_ranges ranges;
    ranges.add(ordered_range(c.a, lengths.a, device.word_bytes()));
    ranges.add(ordered_range(c.b, lengths.b, device.word_bytes()));
    ranges.add(ordered_range(c.c, lengths.c, device.word_bytes()));
    if (vector_signature_of(code).reads_result) {
        ranges.add(ordered_range(c.result, lengths.result, device.word_bytes()));
    }
    return ranges;
}

address_ranges writes(opcode code, const vector_command& c, const limits& device)
{
    address_ranges ranges;
    ranges.add(ordered_range(c.result, lengths_of(code, c).result, device.word_bytes()));
    return ranges;
}

address_ranges reads(const strided_signature& has, const strided_sizes& sizes, const strided_command& c,
                     const limits& device)
{
    address_ranges ranges;
    ranges.add(strided_range(c.a, sizes.a, device.word_bytes()));
    if (!has.writes_b) { ranges.add(strided_range(c.b, sizes.b, device.word_bytes())); }
    if (has.reads_result) { ranges.add(strided_range(c.result, sizes.result, device.word_bytes())); }
    return ranges;
}

address_ranges writes(const strided_signature& has, const strided_sizes& sizes, const strided_command& c,
                      const limits& device)
{
    address_ranges ranges;
    ranges.add(strided_range(c.result, sizes.result, device.word_bytes()));
    if (has.writes_b) { ranges.add(strided_range(c.b, sizes.b, device.word_bytes())); }
    return ranges;
}

address_ranges reads(opcode, const strided_command& c, const limits& device)
{
    return reads(repl_signature, sizes_of(repl_signature, c), c, device);
}

address_ranges writes(opcode, const strided_command& c, const limits& device)
{
    return writes(repl_signature, sizes_of(repl_signature, c), c, device);
}

address_range ordered_range(const vector_operand& o, std::uint64_t length, std::uint64_t word)
{
    return {o.address, length > o.shift ? (length - o.shift) * word : 0, 0, 1};
}

// The rows are along the mode with the largest stride, the other modes are inside a row.
address_range strided_range(const strided_operand& o, const std::array<std::uint32_t, 3>& size, std::uint64_t word)
{
    if (size[0] == 0 || size[1] == 0 || size[2] == 0) { return {}; }
    unsigned outer = 0;
    const auto reach = [&](unsigned m) { return size[m] == 1 ? 0 : std::abs(std::int64_t{o.stride[m]}); };
    for (unsigned m = 1; m < 3; ++m) {
        if (reach(m) > reach(outer)) { outer = m; }
    }
    const auto bytes = static_cast<std::int64_t>(word);
    std::int64_t first = o.address;
    std::int64_t span = bytes;
    for (unsigned m = 0; m < 3; ++m) {
        if (m == outer) { continue; }
        const std::int64_t to_last = o.stride[m] * bytes * (std::int64_t{size[m]} - 1);
        first += std::min<std::int64_t>(to_last, 0);
        span += std::abs(to_last);
    }
    return rows_of_bytes(static_cast<std::uint64_t>(first), o.stride[outer] * bytes, size[outer],
                         static_cast<std::uint64_t>(span));
}

} // namespace tensorloom::isa::vector
