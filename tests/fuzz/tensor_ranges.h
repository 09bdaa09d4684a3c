#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::test {

// Where the tensors of a command lie in memory, and whether they touch each other: a device promises no result when a
// command writes what it also reads.

/// First and last byte.
using byte_range = std::pair<std::uint64_t, std::uint64_t>;

inline std::uint64_t element_bytes(const isa::tensor_descriptor& t)
{
    return base::element_bytes(static_cast<base::element_type>(t.type));
}

inline byte_range range_of(const isa::tensor_descriptor& t)
{
    byte_range range{t.base, t.base + element_bytes(t) - 1};
    for (unsigned m = 0; m < t.order; ++m) {
        const std::int64_t reach =
            (std::int64_t{t.size[m]} - 1) * t.stride[m] * static_cast<std::int64_t>(element_bytes(t));
        (reach < 0 ? range.first : range.second) += static_cast<std::uint64_t>(reach);
    }
    return range;
}

inline bool overlap(const byte_range& a, const byte_range& b) { return a.first <= b.second && b.first <= a.second; }

/// True when two elements may lie in one place. The last one written wins, and no device promises which one that is.
inline bool meets_itself(const isa::tensor_descriptor& t)
{
    std::uint64_t reach = 0; // of the modes before, in elements; the next stride must be larger
    std::array<std::pair<std::uint64_t, std::uint32_t>, isa::tensor_descriptor::max_order> modes{};
    for (unsigned m = 0; m < t.order; ++m) {
        modes[m] = {static_cast<std::uint64_t>(t.stride[m] < 0 ? -t.stride[m] : t.stride[m]), t.size[m]};
    }
    std::sort(modes.begin(), modes.begin() + t.order);
    for (unsigned m = 0; m < t.order; ++m) {
        if (modes[m].second == 1) { continue; }
        if (modes[m].first <= reach) { return true; }
        reach += modes[m].first * (modes[m].second - 1);
    }
    return false;
}

/// True when a range of one list has a byte of one of the other list.
inline bool overlap(const std::vector<byte_range>& some, const std::vector<byte_range>& others)
{
    for (const auto& a : some) {
        for (const auto& b : others) {
            if (overlap(a, b)) { return true; }
        }
    }
    return false;
}

/// True when a command reads nothing that it writes, and writes no place twice.
inline bool are_apart(const std::vector<byte_range>& written, const std::vector<byte_range>& read)
{
    for (std::size_t w = 0; w < written.size(); ++w) {
        for (std::size_t v = 0; v < w; ++v) {
            if (overlap(written[w], written[v])) { return false; }
        }
    }
    return !overlap(written, read);
}

/// Copies what the ranges have in common with a memory that begins at `base`.
inline void copy_ranges(const std::vector<byte_range>& ranges, std::uint64_t base,
                        const std::vector<std::uint8_t>& from, std::vector<std::uint8_t>& to)
{
    const std::uint64_t end = base + to.size(); // address after the memory
    for (const auto& [first, last] : ranges) {
        const std::uint64_t begin = std::max(first, base), bytes = std::min(last, end - 1) - begin + 1;
        if (begin < end && last >= begin) {
            std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(begin - base), bytes,
                        to.begin() + static_cast<std::ptrdiff_t>(begin - base));
        }
    }
}

} // namespace tensorloom::test
