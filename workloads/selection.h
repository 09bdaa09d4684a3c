#pragma once
#include <cstddef>

#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// Keeps the ceil(fraction x size) elements of largest modulus and makes the others +0; returns how many it kept.
///
/// Of equal moduli the lower index stays; NaN (in either part) is larger than anything. The product is taken in double
/// and is never more than the size. T: double, float, complex of both, int32. Throws arch::input_error for a fraction
/// outside 0 to 1.
template <class T> std::size_t keep_largest(tensor<T>& values, double fraction);

} // namespace tensorloom::workloads
