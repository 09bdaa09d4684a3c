#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/mmv/session.h>
#include <tensorloom/workloads/tensor_unit/result.h>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {

// Products of matrices on the tensor unit: of dense ones by tiles and by recursion over halves, of sparse ones by
// compressed dense ones.

/// A (rows x inner) times B (inner x columns).
struct product_size {
    std::uint64_t rows = 0;
    std::uint64_t inner = 0;
    std::uint64_t columns = 0;
};

/// Theorem 2 and corollary 1: C_j = sum over i of A_i B_ij, where A_i are q columns of A, B_ij q x q of B. One call
/// with all rows of A per block of B; the processor adds. Sizes need not be multiples of q. Formats: int64, int32, int8
/// (sums int32), f64, c128.
tensor_unit_result tensor_product(mmv_runtime& runtime, call_shape shape, const tensor_unit_values& a,
                                  const tensor_unit_values& b, const product_size& size);

/// The same on the scalar unit alone: rows x inner x columns multiply-adds, 2 operations each.
tensor_unit_result scalar_product(mmv_runtime& runtime, const tensor_unit_values& a, const tensor_unit_values& b,
                                  const product_size& size);

// ---- of matrices in the scratchpad; `result` overlaps neither ----

/// A product of matrices in the scratchpad, as commands.
using product_recorder = void (*)(tensor_unit_program&, const scratchpad_matrix& left, const scratchpad_matrix& right,
                                  const scratchpad_matrix& result);

/// By calls. The operands have whole tiles, 0 beyond their sizes; so does the result, then.
void record_tensor_product(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                           const scratchpad_matrix& result);

/// By multiply-adds of the scalar unit.
void record_scalar_product(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                           const scratchpad_matrix& result);

// ---- Theorem 1: N x N products by recursion over blocks ----

/// A bilinear scheme: n0 x n0 blocks of an operand are multiplied by p0 products of sums of blocks.
struct product_scheme {
    /// A block (row by row) or a product (in its order), added or subtracted.
    struct term {
        std::size_t index;
        bool minus;
    };
    using terms = std::vector<term>;

    std::uint64_t parts = 0; ///< n0: blocks along a side
    struct factors {
        terms left, right; ///< sums of blocks of the operands
    };
    std::vector<factors> products; ///< p0 of them
    std::vector<terms> results;    ///< per block of the result, row by row: a sum of at least two products

    std::uint64_t sums() const; ///< of two blocks, in one step of the recursion
};

const product_scheme& strassen_scheme();  ///< (2, 7), 18 sums
const product_scheme& eightfold_scheme(); ///< (2, 8), 4 sums: the definition
const product_scheme& laderman_scheme();  ///< (3, 23), 98 sums. Source: J. Laderman, Bull. AMS 82 (1976)

/// Divides by n0 while blocks have more than `cutoff` rows (and more than q); below that theorem 2, which is one call
/// at q.
///
/// N = q n0^k, or N <= q (a call, padded). Formats: int64, int32, f64, c128. With fewer products the error in f64 is
/// larger than that of the plain product, and sums of integers need more bits: of Strassen's two per level. The paper's
/// proof stops at m <= n <= m n0; further down the sums on the processor cost more than the products that they save.
tensor_unit_result recursive_product(mmv_runtime& runtime, call_shape shape, const product_scheme& scheme,
                                     const tensor_unit_values& a, const tensor_unit_values& b, std::uint64_t size,
                                     std::uint64_t cutoff);

/// True when n0 divides the size down to whole tiles.
bool divides_to_tiles(std::uint64_t size, std::uint64_t side, std::uint64_t parts);
/// Throws arch::input_error when it does not.
void require_recursive_size(std::uint64_t size, std::uint64_t side, std::uint64_t parts);

// ---- of sparse matrices ----

/// Theorem 3: the product of two sparse N x N matrices whose product has about Z non-zeros. Exact, in rounds of
/// compressed products.
///
/// A round hashes rows of A and columns of B into K buckets (K = sketch_side()), with weights 1, row number and a
/// random one; four dense products on the tensor unit give per pair of buckets the sum V of its results, their sums by
/// row number I and column number J, and by random weights R. Results that are alone in their bucket show as V | I, V |
/// J and R = r1 r2 V; they are subtracted in the rounds after, until nothing is left. This replaces the compression
/// that the paper cites. Hashing, subtraction and recovery are done by the host library between programs: 6 operations
/// per non-zero of A and B, 8 per known result, 6 per bucket, each round.
///
/// A Z that is too small takes more rounds; so may another `seed` of the hashing, since rows and columns then meet in
/// other buckets. Formats: int64. Throws arch::input_error when 64 rounds do not find everything.
tensor_unit_result sparse_product(mmv_runtime& runtime, call_shape shape, const tensor_unit_values& a,
                                  const tensor_unit_values& b, std::uint64_t size, std::uint64_t nonzeros,
                                  std::uint64_t seed = 1);

/// The same on the scalar unit: a multiply-add per pair of non-zeros that meet, 2 operations each.
tensor_unit_result sparse_product_scalar(mmv_runtime& runtime, const tensor_unit_values& a, const tensor_unit_values& b,
                                         std::uint64_t size);

} // namespace tensorloom::workloads
