#pragma once
#include <cstdint>
#include <tensorloom/workloads/step_planner/step_operations.h>

namespace tensorloom::workloads {

/// Splits chains of operations of the vector unit on the same rows into `groups` of rows, one group after the other, so
/// that tensors inside of a chain take a fraction of their bytes and transfers overlap with the operations on other
/// groups. Tensors that only such operations use become a tensor for each group. Each element is computed as before.
/// Chains have only operations on at least `least_bytes`, and those between them; those in loops of layers stay whole.
/// `block`: elements of bf16 of which parts are multiples.
operation_list in_row_groups(const operation_list& step, std::uint64_t groups, std::uint64_t least_bytes,
                             std::uint64_t block);

} // namespace tensorloom::workloads
