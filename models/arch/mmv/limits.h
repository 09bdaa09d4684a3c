#pragma once
#include <cstdint>
#include <optional>
#include <tensorloom/models/arch/element_type.h>
#include <tensorloom/models/arch/error_code.h>
#include <tensorloom/models/arch/mmv/matmul_command.h>
#include <tensorloom/models/arch/mmv/opcode.h>
#include <tensorloom/models/arch/mmv/strided_command.h>
#include <tensorloom/models/arch/mmv/vector_command.h>

namespace tensorloom::arch::mmv {

/// What an instruction may take at most, whatever the device: the host computes it in one go.
inline constexpr std::uint64_t max_scalar_operations = std::uint64_t{1} << 32; ///< of the scalar unit, CHARGE aside
inline constexpr std::uint64_t max_cpu_ops = std::uint64_t{1} << 40;           ///< of a command, CHARGE too

/// What decides whether a device can run an instruction, and what programs for it look like.
struct mmv_limits {
    std::uint32_t side = 16; ///< s (MMV-RAM), q = sqrt(m) (TCU): rows and columns of the array
    element_type format = element_type::int64;
    std::uint64_t scratchpad_bytes = 1u << 20;   ///< at most 4 GiB
    std::uint8_t blocks = all_functional_blocks; ///< by functional_block: those that the vector unit has

    element_type word() const { return accumulator_type(format); }
    std::uint32_t word_bytes() const { return static_cast<std::uint32_t>(element_bytes(word())); }
    std::uint64_t scratchpad_words() const { return scratchpad_bytes / word_bytes(); }
    bool has(functional_block b) const { return (blocks & block_bit(b)) != 0; }
};

/// The block of the vector unit that an instruction needs, if any.
std::optional<functional_block> needed_block(opcode code);

/// Instructions over flags, indices and comparisons exist in all real formats; some in integers alone, or in one format.
bool exists_in_format(opcode code, element_type format);

/// The first reason why such a device cannot run an instruction with the addresses that it has; nothing when it can. Takes constant time.
///
/// An operand that advances (a step is not 0) is checked for everything but where it lies: that is the check when a program is loaded. The
/// device checks again, the command at() each iteration, before it runs.
///
///     bad_command          unknown flags
///     bad_field            sizes, flags that do not go with the instruction, unused fields that are not 0, misaligned addresses, overlaps;
///                          more than max_cpu_ops
///     too_large            an operand leaves the scratchpad; vector unit: more words of an operand or of the result than the scratchpad has,
///                          also where a shift or a stride of 0 keeps them inside; scalar unit: more than max_elements or
///                          max_scalar_operations
///     unsupported_format   the instruction does not exist in this format
///     unsupported_opcode   it needs a functional block that the device does not have
///
/// Indices in tables are data and are not looked at.
std::optional<refusal> check(const matmul_command& command, std::uint16_t flags, const mmv_limits& device);
std::optional<refusal> check(opcode code, const vector_command& command, const mmv_limits& device);
std::optional<refusal> check(opcode code, const strided_command& command, std::uint16_t flags,
                             const mmv_limits& device);

} // namespace tensorloom::arch::mmv
