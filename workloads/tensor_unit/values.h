#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

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

} // namespace tensorloom::workloads
