#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/arch/program/device_description.h>

namespace tensorloom::arch {

/// The program that a text describes, as it must stand in memory. One command per line:
///
///     MNEMONIC [FLAG]... [FIELD=VALUE[,VALUE]...]... [token=NUMBER]    ; comment
///
/// Mnemonics, flags and fields are those of the device and of its shell (device_description.h); fields that are not
/// given are 0, a field of several values has all of them. Numbers are decimal, or hexadecimal from 0x on, and may be
/// negative; reals are decimal, or the bits of an IEEE double from 0x on; tensors as tensor_text() writes them.
///
/// What values mean is not checked: the device does that. The program has the version of this library.
/// Throws input_error: "ORIGIN:LINE: found ..., expected ...".
std::vector<std::uint8_t> assemble(const std::string& text, const std::string& origin,
                                   const device_description& device);

/// The text of a program (assembler.h): one command per line, what LOOP and END enclose is indented, fields that are 0
/// are left out. It assembles to the same commands. Throws input_error when it is no program for this device: "ORIGIN:
/// ..." names the command, from 0.
std::string disassemble(const std::vector<std::uint8_t>& program, const std::string& origin,
                        const device_description& device);

} // namespace tensorloom::arch
