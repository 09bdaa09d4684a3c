#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>
#include <tensorloom/models/arch/mmv/events.h>

namespace tensorloom::workloads {

/// Numbers that an algorithm takes or gives, row by row: whole, real or complex.
using tensor_unit_values =
    std::variant<std::vector<std::int64_t>, std::vector<double>, std::vector<std::complex<double>>>;

std::size_t count_of(const tensor_unit_values& values);

/// Sum of (i + 1) z[i] mod 2^31 - 1, not negative. Numbers that are not whole are rounded, of complex ones the real
/// part counts.
std::int64_t checksum_of(const tensor_unit_values& values);

/// The numbers as whole ones. Throws arch::input_error, which names `what`, when one is not whole (or beyond 2^53).
std::vector<std::int64_t> whole_numbers(const tensor_unit_values& values, const char* what);

/// What an algorithm computed on an MMU/VCU pair, and what that took. arch::mmv::tcu_meter_of(counts, q, l) is the
/// (m,l)-TCU's view of it.
struct tensor_unit_result {
    tensor_unit_values values; ///< whole of an integer device, real of f64, complex of c128
    std::vector<std::uint64_t> shape;
    arch::mmv::counts counts;
    std::uint64_t cycles = 0;           ///< of all programs, START to DONE; 0 from a machine without time
    std::uint64_t programs = 0;         ///< that were run one after the other
    std::uint64_t scratchpad_bytes = 0; ///< that the largest program needed
    std::uint64_t rounds = 0;           ///< of the sparse product; else 0
};

} // namespace tensorloom::workloads
