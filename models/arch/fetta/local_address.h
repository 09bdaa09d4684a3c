#pragma once
#include <cstdint>
#include <tensorloom/models/arch/element_type.h>
#include <tensorloom/models/arch/fetta/geometry.h>

namespace tensorloom::arch::fetta {

/// Addresses of the unified memory as LOAD, STORE and the vector unit see it: two windows on the same bytes, S =
/// memory_bytes() each.
///
///     [0, S)    rows of 16-bit elements: row r of bank b at (r N + b) x 2 P bytes
///     [S, 2S)   rows of float32: row r of bank b at S + (r N + b) x 4 P bytes; it is rows 2r and 2r+1 of 16-bit
///               elements of that bank
///
/// The two agree in which bytes every aligned block of 4 P N bytes has.
constexpr std::uint64_t row_address(const geometry& g, element_type type, std::uint64_t row, std::uint64_t bank)
{
    return (type == element_type::bf16 ? 0 : g.memory_bytes()) + (row * g.engines + bank) * g.row_bytes(type);
}

} // namespace tensorloom::arch::fetta
