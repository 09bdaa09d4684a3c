#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/arch/mmv/address_range.h>
#include <tensorloom/models/arch/mmv/limits.h>

namespace tensorloom::arch::mmv {

// The bytes of single operands, with their addresses as they stand. Right when from the first element of an operand to
// its last it is less than 2^40 bytes; where an operand begins below address 0, so does its range, modulo 2^64.

address_ranges result_ranges(const matmul_command& command, const mmv_limits& device);
address_ranges left_ranges(const matmul_command& command, const mmv_limits& device);
/// The bytes of R: what is written there makes the array load it again.
address_range weight_range(const matmul_command& command, const mmv_limits& device);

/// Words 0 to length - shift - 1.
address_range ordered_range(const vector_operand& operand, std::uint64_t length, std::uint64_t word_bytes);

/// The mode with the largest stride gives the rows, the others what one of them spans. Empty when a size is 0.
address_range strided_range(const strided_operand& operand, const std::array<std::uint32_t, 3>& size,
                            std::uint64_t word_bytes);

} // namespace tensorloom::arch::mmv
