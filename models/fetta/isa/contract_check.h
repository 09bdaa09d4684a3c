#pragma once
#include <cstdint>
#include <optional>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/isa/vector/limits.h>

namespace tensorloom::fetta {

/// Limits of the vector unit of such a device: words of float32 in the order of their window (row_address()), address 0
/// its first byte; a multiplier, functions, reductions, multiply-adds and conversions, but none of the blocks of
/// MMV-RAM (REVSPEC, COMPACT, REVERT).
constexpr isa::vector::limits vector_limits_of(const device_limits& g)
{
    using isa::vector::functional_block;
    std::uint8_t blocks = 0;
    for (const auto b : {functional_block::multiplier, functional_block::activation, functional_block::reduction,
                         functional_block::multiply_add, functional_block::conversion}) {
        blocks = static_cast<std::uint8_t>(blocks | isa::vector::block_bit(b));
    }
    return {base::element_type::f32, g.memory_bytes(), blocks};
}

/// A byte range of the unified memory, first to before end, in the window of 16-bit elements (row_address()).
struct memory_range {
    std::uint64_t first;
    std::uint64_t end;
};

/// The range from the first byte of an operand or of the result to its last, in whole blocks of N banks x 2 rows. The
/// command passes check().
memory_range ia_range(const contract_command& command, const device_limits& g);
memory_range ib_range(const contract_command& command, const device_limits& g);
memory_range result_range(const contract_command& command, const device_limits& g); ///< empty with keep

/// The first reason why such a device cannot run a CONTRACT with its bases; nothing when it can. The time depends only
/// on the number of loops and modes.
///
/// The address of an operand that advances (a step other than 0) is not checked when the program is loaded; the device
/// checks the command at() each iteration before it runs.
///
///     bad_command     unknown flags
///     bad_field       mapping, extents, masks, banks out of range; unused fields that are not 0; modes whose sizes do
///                     not give the extents; accumulate or keep with more sums than accumulator rows from
///                     accumulator_row on; a result that overlaps an operand or itself
///     too_large       an operand or the result exceeds the unified memory, or has more elements than it (also where a
///                     stride of 0 repeats elements); more than 2^32 cycles
///
/// A result overlaps an operand when the row ranges of the two, from first to last, intersect in any bank (for two
/// linear tensors of one type: when the element ranges intersect). It overlaps itself when, from the smallest stride to
/// the largest, a stride is no larger than the span of the smaller ones together. This is exact when each stride is a
/// multiple of the previous one; interleaved modes are also refused.
std::optional<isa::check_error> check(const contract_command& command, const device_limits& g);

} // namespace tensorloom::fetta
