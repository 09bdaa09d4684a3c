#pragma once
#include <cstdint>

namespace tensorloom::arch::fetta {

/// Commands of a FETTA besides those of its shell. Instructions of its vector unit have the opcodes of
/// arch/mmv/opcode.h: the unit is the same block.
enum class opcode : std::uint8_t {
    contract = 0x20, ///< payload and flags: contract_command.h
};

/// Units that work at the same time where operands allow it, as the shell numbers them.
enum class unit : std::uint8_t { tensor_contraction, vector };
inline constexpr unsigned unit_count = 2;

} // namespace tensorloom::arch::fetta
