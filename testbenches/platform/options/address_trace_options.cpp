#include "platform/options/address_trace_options.h"
#include <algorithm>
#include <filesystem>
#include <tensorloom/models/activity/address_trace.h>
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {
namespace {

using activity::trace_reader;

constexpr std::uint32_t sram_beat_bytes = 64; // of the 512 bits of its port

// Nothing when none is given.
std::optional<std::uint32_t> read_burst(const option_values& values)
{
    const char* name = "address-trace-burst";
    if (!values.has(name)) { return std::nullopt; }
    const auto bytes = values.get_unsigned(name, 8, 4096);
    if ((bytes & (bytes - 1)) != 0) { throw values.error(name, "a power of two from 8 to 4096"); }
    return static_cast<std::uint32_t>(bytes);
}

// DRAMSys takes a file by its ending, and the others must not look like one of its.
trace_reader reader_of(const option_values& values, const std::string& path, std::optional<trace_reader> given)
{
    const bool stl = std::filesystem::path(path).extension() == ".stl";
    if (!given && !stl) {
        throw values.error("address-trace", "a name that ends in .stl, or --address-trace-format as well");
    }
    const auto reader = given.value_or(trace_reader::dramsys);
    if (reader == trace_reader::dramsys && !stl) {
        throw values.error("address-trace", "a name that ends in .stl, by which DRAMSys identifies its traces");
    }
    if (reader != trace_reader::dramsys && stl) {
        throw values.error("address-trace", "another ending with --address-trace-format " +
                                                values.get_string("address-trace-format") +
                                                ": .stl is reserved for DRAMSys");
    }
    return reader;
}

} // namespace

std::string address_trace_options::file_of(const std::string& memory) const
{
    if (std::find(further.begin(), further.end(), memory) == further.end()) { return path; }
    std::filesystem::path file(path);
    return file.replace_filename(file.stem().string() + "." + memory + file.extension().string()).string();
}

std::vector<std::string> address_trace_options::files() const
{
    std::vector<std::string> all{path};
    for (const auto& memory : further) { all.push_back(file_of(memory)); }
    return all;
}

void add_address_trace_options(option_table& table)
{
    table.add_value("address-trace", "FILE",
                    "Write every access that reaches the memory, burst by burst, for a DRAM simulator.");
    table.one_run_alone();
    table.add_value("address-trace-format", form_of(names_of(activity::trace_readers)),
                    "Simulator that reads the trace; a FILE that ends in .stl is for DRAMSys.");
    table.one_run_alone();
    table.add_value(
        "address-trace-burst", "BYTES",
        "Bytes per line of the trace, a power of two from 8 to 4096 ; if absent, one burst of the DRAM, or 64 bytes "
        "for an SRAM.");
    table.one_run_alone();
}

std::optional<address_trace_options> read_address_trace_options(const option_values& values)
{
    address_trace_options o;
    std::optional<trace_reader> given;
    if (values.has("address-trace-format")) {
        given = get_named<trace_reader>(values, "address-trace-format", activity::trace_readers);
    }
    o.burst_bytes = read_burst(values);
    for (const char* beside : {"address-trace-format", "address-trace-burst"}) {
        if (values.has(beside)) { require_both(values, beside, "address-trace"); }
    }
    if (!values.has("address-trace")) { return std::nullopt; }
    o.path = values.get_string("address-trace");
    o.reader = reader_of(values, o.path, given);
    return o;
}

std::unique_ptr<activity::address_trace> make_address_trace(const common_options& common, const std::string& name,
                                                            bool in_dram)
{
    if (!common.address_trace) { return nullptr; }
    const auto& dram = common.platform.dram_config;
    activity::address_trace_config config;
    config.reader = common.address_trace->reader;
    config.memory = name + (in_dram ? " (DRAM " + common.platform.dram + ")" : " (SRAM)");
    config.clock_period_ps = in_dram ? dram.tCK_ps : clock_period_ps(common);
    config.burst_bytes =
        common.address_trace->burst_bytes.value_or(in_dram ? dram.organisation.burst_bytes() : sram_beat_bytes);
    return complaining_of("--address-trace", [&] {
        return std::make_unique<activity::address_trace>(common.address_trace->file_of(name), config);
    });
}

} // namespace tensorloom::testbench
