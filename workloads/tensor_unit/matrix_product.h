#pragma once
#include <cstdint>
#include <functional>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/tensor_unit/result.h>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {

// Products of dense matrices on the tensor unit by tiles, also as a part of other algorithms.

/// A (rows x inner) times B (inner x columns).
struct product_size {
    std::uint64_t rows = 0;
    std::uint64_t inner = 0;
    std::uint64_t columns = 0;
};

/// Formats of the elements of products.
inline constexpr auto product_formats = {base::element_type::int64, base::element_type::int32, base::element_type::int8,
                                         base::element_type::f64,   base::element_type::f32,   base::element_type::bf16,
                                         base::element_type::f16,   base::element_type::c128};

/// Theorem 2 and corollary 1: C_j = sum over i of A_i B_ij, A_i: q columns of A, B_ij: q x q of B. One call with all
/// rows of A per block of B; the processor adds, on the lanes of the vector unit. Sizes: any. Formats: product_formats;
/// sums of int8 are int32, those of bf16 and f16 are f32.
tensor_unit_result tensor_product(mmv_session& session, call_shape shape, const tensor_unit_values& a,
                                  const tensor_unit_values& b, const product_size& size);

/// The same on the scalar unit only: rows x inner x columns multiply-adds, 2 operations each.
tensor_unit_result scalar_product(mmv_session& session, const tensor_unit_values& a, const tensor_unit_values& b,
                                  const product_size& size);

// ---- matrices in the scratchpad; `result` overlaps neither operand ----

/// Records a product of matrices in the scratchpad.
using product_recorder = std::function<void(tensor_unit_program&, const scratchpad_matrix& left,
                                            const scratchpad_matrix& right, const scratchpad_matrix& result)>;

/// By calls, sums on the scalar unit. The operands have whole tiles, padded with 0; so does the result.
void record_tensor_product(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                           const scratchpad_matrix& result);

/// By multiply-adds of the scalar unit.
void record_scalar_product(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                           const scratchpad_matrix& result);

// ---- matrices by panels of q columns: their parts are rows without gaps, as the vector unit adds them ----

/// Places of a matrix's elements in the scratchpad. The host writes it into memory in this order.
struct element_order {
    std::uint64_t elements = 0; ///< padding included, a multiple of q x q
    std::function<std::uint64_t(std::uint64_t row, std::uint64_t column)> place;
};
/// One panel after the other, each of q columns and all rows, in whole tiles.
element_order by_panels(std::uint64_t rows, std::uint64_t columns, std::uint64_t side);

/// The product of two matrices by `record`, whose matrices have these orders and q columns. Throws base::input_error
/// for other sizes.
tensor_unit_result product_in_order(const product_recorder& record, mmv_session& session, call_shape shape,
                                    const tensor_unit_values& a, const tensor_unit_values& b, const product_size& size,
                                    const element_order& left, const element_order& right, const element_order& result);

/// Theorem 2 by panels.
void record_panel_product(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                          const scratchpad_matrix& result, const product_size& size);

} // namespace tensorloom::workloads
