#pragma once
#include <algorithm>
#include <cstdint>
#include <tensorloom/models/arch/program/tensor_descriptor.h>
#include <tensorloom/models/shell/command_unit.h>

namespace tensorloom::shell {

/// Most bytes of a tensor that are buffered at once between memory and the inside of the device.
inline constexpr std::uint64_t piece_bytes = 256 * 1024;

/// Calls move(address, first byte of the tensor, bytes) for pieces of the contiguous runs of a tensor, in C order,
/// until one is not ok().
template <class Move> command_outcome for_each_piece(const arch::tensor_descriptor& tensor, const Move& move)
{
    const arch::descriptor_runs runs(tensor);
    const std::uint64_t run_bytes =
        runs.run_elements() * arch::element_bytes(static_cast<arch::element_type>(tensor.type));
    for (std::uint64_t run = 0; run < runs.runs(); ++run) {
        for (std::uint64_t at = 0; at < run_bytes; at += piece_bytes) {
            const command_outcome outcome =
                move(runs.address(run) + at, run * run_bytes + at, std::min(piece_bytes, run_bytes - at));
            if (!outcome.ok()) { return outcome; }
        }
    }
    return {};
}

} // namespace tensorloom::shell
