#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <vector>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// One 3D-GEMT: Y[k1,k2,k3] = Y0[k1,k2,k3] + sum over n1,n2,n3 of X[n1,n2,n3] C1[n1,k1] C2[n2,k2] C3[n3,k3]. Source:
/// TriADA, sections 2 and 3. The caller owns tensors and matrices.
template <class T> struct gemt_problem {
    const tensor<T>* x = nullptr; ///< N1 x N2 x N3
    /// C1, C2, C3; C_s is N_s x K_s, row-major. nullptr: the mode is not summed, its stage does not run, K_s = N_s.
    std::array<const std::vector<T>*, 3> matrices{};
    std::array<unsigned, 3> order{3, 1, 2};                         ///< order of summation over the modes
    const tensor<arithmetic::accumulator_of<T>>* initial = nullptr; ///< Y0, K1 x K2 x K3; nullptr: zero
    /// int8: right shift of the sums of stage 1, 2, 3, 0 to 31; otherwise, and for a stage that does not run, 0.
    std::array<unsigned, 3> shifts{};
    bool rounds_result = false; ///< rounds the result to T, like an operand; else it is the sums (int8: shifted)
    double threshold = 0;       ///< stored operands with at most this modulus count as zero on the device
    /// How far the operands of the device may be from X, by element, finite: results of other computations; nullptr:
    /// they are X. int8: nullptr.
    const std::vector<double>* uncertainty = nullptr;
    bool skips_zeros = false; ///< the device skips a term with a zero factor: a zero times NaN or an infinity, too
    std::function<void(double)> progress; ///< receives the completed fraction of the multiply-adds, 0 to 1
};

template <class T> struct wide_type {
    using type = long double;
};
template <class R> struct wide_type<std::complex<R>> {
    using type = std::complex<long double>;
};

