#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/arch/error_code.h>
#include <tensorloom/models/arch/tensor_descriptor.h>

namespace tensorloom::arch {

/// TriADA's macro-command: Y (+)= X x1 C1 x2 C2 x3 C3.
///
/// Payload, little-endian, after the command header: order (3 bytes), stage mask (1), shifts (3), 0 (1), zero threshold (8, IEEE
/// double), completion address (8), row order addresses of modes 1 to 3 (8 each), then the descriptors X, Y, initial Y, C1, C2, C3,
/// workspace (112 each). The header's flags are the members below.
///
/// Not supported yet: rectangular matrices, a stage mask other than 7, shifts, double buffering, a workspace; each is refused.
struct gemt_command {
    static constexpr std::uint16_t flag_esop = 1u << 0;
    static constexpr std::uint16_t flag_accumulate = 1u << 1;
    static constexpr std::uint16_t flag_keep_matrices = 1u << 2;
    static constexpr std::uint16_t flag_double_buffer = 1u << 3;
    static constexpr std::uint16_t flag_completion = 1u << 4;
    static constexpr std::uint16_t known_flags = 0x1f;
    static constexpr std::size_t payload_bytes = 48 + 7 * tensor_descriptor::encoded_bytes;

    std::uint16_t flags = 0;
    std::array<std::uint8_t, 3> order{3, 1, 2}; ///< the modes in the order in which they are summed
    std::uint8_t stage_mask = 7;
    std::array<std::uint8_t, 3> shifts{};
    double zero_threshold = 0;            ///< >= 0; a stored operand of at most this modulus counts as zero (ESOP)
    std::uint64_t completion_address = 0; ///< gets the token (32 bits) after Y is written, with flag_completion
    std::array<std::uint64_t, 3>
        row_order_address{};                 ///< N_s 32-bit row indices: step t streams row pi(t); 0 means 0, 1, 2, ...
                                             ///< Kept with the matrices, and then not given.
    tensor_descriptor x, y, initial_y;       ///< order 3; initial_y with flag_accumulate
    std::array<tensor_descriptor, 3> matrix; ///< order 2, C[n,k]; absent with flag_keep_matrices
    tensor_descriptor workspace;

    bool esop() const { return (flags & flag_esop) != 0; }
    bool accumulate() const { return (flags & flag_accumulate) != 0; }
    bool keep_matrices() const { return (flags & flag_keep_matrices) != 0; }
    bool completion() const { return (flags & flag_completion) != 0; }

    std::vector<std::uint8_t> encode() const;
    static gemt_command decode(std::uint16_t flags, const std::uint8_t* payload);
};

/// The first reason why a device with this mesh and format cannot run a command; nothing when it can.
std::optional<refusal> check(const gemt_command& command, const std::array<std::uint32_t, 3>& mesh,
                             element_type format);

} // namespace tensorloom::arch
