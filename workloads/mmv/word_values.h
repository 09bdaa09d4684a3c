#pragma once
#include <complex>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::workloads {

/// A number in a message: 1e+40, 0.5, 1 + 2 i.
std::string message_text(double value);
std::string message_text(const std::complex<double>& value);

/// Converts numbers to the bytes of a format in memory. T: int64_t, double, complex<double>. Throws base::input_error
/// with the first number that the format cannot hold: integers must be whole and in range, real formats take no
/// imaginary part, and integers that they represent exactly. A real number is rounded to the nearest of its format, but
/// never from a finite one to infinity.
template <class T> std::vector<std::uint8_t> to_bytes(const std::vector<T>& values, base::element_type type);

/// Converts bytes of a format to `count` numbers. Real T drops imaginary parts; int64_t rounds fractions.
template <class T> std::vector<T> from_bytes(const std::uint8_t* bytes, std::uint64_t count, base::element_type type);

} // namespace tensorloom::workloads
