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

/// Assembles a text into a program as it must be in memory. One command per line:
///
///     .device NAME                                                     ; optional, before all commands
///     MNEMONIC [FLAG]... [FIELD=VALUE[,VALUE]...]... [token=NUMBER]    ; comment
///
/// Mnemonics, flags and fields are those of the device and of its shell (device_description.h). Omitted fields are 0; a
/// field with several values needs all of them. Numbers are decimal or hexadecimal (0x), and may be negative; reals are
/// decimal or the bits of an IEEE double (0x); tensors are written as by tensor_text().
///
/// Values are not checked for their meaning: the device does that. The program gets the version of this library. Throws
/// input_error: "ORIGIN:LINE: found ..., expected ...", also when the text names another device.
std::vector<std::uint8_t> assemble(const std::string& text, const std::string& origin,
                                   const device_description& device);

/// A program with symbolic addresses, to be bound by bind_symbol() before it runs.
struct relocatable_program {
    std::vector<std::uint8_t> bytes;
    relocation_table relocations;
};

/// Likewise for a text with symbols: SYMBOL, SYMBOL+NUMBER or SYMBOL-NUMBER in place of the address of a tensor or of
/// any other 64-bit address.
relocatable_program assemble_relocatable(const std::string& text, const std::string& origin,
                                         const device_description& device);

/// The device named in a text; nullptr when there is none. Throws as assemble() does.
const device_description* named_device(const std::string& text, const std::string& origin);

/// The text of a program: its device, then one command per line, indented between LOOP and END; fields that are 0 are
/// omitted. It assembles to the same commands. Throws input_error when it is not a program for this device: "ORIGIN:
/// ..." with the index of the command, from 0.
std::string disassemble(const std::vector<std::uint8_t>& program, const std::string& origin,
                        const device_description& device);

/// The form of tensor_text(), for messages.
inline constexpr const char* tensor_text_form =
    "ADDRESS:TYPE:SIZExSIZE...[:STRIDExSTRIDE...], sizes decimal, at least 1, or none";

/// A tensor descriptor as text: `0x80000000:f64:4x8` for a dense tensor in C order, `0x80000000:f64:4x8:1x4` with other
/// strides, `none` for no tensor. Nothing for a descriptor that has no such text: an unknown type, an order other than
/// 1 to 8, a size of 0, bytes other than 0 after the last mode or in reserved fields.
std::optional<std::string> tensor_text(const tensor_descriptor& descriptor);

/// The descriptor of a text; nothing when it does not have that form. The address is decimal or hexadecimal (0x); sizes
/// and strides are decimal, so `0x4` is a size of 0 followed by 4 and is refused. Only strides may be negative.
std::optional<tensor_descriptor> parse_tensor(std::string_view text);

} // namespace tensorloom::isa
