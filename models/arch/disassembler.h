#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/arch/device_description.h>

namespace tensorloom::arch {

/// The text of a program (assembler.h): one command per line, what LOOP and END enclose is indented, fields that are 0
/// are left out. It assembles to the same commands. Throws input_error when it is no program for this device: "ORIGIN:
/// ..." names the command, from 0.
std::string disassemble(const std::vector<std::uint8_t>& program, const std::string& origin,
                        const device_description& device);

} // namespace tensorloom::arch
