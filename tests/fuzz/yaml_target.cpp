// Text as each of the three files in YAML: a configuration, a technology, a DRAM; and as the summary of a run, which
// stands where a configuration does.
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/costs/dram/dram_config.h>
#include "fuzz/fuzz_target.h"
#include "platform/options/config_file.h"

using namespace tensorloom;
using namespace tensorloom::test;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes)
{
    const std::string text(data, data + bytes);
    done_or_refused([&] {
        const auto technology = costs::technology::from_text(text, "FILE");
        for (const auto& [key, number] : technology.numbers()) {
            expect(number.value >= 0 && !number.unit.empty(), "a number without a unit, or below 0");
        }
    });
    done_or_refused([&] { expect(!validate(costs::read_dram(text, "FILE")), "a DRAM was read that is not in order"); });
    done_or_refused([&] {
        for (const auto& entry : testbench::read_config(as_file(data, bytes))) {
            expect(entry.sequence || entry.values.size() == 1, "an option without its value");
            for (const auto& value : entry.values) { expect(!value.empty(), "an empty value"); }
        }
    });
    done_or_refused([&] {
        const auto run = testbench::read_recorded_run(as_file(data, bytes));
        if (!run) { return; }
        for (const auto& entry : run->options) {
            expect(entry.sequence || entry.values.size() == 1, "an option without its value");
        }
        for (const auto& input : run->inputs) { expect(!input.sha256.empty(), "an input without its hash"); }
    });
    return 0;
}
