#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// One 3D-GEMT: Y[k1,k2,k3] = Y0[k1,k2,k3] + sum over n1,n2,n3 of X[n1,n2,n3] C1[n1,k1] C2[n2,k2] C3[n3,k3].
/// Source: TriADA, sections 2 and 3. The tensors and matrices belong to the caller.
template <class T> struct gemt_problem {
    const tensor<T>* x = nullptr;                    ///< N1 x N2 x N3
    std::array<const std::vector<T>*, 3> matrices{}; ///< C1, C2, C3; C_s is N_s x K_s, row-major
    std::array<unsigned, 3> order{3, 1, 2};          ///< the modes in the order in which they are summed
    const tensor<T>* initial = nullptr;              ///< Y0, K1 x K2 x K3; none: zero
};

template <class T> struct wide_type {
    using type = long double;
};
template <class R> struct wide_type<std::complex<R>> {
    using type = std::complex<long double>;
};

/// The result of a problem, computed in long double.
template <class T> struct gemt_reference {
    tensor<typename wide_type<T>::type> values; ///< K1 x K2 x K3

    /// Per element, 1 where a computation in T can be held against the value: value and every partial sum of every
    /// stage are finite in T, in whatever order they are added up. Empty when that is so everywhere. (Partial sums are
    /// bounded by the sum of moduli, which must not exceed half the largest number of T.)
    std::vector<std::uint8_t> comparable;
};

/// The three sums, stage by stage in the problem's order, every multiply and add in long double, nothing skipped.
///
/// Takes sum over the stages of (elements of the stage's input) x K_s multiply-adds; with data so large that T might
/// overflow, or not finite, twice that. T: double, float, complex of both.
/// Throws arch::input_error: x not of three modes; an order that is no permutation of 1, 2, 3; a matrix that is missing
/// or whose size is no multiple of N_s; an initial tensor of another shape.
template <class T> gemt_reference<T> compute_reference(const gemt_problem<T>& problem);

/// The largest sum of moduli in a column of a row-major matrix of that many rows; columns that are not finite do not
/// count.
template <class T> long double column_abs_sum(const std::vector<T>& matrix, std::size_t rows);

/// The largest modulus among the finite elements, 0 without any.
template <class T> long double largest_modulus(const std::vector<T>& values);

} // namespace tensorloom::workloads
