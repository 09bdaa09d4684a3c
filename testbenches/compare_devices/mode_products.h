#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::testbench {

/// The work that all devices get: Y[i,j,k] = sum of X[a,b,c] A[a,i] B[b,j] C[c,k], as three products, the sums over c
/// first, then those over b, then those over a. What is given are numbers of bfloat16, whatever a device computes in.
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

/// Y in float64 without any rounding in between, and what it is made of in moduli: the sums of |X| |A| |B| |C|.
struct products_reference {
    std::vector<double> y;
    std::vector<double> magnitude;
};
products_reference reference_of(const mode_products& work);

/// How far a device rounds at most.
struct rounding {
    double of_sum = 0;    ///< of a multiply-add, relative
    double of_result = 0; ///< of a product's result, where it is stored in fewer bits than its sums; else 0
};

/// How far a result lies from the reference.
struct products_check {
    bool passed = false; ///< every element is finite and within its bound
    double max_abs_error = 0;
    double max_rel_error = 0; ///< that by the largest modulus of the reference
    double worst_of_bound = 0;
    double bound = 0; ///< of the element where most of it is used
};

/// An element passes within magnitude x ((1 + u_1) (1 + u_2) (1 + u_3) - 1), u_s = (K_s + 32) of_sum + of_result of a
/// product with sums of K_s terms: each may round as often as it has terms, with 32 to spare for how a device groups
/// them and for the reference itself.
products_check check_products(const mode_products& work, const products_reference& reference,
                              const std::vector<double>& y, const rounding& of);

} // namespace tensorloom::testbench
