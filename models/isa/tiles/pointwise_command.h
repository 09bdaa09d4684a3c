#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/isa/tiles/tile_plan.h>

namespace tensorloom::isa {

/// What POINTWISE does to each element x of a tensor, where it lies. b is the operand's element at the same place, s
/// the command's value as an element; x is the stored sum rounded to an element.
enum class pointwise_operation : std::uint8_t {
    multiply = 1,  ///< x b
    add = 2,       ///< x + b s
    scale = 3,     ///< x s
    threshold = 4, ///< 0 where the modulus of x is at most s, else x
    relu = 5       ///< 0 where x <= 0, else x
};
inline constexpr base::named_value pointwise_operation_values[] = {
    {1, "multiply", "by the operand's element"},
    {2, "add", "the operand's element times the value"},
    {3, "scale", "by the value"},
    {4, "threshold", "0 where the modulus is at most the value"},
    {5, "relu", "0 where the element is negative"},
};

/// Payload of a POINTWISE command.
namespace pointwise_fields {

inline constexpr std::uint32_t descriptor_bytes = tensor_descriptor::encoded_bytes;
inline constexpr base::layout_field operation("operation", 0, 1, 1, "1 multiply, 2 add, 3 scale, 4 threshold, 5 relu");
inline constexpr base::layout_field shift("shift", 1, 1, 1, "right shift of the result's sums, 0 to 31; 0 unless int8");
inline constexpr base::layout_field reserved("reserved", 2, 1, 6, "0", base::field_kind::reserved);
inline constexpr base::layout_field value("value", 8, 8, 2,
                                          "IEEE doubles, real and imaginary part: factor of add and scale, threshold",
                                          base::field_kind::real);
inline constexpr base::layout_field
    completion_address("completion_address", 24, 8, 1,
                       "address to which the token (4 bytes) is written at the end, with flag COMPLETION",
                       base::field_kind::address);
inline constexpr base::layout_field x("x", 32, descriptor_bytes, 1,
                                      "the tensor, order 3; with flag KEEP_TENSOR contiguous with base 0",
                                      base::field_kind::tensor);
inline constexpr base::layout_field y("y", x.end(), descriptor_bytes, 1,
                                      "the result, elements or sums; with flag HOLD_RESULT contiguous with base 0",
                                      base::field_kind::tensor);
inline constexpr base::layout_field operand("operand", y.end(), descriptor_bytes, 1,
                                            "of multiply and add, sizes of x; with flag KEEP_OPERAND contiguous with "
                                            "base 0",
                                            base::field_kind::tensor);
inline constexpr base::layout_field all[] = {operation, shift, reserved, value, completion_address, x, y, operand};

} // namespace pointwise_fields

inline constexpr base::byte_layout pointwise_layout{"pointwise", pointwise_fields::all};
static_assert(pointwise_layout.is_whole() && pointwise_layout.bytes() % 16 == 0,
              "a byte of the POINTWISE payload has no field, or two");

/// The command of TriADA and torus that changes every element of a tensor where it lies. The payload is listed above;
/// the header's flags are the members below. X and the operand have the device's format; Y has it or that of its sums.
struct pointwise_command {
    static constexpr std::uint16_t flag_esop = 1u << 0;
    static constexpr std::uint16_t flag_keep_tensor = 1u << 1;
    static constexpr std::uint16_t flag_hold_result = 1u << 2;
    static constexpr std::uint16_t flag_keep_operand = 1u << 3;
    static constexpr std::uint16_t flag_hold_operand = 1u << 4;
    static constexpr std::uint16_t flag_completion = 1u << 5;
    static constexpr std::uint16_t known_flags = 0x3f;
    static constexpr std::size_t payload_bytes = pointwise_layout.bytes();

    std::uint16_t flags = 0;
    pointwise_operation operation = pointwise_operation::relu;
    std::uint8_t shift = 0;
    std::array<std::uint8_t, 6> reserved{}; ///< must be 0
    std::array<double, 2> value{};          ///< real and imaginary part; 0 where the operation has none
    std::uint64_t completion_address = 0;
    tensor_descriptor x, y, operand; ///< order 3

    bool esop() const { return (flags & flag_esop) != 0; }
    bool keep_tensor() const { return (flags & flag_keep_tensor) != 0; }
    bool hold_result() const { return (flags & flag_hold_result) != 0; }
    bool keep_operand() const { return (flags & flag_keep_operand) != 0; }
    bool hold_operand() const { return (flags & flag_hold_operand) != 0; }
    bool completion() const { return (flags & flag_completion) != 0; }

    bool has_operand() const
    {
        return operation == pointwise_operation::multiply || operation == pointwise_operation::add;
    }
    bool has_value() const
    {
        return operation == pointwise_operation::add || operation == pointwise_operation::scale ||
               operation == pointwise_operation::threshold;
    }
    /// Whether it multiplies; the others compare.
    bool multiplies() const { return has_operand() || operation == pointwise_operation::scale; }

    std::vector<std::uint8_t> encode() const;
    static pointwise_command decode(std::uint16_t flags, const std::uint8_t* payload);
};

/// The flags of a POINTWISE command's header.
inline constexpr base::named_value pointwise_flag_values[] = {
    {pointwise_command::flag_esop, "esop", "no multiply-add with a zero"},
    {pointwise_command::flag_keep_tensor, "keep_tensor", "X is the tensor held in the device"},
    {pointwise_command::flag_hold_result, "hold_result", "the result stays in the device"},
    {pointwise_command::flag_keep_operand, "keep_operand",
     "the operand is the one held in the device; afterwards it is held only with HOLD_OPERAND"},
    {pointwise_command::flag_hold_operand, "hold_operand", "the operand stays in the device"},
    {pointwise_command::flag_completion, "completion", "write the token to the completion address"},
};

/// The first reason why a device of this format, which holds tensors of these sizes, cannot run a command.
///
///     bad_command          unknown flags
///     bad_field            operation, shift, value, reserved bytes, an operand that is missing or not used, sizes that
///                          differ, a tensor larger than the device, relu of complex numbers
///     bad_descriptor, unsupported_format
std::optional<check_error> check(const pointwise_command& command, const mode_sizes& largest,
                                 base::element_type format);

} // namespace tensorloom::isa
