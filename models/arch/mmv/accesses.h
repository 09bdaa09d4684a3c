#pragma once
#include <tensorloom/models/arch/mmv/address_range.h>
#include <tensorloom/models/arch/mmv/limits.h>

namespace tensorloom::arch::mmv {

// The bytes of the scratchpad that an instruction reads and writes, with its addresses as they stand (at() of an
// iteration): for hazards between units, and for weights that stay in the array. Of a command that check() lets pass.
// No byte that is touched is missing; ranges of strided operands, and tables of indexed ones, also cover bytes in
// between that are not touched.

address_ranges reads(const matmul_command& command, const mmv_limits& device);
address_ranges writes(const matmul_command& command, const mmv_limits& device);
address_ranges reads(opcode code, const vector_command& command, const vector_limits& device);
address_ranges writes(opcode code, const vector_command& command, const vector_limits& device);
address_ranges reads(opcode code, const strided_command& command, const vector_limits& device);
address_ranges writes(opcode code, const strided_command& command, const vector_limits& device);

} // namespace tensorloom::arch::mmv