/// The result of a problem, computed in long double; int8 in integers. Low precision (bfloat16, int8): a sum is rounded
/// as in the device when it becomes an operand; operands up to the threshold are zero. The other formats are neither
/// rounded nor thresholded.
template <class T> struct gemt_reference {
    tensor<typename wide_type<T>::type> values; ///< K1 x K2 x K3

    /// Per element, 1 if a computation in T can be compared with the value: the value and every partial sum of every
    /// stage are finite in T in any summation order. Empty if all are. (The sum of moduli bounds partial sums; its
    /// limit is half the largest number of T, a quarter for bfloat16.)
    std::vector<std::uint8_t> comparable;

    /// Per element, 1 if the value is not finite because data is not: the result must be NaN or the same infinity.
    /// Such elements are not `comparable`. Empty if there are none.
    std::vector<std::uint8_t> not_finite;

    /// Largest error of a correct result per element, for any rounding errors: a running bound through all three
    /// stages. Empty for int8, which is exact. Not comparable elements: infinite if finite data overflows, else 0.
    ///
    /// double, float, complex: a stage sums operands r, each known within d (in the first stage the problem's
    /// uncertainty), times N coefficients c. With u half the machine epsilon of T, eta its smallest subnormal, n = N
    /// roundings per sum (complex: 2 N per part) and w = 1 (complex: sqrt(2)),
    ///     P = |Y0| + sum (|r| + d) |c|,   d' = sum d |c| + 1.01 w n u / (1 - n u) P + n eta
    /// where 0.01 covers the rounding of our own sums. The device may take an operand of at most the threshold for
    /// zero: where |r| <= threshold + d, d is at least |r|. The bound is d' of the last stage.
    ///
    /// bfloat16: the device sums in float, so a sum close to a tie may round to the other neighbour. A stage sums
    /// operands r, each known within d (as above), times N coefficients c; u = 2^-24. In exact terms
    ///     R = Y0 + sum r c,   P = |Y0| + sum (|r| + d) |c|,   E = sum d |c| + 1.001 N u / (1 - N u) P + N 2^-149
    /// The device's float sum lies in R - E to R + E. Rounding is monotone, so its operand for the next stage lies
    /// between the rounded ends: d = max(round(R + E) - round(R), round(R) - round(R - E)). This is 0 unless a tie lies
    /// between the ends, and then mostly one unit in the last place. Where |r| - d <= threshold < |r| + d, d is at
    /// least |r|. The uncertainty is E of the last stage, or its d if the result is rounded; elements where it is not
    /// finite are not comparable. (Proof: beside the code.)
    std::vector<double> uncertainty;

    /// double, float, complex: bound on the error of each element if rounding errors are independent and uniform
    /// between minus and plus half a unit in the last place, exceeded by one in a million results (all elements
    /// together); empty with a threshold and for other formats. Errors then add up like random steps. With v = 0 in the
    /// first stage
    ///     v' = sum |c|^2 v + n (u P + eta)^2 / 3,   w lambda sqrt(v') of the last stage,   lambda^2 = 2 ln(4e6 x
    ///     elements)
    /// is a bound by the inequality of Azuma and Hoeffding (a uniform number has the variance 1/3 of its square bound,
    /// and tails below those of a normal one); the uncertainty replaces it where it is smaller (few roundings). Data
    /// with a pattern (all numbers equal, say) can violate the premise, so an error above this bound does not prove a
    /// wrong result: `in_format` decides. Source: N. Higham and T. Mary, SIAM J. Sci. Comput. 41 (2019), for errors
    /// with mean 0; factor 1.01: second-order terms.
    std::vector<double> probable;

    /// With `probable`: the same sums with the roundings of T, one fused multiply-add after the other, rows ascending.
    /// Roundings of data with a pattern are the same there. Reads the problem, which must still exist.
    std::function<tensor<arithmetic::accumulator_of<T>>()> in_format;

    /// Per element, 1 where zero is right, too: a threshold decides about a value that is not known closely enough.
    /// Empty if there are none.
    std::vector<std::uint8_t> or_zero;

    /// Low precision: the same three sums in float64 without rounding, shifts and threshold (an initial tensor of int8
    /// counts times 2^(s1+s2)); `scale` times the result approximates them. Otherwise empty (see values).
    std::vector<double> unrounded;
    double scale = 1; ///< int8: 2^(s1+s2+s3)

    std::uint64_t saturated = 0; ///< int8: sums that were limited to -128 to 127 by rounding
    /// int8: complete sums beyond 32 bits, which overflow on the device. (Partial sums may overflow, too.)
    std::uint64_t overflowed = 0;
};

/// The sums, stage by stage in the problem's order, every multiply and add in long double (int8: integers).
///
/// Takes sum over the stages of (elements of the stage's input) x K_s multiply-adds; twice that if data is not finite
/// or T might overflow; and up to three times as many in float64 for the error bounds. Low precision takes as many
/// again in float64 for `unrounded`, bfloat16 twice more for its uncertainty. T: double, float, complex of both,
/// bfloat16, int8. Throws base::input_error as result_shape(); bfloat16 also for more than 2^23 rows.
template <class T> gemt_reference<T> compute_reference(const gemt_problem<T>& problem);
template <> gemt_reference<arithmetic::bfloat16> compute_reference(const gemt_problem<arithmetic::bfloat16>& problem);
template <> gemt_reference<std::int8_t> compute_reference(const gemt_problem<std::int8_t>& problem);

/// K1, K2, K3. Throws base::input_error: x without three modes; an order that is not a permutation of 1, 2, 3; a
/// matrix whose size is not a multiple of N_s, or none at all; an initial tensor of another shape; a shift beyond 31,
/// or not 0 in a format other than int8 or of a stage that does not run; a threshold below 0 or NaN.
template <class T> shape3 result_shape(const gemt_problem<T>& problem);

/// The largest sum of moduli in a column of a row-major matrix with `rows` rows; ignores columns that are not finite.
template <class T> long double column_abs_sum(const std::vector<T>& matrix, std::size_t rows);

/// The largest modulus of the finite elements, 0 if there are none.
template <class T> long double largest_modulus(const std::vector<T>& values);

} // namespace tensorloom::workloads
