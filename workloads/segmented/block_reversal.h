#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/segmented/problem.h>

namespace tensorloom::workloads {

/// The permutation of MMV-RAM, lemma 3.4: a vector of groups of blocks of elements; the order of the blocks is reversed
/// within each group, elements stay in their order. An even number of blocks per group.
struct block_reversal {
    std::uint64_t groups = 0;
    std::uint64_t blocks = 0; ///< k, per group
    std::uint64_t block = 0;  ///< elements

    std::uint64_t elements() const { return groups * blocks * block; }
};

/// One instruction REPL.
segmented_result<std::int64_t> reverse_on_vector_unit(mmv_session& session, const block_reversal& shape,
                                                      const std::vector<std::int64_t>& x);

/// By calls of the matrix unit alone, with blocks of half a row (s / 2): every call reads consecutive rows, multiplies
/// them from the right with the matrix that exchanges the halves of a row, and writes them back in place. A round
/// exchanges blocks 0 and 1, 2 and 3, .. of every group, in one call, the next blocks 1 and 2, 3 and 4, .., in a call
/// per group, because rows across groups must not be exchanged. k rounds reverse a group, as they sort one.
segmented_result<std::int64_t> reverse_on_matrix_unit(mmv_session& session, const block_reversal& shape,
                                                      const std::vector<std::int64_t>& x);
/// Calls that it takes: k / 2, and groups k / 2 for k > 2.
std::uint64_t calls_of_reversal(const block_reversal& shape);

/// The calls that the proof of lemma 3.4 finds necessary in a group that no multiplication from the left has touched: a
/// multiplication from the right moves no element by more than s - 1 places, and the first block must move by (k - 1)
/// blocks. ceil((k - 1) block / (s - 1)).
std::uint64_t least_calls_of_reversal(const block_reversal& shape, std::uint64_t side);

} // namespace tensorloom::workloads
