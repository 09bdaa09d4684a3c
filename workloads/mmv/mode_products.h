#pragma once
#include <array>
#include <vector>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// A tensor of three modes and a matrix for each: Y[i,j,k] = sum of X[a,b,c] A[a,i] B[b,j] C[c,k].
struct mode_product_operands {
    shape3 shape{};                              ///< of a, b, c
    shape3 out_shape{};                          ///< of i, j, k
    std::vector<double> x;                       ///< C order
    std::array<std::vector<double>, 3> matrices; ///< A, B, C, row by row
    /// int8: right shifts of the sums over c, over b and over a, 0 to 31, before they saturate to elements.
    std::array<unsigned, 3> shifts{};
};

/// Result and costs on a device.
struct mode_product_result {
    std::vector<double> y; ///< C order
    session_costs costs;
};

/// The three products on an MMU/VCU pair, one after the other, all in the scratchpad.
///
///     LOAD A, B, C, X
///     for c, b, a      Z = the tensor as a matrix with this mode as its columns, times the mode's matrix
///                      the tensor = Z transposed: the new mode comes first, the next one to be summed last;
///                      in bf16, f16 and int8 rounded to elements by PACK_*
///     STORE Y          now in C order
///
/// A product is computed by panels of s columns of Z: a MATMUL for every s rows of the matrix, with all rows of the
/// tensor streamed past its tile, and an ADD of the whole panel after each but the first. Rows of a panel are an odd
/// number of words apart, so that REPL, which reads it by columns, finds each word of a group in a different bank: the
/// number of banks is a power of two. An odd side needs no padding, an even one a word per row, which holds 0. Operands
/// are rounded to the device's format: f64, f32, or with the block conversion bf16, f16 and int8. Throws
/// base::input_error for another device, and as mmv_program_builder for a scratchpad that is too small.
mode_product_result three_mode_products(mmv_session& session, const mode_product_operands& operands);

/// Bytes of the scratchpad that the products need on a device.
std::uint64_t mode_product_scratchpad_bytes(const mode_product_operands& operands, const mmv::limits& device);

} // namespace tensorloom::workloads
