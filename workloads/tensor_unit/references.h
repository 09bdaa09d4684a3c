#pragma once
#include <vector>
#include <tensorloom/workloads/tensor_unit/algorithms.h>

namespace tensorloom::workloads {

// What the algorithms must give, by plain loops on the host: never by the way that the programs take. Whole operands
// give whole results.

using tensor_unit_inputs = std::vector<tensor_unit_input>;

tensor_unit_values product_reference(const tensor_unit_problem&, const tensor_unit_inputs&);
tensor_unit_values elimination_reference(const tensor_unit_problem&,
                                         const tensor_unit_inputs&); ///< row by row, unblocked
tensor_unit_values closure_reference(const tensor_unit_problem&,
                                     const tensor_unit_inputs&); ///< a search from every vertex
tensor_unit_values distances_reference(const tensor_unit_problem&, const tensor_unit_inputs&); ///< breadth first
tensor_unit_values fourier_reference(const tensor_unit_problem&,
                                     const tensor_unit_inputs&); ///< by the smallest prime factors
tensor_unit_values inverse_fourier_reference(const tensor_unit_problem&, const tensor_unit_inputs&);
tensor_unit_values stencil_reference(const tensor_unit_problem&, const tensor_unit_inputs&); ///< sweep by sweep
tensor_unit_values long_product_reference(const tensor_unit_problem&,
                                          const tensor_unit_inputs&); ///< schoolbook, a carry per step
tensor_unit_values polynomial_reference(const tensor_unit_problem&,
                                        const tensor_unit_inputs&); ///< powers of every point

} // namespace tensorloom::workloads
