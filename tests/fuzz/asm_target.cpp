// Programs as text and as bytes, of every device. What is taken must come back the same.
#include <tensorloom/models/isa/export/assembler.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/program/program.h>
#include "fuzz/fuzz_target.h"

using namespace tensorloom;
using namespace tensorloom::test;

namespace {

// Without the header, which has the version of this library whatever the bytes said.
std::vector<std::uint8_t> commands(const std::vector<std::uint8_t>& program)
{
    constexpr auto head = static_cast<std::ptrdiff_t>(isa::program_header::encoded_bytes);
    expect(program.size() >= static_cast<std::size_t>(head), "a program without a header");
    return {program.begin() + head, program.end()};
}

void expect_back(const std::vector<std::uint8_t>& program, const isa::device_description& device)
{
    const auto text = isa::disassemble(program, "PROGRAM", device);
    const auto again = isa::assemble(text, "TEXT", device);
    expect(commands(again) == commands(program), "a program that becomes another one through its text:\n" + text);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
    const chosen_input input(data, bytes);
    const auto& devices = isa::described_devices();
    const auto& device = *devices[input.choice / 2 % devices.size()];
    std::vector<std::uint8_t> program(input.data, input.data + input.bytes);
    if (input.choice % 2 == 0) {
        if (!done_or_refused([&] { program = isa::assemble(input.text(), "TEXT", device); })) { return 0; }
    } else if (!done_or_refused([&] { isa::disassemble(program, "PROGRAM", device); })) {
        return 0;
    }
    expect_back(program, device);
    return 0;
}
