#pragma once
#include <complex>
#include <string>
#include <variant>

#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

using real_or_complex = std::variant<tensor<double>, tensor<std::complex<double>>>;

/// Reads a .npy file that passes read_npy_header().
///
/// Complex elements become complex<double>, all others double (b1: 0 or 1; 64-bit integers beyond 2^53 are rounded to
/// nearest). The result is in C order whatever the order of the file. Throws arch::input_error.
real_or_complex load_npy(const std::string& path);

/// The same in the element format T, every element rounded once to nearest, ties to even.
///
/// T: double, float, complex of both, bfloat16, int8, int32, int64 (of whole numbers in the file exact, also beyond
/// 2^53). Throws arch::input_error, also for complex elements when T is real, and for an element that is not whole or
/// out of range when T is an integer.
template <class T> tensor<T> load_npy_as(const std::string& path);

/// Writes a .npy file (version 1.0, C order, elements as T: f8, f4, c16, c8, i1, i4 or i8), whole or not at all
/// (arch/atomic_file.h). Throws arch::input_error when the file cannot be written.
template <class T> void save_npy(const std::string& path, const tensor<T>& values);

} // namespace tensorloom::workloads
