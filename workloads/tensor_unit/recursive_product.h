#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/tensor_unit/result.h>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {

// Theorem 1: N x N products of dense matrices by recursion over blocks.

/// A bilinear scheme: operands of n0 x n0 blocks are multiplied by p0 products of sums of blocks.
struct product_scheme {
    /// A block (numbered row by row) or a product (by its position), added or subtracted.
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

/// Divides by n0 while blocks have more than `cutoff` rows (and more than q), then uses theorem 2 (one call at q). N =
/// q n0^k, or N <= q (a call, padded). Formats: int64, int32, f64, f32, c128. With fewer products the error of real
/// numbers is larger than that of the plain product, and integer sums need more bits: Strassen's two per level. The
/// paper's proof stops at m <= n <= m n0; below that, the sums on the processor cost more than the saved products.
tensor_unit_result recursive_product(mmv_session& session, call_shape shape, const product_scheme& scheme,
                                     const tensor_unit_values& a, const tensor_unit_values& b, std::uint64_t size,
                                     std::uint64_t cutoff);

/// Records the same for matrices in the scratchpad that lie row by row, with leaves by record_tensor_product() and sums
/// of blocks on the scalar unit.
void record_recursive_product(tensor_unit_program& program, const product_scheme& scheme, std::uint64_t cutoff,
                              const scratchpad_matrix& left, const scratchpad_matrix& right,
                              const scratchpad_matrix& result);

/// True if n0 divides the size down to whole tiles.
bool divides_to_tiles(std::uint64_t size, std::uint64_t side, std::uint64_t parts);
/// Throws base::input_error otherwise.
void require_recursive_size(std::uint64_t size, std::uint64_t side, std::uint64_t parts);

} // namespace tensorloom::workloads
