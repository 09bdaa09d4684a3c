#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/base/values/integers.h>

namespace tensorloom::fetta {

/// Operand formats of a FETTA.
inline constexpr base::element_type formats[] = {base::element_type::bf16, base::element_type::f32};

/// Sizes of the contraction engines and of the memories of a FETTA. Paper: 16 engines of 4 x 4 PEs, 512 KB in 16 banks,
/// accumulators of 128 KB.
///
/// Port i is wired to bank i, engine i and accumulator bank i. Terms:
///
///     row                 P elements (P = side) at one address of a bank, of the unified memory or of the
///                         accumulators: the data of one access, which takes one cycle
///     beat                the data of a port in one cycle, P elements: one row, or elements gathered from several
///     row of a tile, of   as of a matrix; one enters or leaves an engine per cycle, so it is a beat there
///     the result
///     row of an engine    P PEs side by side
struct device_limits {
    /// N: engines, ports, banks; 4, 16 or 64 (the transpose layer needs an even number of levels).
    std::uint32_t engines = 16;
    std::uint32_t side = 4;                      ///< P: rows and columns of an engine, elements of a row; 2, 4, 8 or 16
    std::uint32_t bank_bytes = 32768;            ///< of the unified memory, a power of two, 4 KiB to 64 MiB
    std::uint32_t accumulator_bank_bytes = 8192; ///< a power of two, 1 KiB to 64 MiB
    base::element_type operand = base::element_type::bf16; ///< bf16, or f32 for checks
    base::element_type psum =
        base::element_type::f32; ///< f32, or bf16: every sum rounded to it; bf16 only with bf16 operands
    /// Latency of a gather or scatter buffer, 0 to 16 cycles: registers between the rows that it stores and its
    /// crossbar. 0: a row passes it in the cycle in which its last bank is read, as it passes a distribution network.
    std::uint32_t buffer_cycles = 0;
    /// Latency of a multiply-add in a PE, 1 to 64 cycles. Sums that move down pass a row of PEs in as many cycles;
    /// products of the same sum are as many cycles apart (output-stationary mappings). Not modelled: independent
    /// output-stationary tiles that take turns, which would fill these cycles.
    std::uint32_t mac_latency = 1;

    constexpr std::uint32_t index_bits() const ///< log2 N: levels of a butterfly
    {
        return base::log2_of(engines);
    }
    constexpr std::uint64_t memory_bytes() const { return std::uint64_t{engines} * bank_bytes; }
    constexpr std::uint32_t row_bytes(base::element_type type) const
    {
        return side * static_cast<std::uint32_t>(base::element_bytes(type));
    }
    /// Rows of a bank with elements of this type: 4096 of bf16, 2048 of f32, each of which takes two rows of bf16.
    constexpr std::uint32_t bank_rows(base::element_type type) const { return bank_bytes / row_bytes(type); }
    constexpr std::uint64_t elements(base::element_type type) const
    {
        return memory_bytes() / base::element_bytes(type);
    }
    constexpr std::uint32_t accumulator_rows() const { return accumulator_bank_bytes / row_bytes(psum); }
};

/// Rows of 16-bit elements in a row of this type, bf16 or f32: a row of float32 is two.
constexpr std::uint32_t short_rows_of(base::element_type type)
{
    return static_cast<std::uint32_t>(base::element_bytes(type) / base::element_bytes(base::element_type::bf16));
}

/// Parameter table: range of each size and format, and its name in options, summaries and set(). Valid while the limits
/// live.
base::config_fields fields_of(device_limits& g);

/// The first error of the limits as text; nothing when they are valid.
std::optional<std::string> validate(const device_limits& g);

/// Addresses of the unified memory for LOAD, STORE and the vector unit: two windows on the same bytes, of S =
/// memory_bytes() each.
///
///     [0, S)    rows of 16-bit elements: row r of bank b at (r N + b) x 2 P bytes
///     [S, 2S)   rows of float32: row r of bank b at S + (r N + b) x 4 P bytes; it is rows 2r and 2r+1 of 16-bit
///               elements of that bank
///
/// In both windows every aligned block of 4 P N bytes has the same bytes.
constexpr std::uint64_t row_address(const device_limits& g, base::element_type type, std::uint64_t row,
                                    std::uint64_t bank)
{
    return (type == base::element_type::bf16 ? 0 : g.memory_bytes()) + (row * g.engines + bank) * g.row_bytes(type);
}

} // namespace tensorloom::fetta
