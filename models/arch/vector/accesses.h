#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/arch/vector/limits.h>
#include <tensorloom/models/arch/vector/address_range.h>
#include <tensorloom/models/arch/vector/signature.h>

namespace tensorloom::arch::vector {

// The bytes of the scratchpad that an instruction reads and writes, with its addresses as they stand (at() of an
// iteration): for hazards between units, and for weights that stay in the array. Of a command that check() lets pass.
// No byte that is touched is missing; ranges of strided operands, and tables of indexed ones, also cover bytes in
// between that are not touched.

address_ranges reads(opcode code, const vector_command& command, const limits& device);
address_ranges writes(opcode code, const vector_command& command, const limits& device);
address_ranges reads(opcode repl, const strided_command& command, const limits& device);
address_ranges writes(opcode repl, const strided_command& command, const limits& device);
/// Of any instruction with such a payload.
address_ranges reads(const strided_signature& has, const strided_sizes& sizes, const strided_command& command,
                     const limits& device);
address_ranges writes(const strided_signature& has, const strided_sizes& sizes, const strided_command& command,
                      const limits& device);

// The bytes of single operands, with their addresses as they stand. Right when from the first element of an operand to
// its last it is less than 2^40 bytes; where an operand begins below address 0, so does its range, modulo 2^64.

/// Words 0 to length - shift - 1.
address_range ordered_range(const vector_operand& operand, std::uint64_t length, std::uint64_t word_bytes);

/// The mode with the largest stride gives the rows, the others what one of them spans. Empty when a size is 0.
address_range strided_range(const strided_operand& operand, const std::array<std::uint32_t, 3>& size,
                            std::uint64_t word_bytes);

} // namespace tensorloom::arch::vector
