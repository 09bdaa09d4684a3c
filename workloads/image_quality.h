#pragma once
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// Peak signal-to-noise ratio in dB: 10 log10(peak^2 / mean squared difference); +infinity when both are equal, NaN
/// when data is.
///
/// peak is the largest value the signal may have. Throws arch::input_error: shapes that differ, no elements, peak not
/// above 0 or not finite.
double psnr(const tensor<double>& reference, const tensor<double>& other, double peak);

} // namespace tensorloom::workloads
