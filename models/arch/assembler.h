#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/arch/device_description.h>

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

} // namespace tensorloom::arch
