#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/isa/program/relocation.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>

namespace tensorloom::isa {

/// The program that a text describes, as it must stand in memory. One command per line:
///
///     .device NAME                                                     ; before all commands, or not at all
///     MNEMONIC [FLAG]... [FIELD=VALUE[,VALUE]...]... [token=NUMBER]    ; comment
///
/// Mnemonics, flags and fields are those of the device and of its shell (device_description.h); fields that are not
/// given are 0, a field of several values has all of them. Numbers are decimal, or hexadecimal from 0x on, and may be
/// negative; reals are decimal, or the bits of an IEEE double from 0x on; tensors as tensor_text() writes them.
///
/// What values mean is not checked: the device does that. The program has the version of this library.
/// Throws input_error: "ORIGIN:LINE: found ..., expected ...", also when the text names another device.
std::vector<std::uint8_t> assemble(const std::string& text, const std::string& origin,
                                   const device_description& device);

/// A program some of whose addresses are to be bound (bind_symbol()) before it runs.
struct relocatable_program {
    std::vector<std::uint8_t> bytes;
    relocation_table relocations;
};

/// The same of a text that has symbols: SYMBOL, SYMBOL+NUMBER or SYMBOL-NUMBER in place of the address of a tensor or
/// of any other address of 64 bits.
relocatable_program assemble_relocatable(const std::string& text, const std::string& origin,
                                         const device_description& device);

/// The device that a text names; nullptr when it names none. Throws as assemble() does.
const device_description* named_device(const std::string& text, const std::string& origin);

/// The text of a program: its device, then one command per line, what LOOP and END enclose is indented, fields that are
/// 0 are left out. It assembles to the same commands. Throws input_error when it is no program for this device:
/// "ORIGIN: ..." names the command, from 0.
std::string disassemble(const std::vector<std::uint8_t>& program, const std::string& origin,
                        const device_description& device);

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

} // namespace tensorloom::isa
