#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <tensorloom/models/torus/isa/matrix_classes.h>
#include <tensorloom/models/torus/isa/orbit_command.h>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::torus {

/// Payload of MULTIPLY, little-endian; descriptors: tensor_descriptor.h.
namespace multiply_fields {

inline constexpr std::uint32_t descriptor_bytes = isa::tensor_descriptor::encoded_bytes;
inline constexpr base::layout_field cls("class", 0, 1, 1, "0 BBC, 1 BCR k-i (Fox), 2 BCR k-j, 3 CRA (Cannon), 4 ASC");
inline constexpr base::layout_field form("form", 1, 1, 1,
                                         "0 C += A B, 1 A += C B^T, 2 B += A^T C; only CRA has forms other than 0");
inline constexpr base::layout_field
    vector("vector", 2, 1, 1, "scheduling vector of CRA: bits 0, 1, 2 are set where the signs of i, j, k are -1");
inline constexpr base::layout_field reserved("reserved", 3, 1, 1, "0", base::field_kind::reserved);
inline constexpr base::layout_field blocks("blocks", 4, 4, 3, "elements of a block along i, j, k; 1 with ASC");
inline constexpr base::layout_field
    completion_address("completion_address", 16, 8, 1,
                       "address to which the token (4 bytes) is written after the result, with flag COMPLETION",
                       base::field_kind::address);
inline constexpr base::layout_field reserved_1("reserved_1", 24, 8, 1, "0", base::field_kind::reserved);
inline constexpr base::layout_field
    operand("operand", 32, descriptor_bytes, 3,
            "A, B, C, order 2: I x K, K x J, I x J elements; the accumulating matrix may hold sums",
            base::field_kind::tensor);
inline constexpr base::layout_field all[] = {cls,        form,   vector, reserved, blocks, completion_address,
                                             reserved_1, operand};

} // namespace multiply_fields

inline constexpr base::byte_layout multiply_layout{"multiply", multiply_fields::all};
static_assert(multiply_layout.is_whole(), "a byte of the MULTIPLY payload has no field, or two");

/// A matrix product on the plane R = 0 of an orbital torus: C += A B, A += C B^T or B += A^T C, by one of the classes
/// of matrix_classes.h. Transposes are not conjugated. The payload is listed above; the flags are the members below.
///
/// P blocks along i, j, k fill the plane; smaller matrices are padded with +0, larger ones are tiled. Tensors and
/// matrices held on the torus before are lost.
struct multiply_command {
    static constexpr std::uint16_t flag_accumulate = 1u << 0;
    static constexpr std::uint16_t flag_completion = 1u << 1;
    static constexpr std::uint16_t known_flags = 0x3;
    static constexpr std::size_t payload_bytes = multiply_layout.bytes();

    std::uint16_t flags = 0;
    matrix_class cls = matrix_class::cra;
    matrix_form form = matrix_form::c_ab;
    std::uint8_t vector_bits = 0;                 ///< signs of i, j, k; see vector()
    std::array<std::uint32_t, 3> blocks{1, 1, 1}; ///< along i, j, k
    std::uint64_t completion_address = 0;
    std::array<isa::tensor_descriptor, matrices> operand; ///< order 2: A, B, C
    std::uint8_t reserved = 0;                            ///< as reserved_1: must be 0
    std::uint64_t reserved_1 = 0;

    bool accumulate() const { return (flags & flag_accumulate) != 0; }
    bool completion() const { return (flags & flag_completion) != 0; }
    scheduling_vector vector() const;
    void set_vector(const scheduling_vector& signs);
    matrix_blocks block_sizes() const { return {blocks[0], blocks[1], blocks[2]}; }
    matrix_schedule schedule(std::uint32_t side) const { return {cls, form, vector(), side}; }
    const isa::tensor_descriptor& of(matrix which) const { return operand[static_cast<unsigned>(which)]; }
    isa::tensor_descriptor& of(matrix which) { return operand[static_cast<unsigned>(which)]; }

    std::vector<std::uint8_t> encode() const;
    static multiply_command decode(std::uint16_t flags, const std::uint8_t* payload);
};

/// The flags of a MULTIPLY command's header.
inline constexpr base::named_value multiply_flag_values[] = {
    {multiply_command::flag_accumulate, "accumulate", "add to what the matrix that accumulates holds"},
    {multiply_command::flag_completion, "completion", "write the token to the completion address"},
};

/// Formats of class ASC: those of systolic arrays.
constexpr bool has_systolic_array(base::element_type format)
{
    return format == base::element_type::bf16 ||
           base::element_types(base::systolic_formats).contains(static_cast<std::uint8_t>(format));
}

/// Limits of a device for the check of a command.
struct multiply_limits {
    std::uint32_t side = 1; ///< P
    matrix_blocks block;    ///< the largest
    base::element_type format = base::element_type::f64;
};

/// The first reason why such a device cannot run a command; nothing when it can.
std::optional<isa::check_error> check(const multiply_command& command, const multiply_limits& device);

/// The passes of a command, of at most P blocks along i, j, k, with the summed index ascending into the same
/// accumulators (ASC sums each tile from +0 and then adds it). They form a stage that sums mode 3 of the left factor,
/// of rows x 1 x terms.
isa::tiled_stage stage_of(const multiply_command& command, std::uint32_t side);
/// The part of A, B or C used in a pass.
isa::tensor_descriptor part_of(const multiply_command& command, matrix which, const isa::tile_pass& pass);

} // namespace tensorloom::torus
