// Programs on every fuzzed device, in both fidelities: a device never fails itself, both fidelities do the same, and
// results are those of a reference where the device has one (devices/*.cpp).
//
// All devices are elaborated once; the host of each waits for the next program.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <systemc>
#include <tensorloom/models/isa/program/program.h>
#include "fuzz/device_input.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/fuzzed_device.h"
#include "fuzz/program_twin.h"

using namespace tensorloom;
using namespace tensorloom::test;

// libFuzzer has the main(), SystemC calls this from its own.
int sc_main(int, char*[]) { return 0; }

namespace {

/// By names of device and variant.
using all_checks = std::map<std::pair<std::string, std::string>, std::unique_ptr<program_check>>;

all_checks make_checks()
{
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    all_checks checks;
    for (const auto* device : fuzzed_devices()) {
        for (const auto& variant : device->variants()) {
            checks[{device->name(), variant}] = device->make_check(variant);
        }
    }
    return checks;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
    static auto& checks = *new all_checks(make_checks()); // as long as the process: this tests no destructors
    const auto input = device_input::decode(data, bytes);
    if (!input || input->program.size() < isa::program_header::encoded_bytes) { return 0; }
    const auto check = checks.find({input->device, input->variant});
    if (check == checks.end()) { return 0; }
    // What a device reads: as many bytes as the header says, zeros after those that there are.
    auto program = input->program;
    const auto size = isa::program_header::decode(program.data()).bytes;
    program.resize(std::clamp<std::size_t>(size, isa::program_header::encoded_bytes, most_bytes));
    if (size <= most_bytes) { check->second->run(program); }
    return 0;
}
