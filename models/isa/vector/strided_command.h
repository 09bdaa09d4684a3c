#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/isa/program/shell_commands.h>

namespace tensorloom::isa::vector {

/// Words in the scratchpad, in up to three modes.
struct strided_operand {
    std::uint32_t address = 0;            ///< of element (0, 0, 0), in bytes
    std::array<std::int32_t, 3> stride{}; ///< distance of neighbours along each mode, in words; 0 repeats
    std::array<std::int32_t, isa::stepped_loops> step{}; ///< bytes per iteration of the innermost loop, and of the next
};

/// The payload of REPL and of the instructions of the scalar unit.
namespace strided_fields {

inline constexpr base::layout_field result("result", 0, 4, 1, "address of z[0][0][0], in bytes",
                                           base::field_kind::address);
inline constexpr base::layout_field result_stride("result_stride", 4, 4, 3, "along i, j, k, in words, signed",
                                                  base::field_kind::signed_number);
inline constexpr base::layout_field result_step("result_step", 16, 4, isa::stepped_loops,
                                                "signed bytes per iteration of the innermost loop, and of the next",
                                                base::field_kind::signed_number);
inline constexpr base::layout_field a("a", 24, 4, 1, "address of a[0][0][0], in bytes", base::field_kind::address);
inline constexpr base::layout_field a_stride("a_stride", 28, 4, 3, "as result_stride", base::field_kind::signed_number);
inline constexpr base::layout_field a_step("a_step", 40, 4, isa::stepped_loops, "as result_step",
                                           base::field_kind::signed_number);
inline constexpr base::layout_field b("b", 48, 4, 1, "address of b[0][0][0], in bytes", base::field_kind::address);
inline constexpr base::layout_field b_stride("b_stride", 52, 4, 3, "as result_stride", base::field_kind::signed_number);
inline constexpr base::layout_field b_step("b_step", 64, 4, isa::stepped_loops, "as result_step",
                                           base::field_kind::signed_number);
inline constexpr base::layout_field
    size("size", 72, 4, 3,
         "elements along i, j, k, each at least 1 (charge: 0); in total at most 2^32, for repl the "
         "words of the scratchpad");
inline constexpr base::layout_field valid("valid", 84, 4, 3, "repl: elements of a along i, j, k, at most size; else 0");
inline constexpr base::layout_field
    cpu_ops("cpu_ops", 96, 8, 1,
            "processor operations of the tensor-unit model, at most 2^40; they take time in charge only");
inline constexpr base::layout_field
    immediate("immediate", 104, 8, 2,
              "the bits of one word of the device's format (complex: real part, imaginary "
              "part), or the modulus, or the bits of a digit",
              base::field_kind::bits);
inline constexpr base::layout_field reserved("reserved", 120, 8, 1, "0", base::field_kind::reserved);
inline constexpr base::layout_field all[] = {result,    result_stride, result_step, a,    a_stride, a_step,
                                             b,         b_stride,      b_step,      size, valid,    cpu_ops,
                                             immediate, reserved};

} // namespace strided_fields

inline constexpr base::byte_layout strided_layout{"mmv_strided", strided_fields::all};
static_assert(strided_layout.is_whole() && strided_layout.bytes() == 128,
              "a byte of the payload of strided instructions has no field, or two");

/// One instruction over strided words: REPL on the vector unit, or an instruction of the scalar unit. The opcode table
/// defines a and b; unused operands and fields are all 0. Instructions of the scalar unit process elements one by one
/// in C order and read each before they write it: z may overlap operands, whose reads then see earlier writes. REPL: z
/// may be a itself (same address, same strides); any other overlap is refused. If several elements of z share an
/// address, the last one remains. CHARGE has no operands, and sizes 0.
struct strided_command {
    static constexpr std::size_t payload_bytes = strided_layout.bytes();
    static constexpr std::uint64_t max_elements = std::uint64_t{1} << 32;

    strided_operand result, a, b;
    std::array<std::uint32_t, 3> size{};
    std::array<std::uint32_t, 3> valid{};
    std::uint64_t cpu_ops = 0;
    std::array<std::uint64_t, 2> immediate{};
    std::uint64_t reserved = 0;

    std::uint64_t elements() const { return std::uint64_t{size[0]} * size[1] * size[2]; }
    /// The command in this iteration: addresses advanced, steps 0.
    strided_command at(const isa::loop_indices& iteration) const;

    std::vector<std::uint8_t> encode() const;
    static strided_command decode(const std::uint8_t* payload);
};

} // namespace tensorloom::isa::vector
