#pragma once
#include <cstdint>
#include <optional>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>

namespace tensorloom::isa::vector {

/// Maximum cpu_ops of an instruction with strides, on any device.
inline constexpr std::uint64_t max_cpu_ops = std::uint64_t{1} << 40;

/// The limits of a unit that works on words of a scratchpad; they decide whether it can run an instruction.
struct limits {
    base::element_type word = base::element_type::int64; ///< f32, f64, c128, int32, int64
    std::uint64_t scratchpad_bytes = 1u << 20;           ///< at most 4 GiB
    std::uint8_t blocks = all_functional_blocks;         ///< the blocks of the vector unit, by functional_block

    std::uint32_t word_bytes() const { return static_cast<std::uint32_t>(base::element_bytes(word)); }
    std::uint64_t scratchpad_words() const { return scratchpad_bytes / word_bytes(); }
    constexpr bool has(functional_block b) const { return (blocks & block_bit(b)) != 0; }
    /// Whether this device has the instruction, for some operands.
    constexpr bool offers(opcode code) const
    {
        const auto block = needed_block(code);
        return (!block || has(*block)) && exists_in_format(code, word);
    }
};

/// The first reason why the vector unit cannot run an instruction with its present addresses; nothing when it can.
/// Takes constant time.
///
/// For operands that advance (a step is not 0) the location is not checked: this is the check when a program is loaded.
/// The device checks again in each iteration, with the addresses of at(), before the command runs.
///
///     bad_command          unknown flags
///     bad_field            sizes, flags that do not apply to the instruction, unused fields other than 0, misaligned
///                          addresses, overlaps; more than max_cpu_ops
///     too_large            an operand exceeds the scratchpad; more words of an operand or of the result than the
///                          scratchpad has, even if a shift or a stride of 0 keeps them inside
///     unsupported_format   the instruction does not exist for these words
///     unsupported_opcode   it needs a functional block that the device does not have
///
/// Indices in tables are data and are not checked.
std::optional<isa::check_error> check(opcode code, const vector_command& command, const limits& device);
std::optional<isa::check_error> check(opcode repl, const strided_command& command, std::uint16_t flags,
                                      const limits& device);

} // namespace tensorloom::isa::vector
