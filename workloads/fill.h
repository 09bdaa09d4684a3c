#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// Values of a tensor that is not read from a file. i, j, k are the indices of modes 1, 2, 3.
enum class fill_kind {
    random, ///< uniform in [-1, 1), complex elements in both parts; int8: uniform whole numbers from -8 to 8
    ramp,   ///< ((7i + 11j + 13k) mod 17) - 8
    sparse  ///< the ramp where (5i + 3j + 7k) mod 3 = 0, else 0
};

/// "random", "ramp" or "sparse"; throws base::input_error.
fill_kind parse_fill(const std::string& name);

/// A filled tensor, in which each element is then set to 0 with probability zeros_fraction. Reproducible on every
/// machine, and in every format but for rounding: real parts, imaginary parts and zeros are drawn from three
/// independent streams of mt19937_64, 53 bits each, in C order. int8 maps the same numbers to floor(17 (x + 1) / 2) -
/// 8. T: double, float, complex of both, bfloat16, int8. Throws base::input_error: a size of 0, a tensor too large to
/// address, zeros_fraction outside 0 to 1.
template <class T> tensor<T> fill_tensor(fill_kind kind, shape3 shape, double zeros_fraction, std::uint64_t seed);

/// A part of this tensor, with memory for the part alone. The streams advance past the elements before and between
/// those of the part, which takes a fraction of the time of filling them.
template <class T>
tensor<T> fill_box(fill_kind kind, shape3 shape, const box3& part, double zeros_fraction, std::uint64_t seed);

/// Sets each element to 0 with probability `fraction`, 0 to 1, by the stream of zeros of fill_tensor(). T: likewise.
template <class T> void set_zeros(std::vector<T>& elements, double fraction, std::uint64_t seed);

} // namespace tensorloom::workloads
