#pragma once
#include <cstddef>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

// Lossy compression of a transformed tensor: the largest coefficients stay, and what is lost shows in the picture.

/// Keeps the ceil(fraction x size) elements of largest modulus and makes the others +0; returns how many it kept.
///
/// Of equal moduli the lower index stays; NaN (in either part) is larger than anything. The product is taken in double
/// and is never more than the size. T: double, float, complex of both, int32. Throws base::input_error for a fraction
/// outside 0 to 1.
template <class T> std::size_t keep_largest(tensor<T>& values, double fraction);

/// Peak signal-to-noise ratio in dB: 10 log10(peak^2 / mean squared difference); +infinity when both are equal, NaN
/// when data is.
///
/// peak is the largest value the signal may have. Throws base::input_error: shapes that differ, no elements, peak not
/// above 0 or not finite.
double psnr(const tensor<double>& reference, const tensor<double>& other, double peak);

} // namespace tensorloom::workloads
