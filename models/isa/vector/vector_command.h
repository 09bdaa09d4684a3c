#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/strided_command.h>

namespace tensorloom::isa::vector {

/// A vector of words in the scratchpad.
struct vector_operand {
    std::uint32_t address = 0; ///< in bytes
    std::uint32_t shift = 0;   ///< element i reads word i - shift, and 0 where i < shift: "x >> d" in the papers, which
                               ///< is address arithmetic
    std::array<std::int32_t, isa::stepped_loops> step{}; ///< bytes per iteration of the innermost loop, and of the next
};

/// The payload of the vector instructions.
namespace vector_fields {

inline constexpr base::layout_field result("result", 0, 4, 1, "address of z, in bytes", base::field_kind::address);
inline constexpr base::layout_field reserved_0("reserved_0", 4, 4, 1, "0", base::field_kind::reserved);
inline constexpr base::layout_field result_step("result_step", 8, 4, isa::stepped_loops,
                                                "signed bytes per iteration of the innermost loop, and of the next",
                                                base::field_kind::signed_number);
inline constexpr base::layout_field a("a", 16, 4, 1, "address of a, in bytes", base::field_kind::address);
inline constexpr base::layout_field a_shift("a_shift", 20, 4, 1, "a[i] is the word i - a_shift, 0 where i < a_shift");
inline constexpr base::layout_field a_step("a_step", 24, 4, isa::stepped_loops, "as result_step",
                                           base::field_kind::signed_number);
inline constexpr base::layout_field b("b", 32, 4, 1, "address of b, in bytes", base::field_kind::address);
inline constexpr base::layout_field b_shift("b_shift", 36, 4, 1, "as a_shift");
inline constexpr base::layout_field b_step("b_step", 40, 4, isa::stepped_loops, "as result_step",
                                           base::field_kind::signed_number);
inline constexpr base::layout_field c("c", 48, 4, 1, "address of c, in bytes", base::field_kind::address);
inline constexpr base::layout_field c_shift("c_shift", 52, 4, 1, "0");
inline constexpr base::layout_field c_step("c_step", 56, 4, isa::stepped_loops, "as result_step",
                                           base::field_kind::signed_number);
inline constexpr base::layout_field length("length", 64, 4, 1,
                                           "n, at least 1; no operand or result has more words than the scratchpad");
inline constexpr base::layout_field
    table("table", 68, 4, 1,
          "elements of the table that indices point into, or of compact's result; "
          "scatter_add: rows of z; pack_bf16, unpack_bf16: t, rows side by side; else 0");
inline constexpr base::layout_field
    block("block", 72, 4, 1,
          "block length s, at least 1, where an instruction has blocks; even where it packs; else 0");
inline constexpr base::layout_field bits(
    "bits", 76, 4, 1,
    "expand: bits of an operand, 1 to s and to the bits of a word; bit: which bit of the word, from 0; pack_int8: the "
    "right shift, 0 to 31; random_mask: number of the stream; else 0");
inline constexpr base::layout_field all[] = {result, reserved_0, result_step, a,      a_shift, a_step, b,     b_shift,
                                             b_step, c,          c_shift,     c_step, length,  table,  block, bits};

} // namespace vector_fields

inline constexpr base::byte_layout vector_layout{"mmv_vector", vector_fields::all};
static_assert(vector_layout.is_whole() && vector_layout.bytes() == 80,
              "a byte of the payload of vector instructions has no field, or two");

/// One instruction of the vector unit. The opcode table defines a, b and c; unused operands are all 0.
///
/// Shifts and flags apply to operands that are read in order (signature.h). Operands are read before anything is
/// written. z may be an operand itself (same address, no shift, same length), except in scatter_add; any other overlap
/// is refused.
struct vector_command {
    static constexpr std::uint16_t flag_zero_a = 1u << 0;      ///< a is all 0 and has no address
    static constexpr std::uint16_t flag_broadcast_b = 1u << 1; ///< b is one word for all i
    static constexpr std::uint16_t known_flags = 0x3;
    static constexpr std::size_t payload_bytes = vector_layout.bytes();

    std::uint16_t flags = 0; ///< of the header
    vector_operand result, a, b, c;
    std::uint32_t length = 0;
    std::uint32_t table = 0;
    std::uint32_t block = 0;
    std::uint32_t bits = 0;

    bool zero_a() const { return (flags & flag_zero_a) != 0; }
    bool broadcast_b() const { return (flags & flag_broadcast_b) != 0; }

    /// The command in this iteration: addresses advanced, steps 0.
    vector_command at(const isa::loop_indices& iteration) const;

    std::vector<std::uint8_t> encode() const;
    static vector_command decode(std::uint16_t flags, const std::uint8_t* payload);
};

inline constexpr base::named_value vector_flag_values[] = {
    {vector_command::flag_zero_a, "zero_a", "a is all 0"},
    {vector_command::flag_broadcast_b, "broadcast_b", "b is one word for all elements"},
};

/// A vector instruction as a device lists it among its commands.
constexpr isa::command_description describe(const instruction& i)
{
    const base::named_value code{static_cast<std::uint32_t>(i.code), i.name, i.meaning};
    if (i.payload == payload_kind::vector) { return {code, vector_flag_values, &vector_layout}; }
    return {code, {}, &strided_layout};
}

} // namespace tensorloom::isa::vector
