#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::testbench {

/// The work of all devices: Y[i,j,k] = sum of X[a,b,c] A[a,i] B[b,j] C[c,k], as three products, with sums first over c,
/// then over b, then over a. Operands are bfloat16 values, whatever the format of a device.
struct mode_products {
    workloads::shape3 shape{};     ///< of a, b, c
    workloads::shape3 out_shape{}; ///< of i, j, k
    workloads::tensor<arithmetic::bfloat16> x;
    std::array<std::vector<arithmetic::bfloat16>, 3> matrices; ///< A, B, C, row by row

    static constexpr const char* einsum = "abc,ai,bj,ck->ijk";
    static constexpr std::array<unsigned, 3> order{3, 2, 1}; ///< of the modes, from 1

    /// Multiply-adds of each product, in the order above.
    std::array<std::uint64_t, 3> macs_of_products() const;
    std::uint64_t macs() const;
};

/// The same numbers in a device's format.
template <class T> std::vector<T> values_as(const std::vector<arithmetic::bfloat16>& from)
{
    std::vector<T> values(from.size());
    std::transform(from.begin(), from.end(), values.begin(),
                   [](arithmetic::bfloat16 x) { return static_cast<T>(static_cast<float>(x)); });
    return values;
}

/// How far a device rounds at most.
struct rounding {
    double of_sum = 0;    ///< of a multiply-add, relative
    double of_result = 0; ///< of a product's result, if it is stored in fewer bits than its sums; else 0

    friend bool operator==(const rounding& a, const rounding& b)
    {
        return a.of_sum == b.of_sum && a.of_result == b.of_result;
    }
};

/// Y in float64 without intermediate rounding, and the error bound of each element for a device with these roundings.
///
/// A product y = sum of x m whose operands may be off by e gives, with sums of K terms,
///
///     e' = sum of e |m| + g sum of (|x| + e) |m|,   g = (K + 32) of_sum + K 2^-53,
///     and of_result (|y| + e') more:
///
/// each sum rounds once per term, with a margin of 32 for the device's grouping; 2^-53 is the rounding of the
/// reference. Terms and results below the normal numbers of f32 and bfloat16 may be off by their smallest number each.
struct products_reference {
    rounding of;
    std::vector<double> y;
    std::vector<double> bound;
};
products_reference reference_of(const mode_products& work, const rounding& of);

/// Errors of a result against the reference.
struct products_check {
    bool passed = false; ///< every element is within its bound, or not finite as the reference
    double max_abs_error = 0;
    double max_rel_error = 0; ///< max_abs_error / largest modulus of the reference
    double worst_of_bound = 0;
    double bound = 0; ///< of the element with the largest ratio of error to bound
};
products_check check_products(const products_reference& reference, const std::vector<double>& y);

} // namespace tensorloom::testbench
