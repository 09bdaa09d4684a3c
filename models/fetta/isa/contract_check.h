#pragma once
#include <cstdint>
#include <optional>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/isa/vector/limits.h>

namespace tensorloom::fetta {

/// What the vector unit of such a device can do: words of float32 in the order of their window (row_address()),
/// address 0 its first byte; a multiplier, functions, reductions, multiply-adds and conversions, but none of the blocks
/// of MMV-RAM (REVSPEC, COMPACT, REVERT).
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

/// Bytes of the unified memory: first to before end, by the window of 16-bit elements (row_address()).
struct memory_range {
    std::uint64_t first;
    std::uint64_t end;
};

/// From the first byte that an operand or the result of the command takes to the last; whole blocks of N banks x 2
/// rows. The command passes check().
memory_range ia_range(const contract_command& command, const device_limits& g);
memory_range ib_range(const contract_command& command, const device_limits& g);
memory_range result_range(const contract_command& command, const device_limits& g); ///< empty with keep

/// The first reason why such a device cannot run a CONTRACT with the bases that it has; nothing when it can. Takes time
/// in the number of loops and modes alone.
///
/// An operand that advances (a step is not 0) is checked for everything but where it lies: that is the check when a
/// program is loaded. The device checks again, the command at() each iteration, before it runs.
///
///     bad_command     unknown flags
///     bad_field       mapping, extents, masks, banks out of range; fields that are not used and not 0; modes whose
///                     sizes do not make the extents; accumulate or keep together with more sums than the accumulators
///                     have rows from accumulator_row on; a result that overlaps an operand or itself
///     too_large       an operand or the result leaves the unified memory, or has more elements than that (also where a
///                     stride of 0 uses them again); more than 2^32 cycles
///
/// A result overlaps an operand when from the first row to the last they have one in common, in whatever banks (two
/// linear tensors of one type: an element). It overlaps itself when, from the smallest stride to the largest, a stride
/// is no larger than what the ones before it span together: exact when each is a multiple of the one before;
/// interleaved ones are refused too.
std::optional<isa::check_error> check(const contract_command& command, const device_limits& g);

} // namespace tensorloom::fetta
