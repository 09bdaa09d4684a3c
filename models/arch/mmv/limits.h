#pragma once
#include <cstdint>
#include <optional>
#include <tensorloom/models/arch/element_type.h>
#include <tensorloom/models/arch/error_code.h>
#include <tensorloom/models/arch/mmv/matmul_command.h>
#include <tensorloom/models/arch/mmv/opcode.h>
#include <tensorloom/models/arch/mmv/vector_limits.h>

namespace tensorloom::arch::mmv {

/// What decides whether an MMU/VCU pair can run an instruction, and what programs for it look like.
struct mmv_limits {
    std::uint32_t side = 16; ///< s (MMV-RAM), q = sqrt(m) (TCU): rows and columns of the array
    element_type format = element_type::int64;
    std::uint64_t scratchpad_bytes = 1u << 20;   ///< at most 4 GiB
    std::uint8_t blocks = mmv_functional_blocks; ///< by functional_block: those that the vector unit has

    /// Those of its vector and scalar unit: words are the sums of the array.
    operator vector_limits() const { return {word(), scratchpad_bytes, blocks}; }

    element_type word() const { return accumulator_type(format); }
    std::uint32_t word_bytes() const { return vector_limits(*this).word_bytes(); }
    std::uint64_t scratchpad_words() const { return vector_limits(*this).scratchpad_words(); }
    bool has(functional_block b) const { return vector_limits(*this).has(b); }
};

/// The same as of the other instructions (vector_limits.h), for a MATMUL: the array's side and format decide, too.
std::optional<refusal> check(const matmul_command& command, std::uint16_t flags, const mmv_limits& device);

} // namespace tensorloom::arch::mmv
