#pragma once
#include <cstdint>
#include <tensorloom/models/arch/mmv/opcode.h>
#include <tensorloom/models/arch/mmv/strided_command.h>
#include <tensorloom/models/arch/mmv/vector_command.h>

namespace tensorloom::arch::mmv {

// What an instruction adds to the meters of the MMV-RAM model, to the counts of lanes and to those of the scalar unit:
// functions of the command alone, modulo 2^64. Of commands that check() lets pass; scalar_operations() of any.

/// Event vector_element, for the vector instructions: the longest operand or result, tables of indexed ones included;
/// of gather_last and scatter_last the words that they move, ceil(n/s). An operand that is all 0 has no length, a
/// broadcast one 1.
std::uint64_t vector_elements(opcode code, const vector_command& command);
/// The same for repl: elements of the result.
std::uint64_t vector_elements(const strided_command& repl);

/// Words that the lanes handle (events lane_*, revspec_op, compact_op, revert_op) and that take time:
/// vector_elements(), but scatter_last handles all n where z is not a, since it copies a.
std::uint64_t vector_words(opcode code, const vector_command& command);

/// Event vector_circuit: gates of the instruction's circuit with words of `word_bits` bits B, the leading term with
/// constant 1.
///
///     add, sub, mul, mul_add, sum_block,
///     sigmoid, tanh, exp, div, sqrt       n B^2
///     and, or, not, or_block, bit         n
///     mask, is_zero, fill_first, flags,
///     max, min, relu, relu_gradient,
///     max_block, pack_bf16, unpack_bf16   n B
///     gather_last, scatter_last           ceil(n/s) B
///     revspec                             n s B + n B^2
///     compact                             n^2 B
///     revert                              n^2 B + n B^2
///     gather_idx, gather_prev             n x table x B
///     expand                              n s x 2 bits, of its operands
///     repl                                n B, n elements of the result
///
/// Source: MMV-RAM (arXiv 2506.23906), table A.2. mul is not AC0 there; it gets the size of an adder's row per bit, and
/// so do the instructions on real numbers, which are ours, as bit is.
std::uint64_t circuit_size(opcode code, const vector_command& command, std::uint64_t word_bits);
std::uint64_t circuit_size(const strided_command& repl, std::uint64_t word_bits);

/// Event scalar_op, and the time of the scalar unit, for its instructions:
///
///     charge                              cpu_ops
///     set, move, s_add, s_sub, s_mul,
///     s_add_clamped, s_positive, s_less   1 per element
///     s_mac, s_mul_mod, s_mac_mod         2 per element
///     s_carry                             3 per word
///     eliminate_*                         3 per inner update (multiply, divide, subtract), and 2 per element of b
///     close_*                             2 per inner update
///
/// Of sizes that nobody can run, 2^64 - 1 where there are more.
std::uint64_t scalar_operations(opcode code, const strided_command& command);

} // namespace tensorloom::arch::mmv
