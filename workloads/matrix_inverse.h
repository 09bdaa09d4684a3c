#pragma once
#include <complex>
#include <cstddef>
#include <vector>

namespace tensorloom::workloads {

/// The inverse of an n x n row-major matrix by LU with full pivoting, in long double.
///
/// Empty when the matrix is singular to double precision: its smallest pivot is not above n x 2.2e-16 times its
/// largest. V: long double or complex of it; all elements finite.
template <class V> std::vector<V> matrix_inverse(const std::vector<V>& matrix, std::size_t n);

} // namespace tensorloom::workloads
