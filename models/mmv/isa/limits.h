#pragma once
#include <cstdint>
#include <optional>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/mmv/isa/instruction_set.h>
#include <tensorloom/models/mmv/isa/matmul_command.h>
#include <tensorloom/models/mmv/isa/product_command.h>
#include <tensorloom/models/isa/vector/accesses.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/limits.h>

namespace tensorloom::mmv {

/// Largest number of operations of an instruction of the scalar unit except CHARGE: the host computes it in one step.
inline constexpr std::uint64_t max_scalar_operations = std::uint64_t{1} << 32;

/// Limits of an MMU/VCU pair for the check and the planning of programs.
struct limits {
    std::uint32_t side = 16; ///< s (MMV-RAM), q = sqrt(m) (TCU): rows and columns of the array
    base::element_type format = base::element_type::int64;
    std::uint64_t scratchpad_bytes = 1u << 20; ///< at most 4 GiB
    std::uint8_t blocks = functional_blocks;   ///< of the vector unit, a bit per isa::vector::functional_block

    /// Limits of its vector and scalar unit: words have the format of the array's sums.
    operator isa::vector::limits() const { return {word(), scratchpad_bytes, blocks}; }

    base::element_type word() const { return base::accumulator_type(format); }
    std::uint32_t word_bytes() const { return isa::vector::limits(*this).word_bytes(); }
    std::uint64_t scratchpad_words() const { return isa::vector::limits(*this).scratchpad_words(); }
    bool has(isa::vector::functional_block b) const { return isa::vector::limits(*this).has(b); }
};

/// Check of a MATMUL, as of vector instructions (vector/limits.h); it also depends on the array's side and format.
std::optional<isa::check_error> check(const matmul_command& command, std::uint16_t flags, const limits& device);

/// Check of a PRODUCT, likewise; too_large: an operand or the result with more elements than the scratchpad.
std::optional<isa::check_error> check(const product_command& command, std::uint16_t flags, const limits& device);

/// Check of an instruction of the scalar unit; too_large: more than isa::vector::strided_command::max_elements or
/// max_scalar_operations. Elements are processed in order, each read before the next is written, so any overlap is
/// defined.
std::optional<isa::check_error> check(opcode code, const isa::vector::strided_command& command, std::uint16_t flags,
                                      const isa::vector::limits& device);

// Bytes of the scratchpad used by instructions, as for the vector unit's (vector/accesses.h).

isa::vector::address_ranges reads(opcode code, const isa::vector::strided_command& command,
                                  const isa::vector::limits& device);
isa::vector::address_ranges writes(opcode code, const isa::vector::strided_command& command,
                                   const isa::vector::limits& device);

isa::vector::address_ranges reads(const matmul_command& command, const limits& device);
isa::vector::address_ranges writes(const matmul_command& command, const limits& device);
isa::vector::address_ranges result_ranges(const matmul_command& command, const limits& device);
isa::vector::address_ranges left_ranges(const matmul_command& command, const limits& device);
isa::vector::address_ranges reads(const product_command& command, std::uint16_t flags, const limits& device);
isa::vector::address_ranges writes(const product_command& command, const limits& device);
/// The bytes of R: a write to them makes the array load it again.
isa::vector::address_range weight_range(const matmul_command& command, const limits& device);

} // namespace tensorloom::mmv
