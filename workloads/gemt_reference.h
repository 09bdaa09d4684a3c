#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <vector>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// One 3D-GEMT: Y[k1,k2,k3] = Y0[k1,k2,k3] + sum over n1,n2,n3 of X[n1,n2,n3] C1[n1,k1] C2[n2,k2] C3[n3,k3].
/// Source: TriADA, sections 2 and 3. The tensors and matrices belong to the caller.
template <class T> struct gemt_problem {
    const tensor<T>* x = nullptr;                                   ///< N1 x N2 x N3
    std::array<const std::vector<T>*, 3> matrices{};                ///< C1, C2, C3; C_s is N_s x K_s, row-major
    std::array<unsigned, 3> order{3, 1, 2};                         ///< the modes in the order in which they are summed
    const tensor<arithmetic::accumulator_of<T>>* initial = nullptr; ///< Y0, K1 x K2 x K3; none: zero
    std::array<unsigned, 3> shifts{}; ///< int8: right shift of the sums of the 1st, 2nd, 3rd stage, 0 to 31; else 0
    bool rounds_result = false; ///< the result is rounded to T, like an operand; else it is the sums (int8: shifted)
    double threshold = 0;       ///< the modulus up to which the device takes stored operands for zero
    std::function<void(double)>
        progress; ///< told often which fraction of the reference's multiply-adds is done, 0 to 1
};

template <class T> struct wide_type {
    using type = long double;
};
template <class R> struct wide_type<std::complex<R>> {
    using type = std::complex<long double>;
};

/// The result of a problem, computed in long double, of int8 in integers.
///
/// Low precision (bfloat16, int8): a sum is rounded as in the device when it becomes an operand; operands up to the
/// threshold are zero. The other formats are not rounded, and nothing is left out.
template <class T> struct gemt_reference {
    tensor<typename wide_type<T>::type> values; ///< K1 x K2 x K3

    /// Per element, 1 where a computation in T can be held against the value: value and every partial sum of every
    /// stage are finite in T, in whatever order they are added up. Empty when that is so everywhere. (Partial sums are
    /// bounded by the sum of moduli, which must not exceed half the largest number of T, of bfloat16 a quarter.)
    std::vector<std::uint8_t> comparable;

    /// How far a right result can be from each value, whatever the rounding errors are: a running bound, through all
    /// three stages. Empty for int8, which is exact. Not comparable: infinite if finite data overflows there, else 0.
    ///
    /// double, float, complex: a stage sums operands r, each known within d (0 in the first), by N coefficients c. With
    /// u half the machine epsilon of T, eta its smallest subnormal, n = N roundings per sum, of complex formats 2 N of
    /// each part and w = sqrt(2), else 1,
    ///     P = |Y0| + sum (|r| + d) |c|,   d' = sum d |c| + 1.01 w n u / (1 - n u) P + n eta
    /// where the 0.01 is that our own sums are rounded, too. An operand of at most the threshold may have been taken
    /// for zero: where |r| <= threshold + d, d is at least |r|. The bound is d' of the last stage.
    ///
    /// bfloat16: besides, the device sums in float and so rounds to the other neighbour what lies close to a tie; that
    /// cannot be compared where it is not finite.
    /// A stage sums operands r, each known within d (0 in the first), by N coefficients c; u = 2^-24. In exact terms
    ///     R = Y0 + sum r c,   P = |Y0| + sum (|r| + d) |c|,   E = sum d |c| + 1.001 N u / (1 - N u) P + N 2^-149
    /// The device's float sum lies in R - E to R + E. Its operand for the next stage then lies between both ends
    /// rounded, because rounding is monotone: d = max(round(R + E) - round(R), round(R) - round(R - E)), which is 0
    /// unless a tie lies between the ends, and then mostly one unit in the last place. Where |r| - d <= threshold < |r|
    /// + d, d is at least |r|. The uncertainty is E of the last stage, of a rounded result its d. (Proof: beside the
    /// code.)
    std::vector<double> uncertainty;

    /// double, float, complex: how far a result is from each value when its rounding errors are independent of each
    /// other with mean 0, but for once in a million results (all elements together); empty with a threshold, else.
    /// Errors then add up like random steps, and with v = 0 in the first stage
    ///     v' = sum |c|^2 v + n (u P + eta)^2,   w lambda sqrt(v') of the last stage, lambda = sqrt(2 ln(4e6 x
    ///     elements))
    /// is a bound by Azuma's and Hoeffding's inequality (of few roundings no less than the uncertainty, which it is
    /// then). Data with a pattern (all numbers equal, say) can break the premise, so it proves no result wrong. Source:
    /// N. Higham and T. Mary, SIAM J. Sci. Comput. 41 (2019); terms of second order are in a factor of 1.01.
    std::vector<double> probable;

    /// Low precision: the same three sums in float64, nothing rounded, shifted or left out in between (an initial
    /// tensor of int8 counts times 2^(s1+s2)): what `scale` times the result approximates. Else empty, because values
    /// are that.
    std::vector<double> unrounded;
    double scale = 1; ///< int8: 2^(s1+s2+s3)

    std::uint64_t saturated = 0; ///< int8: sums that were limited to -128 to 127 when they were rounded
    /// int8: whole sums beyond 32 bits; the device overflows there for certain. (Elsewhere it may on the way, which
    /// depends on the order of the rows.)
    std::uint64_t overflowed = 0;
};

/// The three sums, stage by stage in the problem's order, every multiply and add in long double (int8: integers).
///
/// Takes sum over the stages of (elements of the stage's input) x K_s multiply-adds; with data so large that T might
/// overflow, or not finite, twice that; and up to three times as many in float64 for how far results may be off. Low
/// precision takes as many again in float64 for what is not rounded, bfloat16 twice more for its uncertainty. T:
/// double, float, complex of both, bfloat16, int8. Throws base::input_error as result_shape(); bfloat16 also for more
/// than 2^23 rows.
template <class T> gemt_reference<T> compute_reference(const gemt_problem<T>& problem);
template <> gemt_reference<arithmetic::bfloat16> compute_reference(const gemt_problem<arithmetic::bfloat16>& problem);
template <> gemt_reference<std::int8_t> compute_reference(const gemt_problem<std::int8_t>& problem);

/// K1, K2, K3. Throws base::input_error: x not of three modes; an order that is no permutation of 1, 2, 3; a matrix
/// that is missing or whose size is no multiple of N_s; an initial tensor of another shape; a shift beyond 31, or not 0
/// in a format other than int8; a threshold below 0 or NaN.
template <class T> shape3 result_shape(const gemt_problem<T>& problem);

/// The largest sum of moduli in a column of a row-major matrix of that many rows; columns that are not finite do not
/// count.
template <class T> long double column_abs_sum(const std::vector<T>& matrix, std::size_t rows);

/// The largest modulus among the finite elements, 0 without any.
template <class T> long double largest_modulus(const std::vector<T>& values);

} // namespace tensorloom::workloads
