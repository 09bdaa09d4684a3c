// Programs as text and as bytes, of every device. An accepted program must come back the same.
#include <tensorloom/models/isa/export/assembler.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/program/program.h>
#include "fuzz/device_input.h"
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
    const auto input = device_input::decode(data, bytes);
    const auto* const found = input ? isa::find_described_device(input->device) : nullptr;
    if (found == nullptr) { return 0; }
    const auto& device = *found;
    auto program = input->program;
    if (input->variant == "text") {
        const std::string text(program.begin(), program.end());
        if (!done_or_refused([&] { program = isa::assemble(text, "TEXT", device); })) { return 0; }
    } else if (input->variant != "bytes" || !done_or_refused([&] { isa::disassemble(program, "PROGRAM", device); })) {
        return 0;
    }
    expect_back(program, device);
    return 0;
}
