#pragma once
#include <cstddef>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

// Lossy compression of a transformed tensor: keeps the largest coefficients; the loss is measured in the signal.

/// Keeps the ceil(fraction x size) elements of largest modulus and sets the others to +0; returns the number kept.
/// Among equal moduli the lower index is kept; NaN (in either part) counts as largest. The product is a double, at most
/// the size. T: double, float, complex of both, int32. Throws base::input_error: fraction not in 0 to 1.
template <class T> std::size_t keep_largest(tensor<T>& values, double fraction);

/// Peak signal-to-noise ratio in dB: 10 log10(peak^2 / mean squared difference); +infinity for equal tensors, NaN if
/// the data contains NaN. peak: the largest possible value of the signal. Throws base::input_error: shapes that differ,
/// no elements, peak not above 0 or not finite.
double psnr(const tensor<double>& reference, const tensor<double>& other, double peak);

} // namespace tensorloom::workloads
