#pragma once
#include <cstdint>
#include <optional>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/workloads/tensor_unit/result.h>

namespace tensorloom::testbench {

/// What a comparison with the reference found.
struct tensor_unit_check {
    bool passed = false;
    double max_abs_error = 0;
    double max_rel_error = 0;                 ///< by the largest modulus of the reference
    double bound = 0;                         ///< on max_rel_error; 0: equal
    std::optional<std::uint64_t> first_wrong; ///< index; the shorter length when lengths differ
};

/// Compares a result with the reference's. Whole numbers must be equal. Others may be off by 1e-9 of the largest
/// modulus of the reference: sums in other orders, over at most millions of terms.
tensor_unit_check check_values(const workloads::tensor_unit_values& found,
                               const workloads::tensor_unit_values& reference);

} // namespace tensorloom::testbench
