#pragma once
#include <cstdint>
#include <tensorloom/models/arch/mmv/instruction_set.h>
#include <tensorloom/models/arch/vector/signature.h>
#include <tensorloom/models/arch/vector/strided_command.h>

namespace tensorloom::arch::mmv {

// What the instructions of the scalar unit do with the payload that they share with REPL
// (arch/vector/strided_command.h).

/// The operands and fields that an instruction has; the others are 0.
vector::strided_signature signature_of(opcode code);

/// The sizes of its operands.
vector::strided_sizes sizes_of(opcode code, const vector::strided_command& command);

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
std::uint64_t scalar_operations(opcode code, const vector::strided_command& command);

} // namespace tensorloom::arch::mmv
