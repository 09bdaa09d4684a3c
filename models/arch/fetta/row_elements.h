#pragma once
#include <array>
#include <cstdint>

namespace tensorloom::arch::fetta {

/// What a row at a port holds: `side` elements, which differ in one index.
struct row_elements {
    /// Indices of the first element. IA, IB: batch, contracted, free. Result: batch, IA's free, IB's free.
    std::array<std::uint64_t, 3> index{};
    std::uint32_t along = 0; ///< which of them the lanes go along, 1 or 2
    std::uint32_t lanes =
        0; ///< elements whose indices are all in range: lanes 0 to lanes - 1; 0: nothing to read or write
    /// The batch index, and the free index of at least one lane, are in range: the port takes part, with zeros for what
    /// is missing.
    bool present = false;
};

} // namespace tensorloom::arch::fetta
