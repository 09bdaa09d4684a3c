#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <tensorloom/models/arch/program/tensor_descriptor.h>

namespace tensorloom::arch {

/// What tensor_text() makes, for complaints.
inline constexpr const char* tensor_text_form =
    "ADDRESS:TYPE:SIZExSIZE...[:STRIDExSTRIDE...], sizes decimal and from 1 on, or none";

/// A tensor descriptor as text: `0x80000000:f64:4x8` for a dense one in C order, `0x80000000:f64:4x8:1x4` with other
/// strides, `none` for no tensor. Nothing when text cannot say it: an unknown type, an order that is not 1 to 8, a size
/// of 0, bytes past the order or reserved ones that are not 0.
std::optional<std::string> tensor_text(const tensor_descriptor& descriptor);

/// The descriptor that a text stands for; nothing when it is not of that form. The address may be decimal or, from 0x
/// on, hexadecimal; sizes and strides are decimal, so that 0x4 is a size of 0 beside one of 4 and refused. Only strides
/// may be negative.
std::optional<tensor_descriptor> parse_tensor(std::string_view text);

} // namespace tensorloom::arch
