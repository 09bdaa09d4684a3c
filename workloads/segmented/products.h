#pragma once
#include <tensorloom/workloads/segmented/mmv_ram.h>

namespace tensorloom::workloads {

// Products by sums of shifted copies: operands are 0 to 2^bits - 1. MMV-RAM lemma 4.4, corollary 4.5. Integers only.

/// Elements that sums of `terms` terms take: s^ceil(log_s terms) on the matrix unit, 2^ceil(log2 terms) on the vector
/// unit.
enum class sum_unit { matrix, vector };
std::uint64_t padded_terms(sum_unit unit, std::uint64_t terms, std::uint64_t side);

/// UNISUM: the sums of runs of `run` elements, a padded_terms(). On the matrix unit: prefix sums of blocks and their
/// last elements, log_s run times. On the vector unit: sums of 2, 4, .. neighbours; every run-th is one. Constants:
/// prefix (matrix).
mmv_array sums_of_runs(mmv_ram& ram, sum_unit unit, const mmv_array& x, std::uint64_t run);

/// EWMUL(a, b): z[i] = a[i] b[i].
mmv_array products_by_bits(mmv_ram& ram, sum_unit unit, const mmv_array& a, const mmv_array& b, unsigned bits);

/// EWMUL_SEG(a, b): the same by one segmented scan over all bits, as in the proof of corollary 4.5. Constants: prefix.
mmv_array products_by_segments(mmv_ram& ram, const mmv_array& a, const mmv_array& b, unsigned bits);

/// By the instruction MUL.
mmv_array products_by_mul(mmv_ram& ram, const mmv_array& a, const mmv_array& b);

} // namespace tensorloom::workloads
