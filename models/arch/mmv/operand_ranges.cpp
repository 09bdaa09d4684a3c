#include <tensorloom/models/arch/mmv/operand_ranges.h>
#include <algorithm>
#include <cstdlib>

namespace tensorloom::arch::mmv {
namespace {

// The rows of x or z: the last one ends with the words.
address_ranges streamed(const matrix_operand& o, std::uint32_t columns, const matmul_command& c, std::uint32_t side,
                        std::uint64_t element)
{
    const std::uint64_t rows = c.rows(side);
    const std::uint64_t in_last = std::min<std::uint64_t>(columns, c.words - (rows - 1) * side);
    const std::int64_t pitch = o.row_stride * static_cast<std::int64_t>(element);
    const std::uint64_t full = in_last == columns ? rows : rows - 1;
    address_ranges ranges;
    ranges.add(rows_of_bytes(o.address, pitch, full, columns * element));
    if (full < rows) {
        const std::uint64_t last = o.address + static_cast<std::uint64_t>(pitch) * (rows - 1);
        ranges.add(rows_of_bytes(last, 0, 1, in_last * element));
    }
    return ranges;
}

} // namespace

address_ranges left_ranges(const matmul_command& c, const mmv_limits& device)
{
    return streamed(c.left, c.left_columns, c, device.side, element_bytes(device.format));
}

address_ranges result_ranges(const matmul_command& c, const mmv_limits& device)
{
    return streamed(c.result, c.result_columns, c, device.side, device.word_bytes());
}

address_range weight_range(const matmul_command& c, const mmv_limits& device)
{
    const auto element = static_cast<std::int64_t>(element_bytes(device.format));
    return rows_of_bytes(c.weights.address, c.weights.row_stride * element, c.left_columns,
                         c.result_columns * static_cast<std::uint64_t>(element));
}

address_range ordered_range(const vector_operand& o, std::uint64_t length, std::uint64_t word)
{
    return {o.address, length > o.shift ? (length - o.shift) * word : 0, 0, 1};
}

// The mode with the largest stride gives the rows, the others what one of them spans.
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

} // namespace tensorloom::arch::mmv
