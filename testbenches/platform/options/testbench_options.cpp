#include "platform/options/testbench_options.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <nlohmann/json.hpp>
#include "platform/process/fst_file.h"

namespace tensorloom::testbench {

std::string version() { return TENSORLOOM_VERSION; }

void add_common_options(option_table& table, const memory_choice& memories)
{
    table.begin_group("Device");
    table.add_value("technology", "NAME|FILE",
                    "Energy per event and area: a technology that ships with the project, or a YAML file.", "7nm");
    table.add_value("leakage", "FACTOR", "Factor on the leakage power of the technology: 0 for none, 2 for twice.",
                    "1");
    table.add_value("fidelity", "fast|detailed|rtl",
                    "All give the same results, counts and times; detailed has one module per cell, rtl has them in "
                    "Verilog, for some formats and sizes.",
                    "fast");
    table.add_value("clock", "GHZ",
                    "Clock frequency, at most what the gates and wires of the device allow; the period is rounded to "
                    "whole ps. Without it that of the papers, marked where the device does not allow it (default: 1).");
    table.add_flag("allow-overclock",
                   "Run a --clock that the device does not allow; its times, energies and powers are marked.");
    table.add_value("voltage", "V",
                    "Supply voltage, within the points of the technology: its energies, leakage and delays change "
                    "(default: the nominal one).");
    add_platform_options(table, memories);
    table.begin_group("Run");
    table.add_value(
        "config", "FILE",
        "Read options from a YAML file, or repeat the run of a summary.json; the command line overrides the file.");
    table.add_value("seed", "INTEGER", "Seed of all random data.", "1");
    table.add_value("out", "DIR",
                    "Write the summary, the tables and the trace into this directory; create it if needed.");
    table.one_run_alone();
    table.add_value("vcd", "FILE", "Write a waveform to exactly this path: in VCD, or in FST where FILE ends in .fst.");
    table.one_run_alone();
    add_address_trace_options(table);
    table.add_flag("no-check", "Do not compute the reference.");
    table.add_flag("quiet", "Print errors only.");
    table.one_run_alone();
    table.add_flag("dry-run", "Check the options and the technology, then stop without running.");
    table.one_run_alone();
    table.add_flag("help", "Print this text and stop.");
    table.add_flag("help-json", "Print the options as JSON, for programs, and stop.");
    table.add_flag("version", "Print name and version and stop.");
}

common_options read_common_options(const option_values& values)
{
    common_options o;
    o.technology = values.get_string("technology");
    o.leakage = values.get_number("leakage", 0, 100);
    const std::vector<std::string> fidelities{"fast", "detailed", "rtl"}; // in the order of blocks::fidelity
    const auto chosen = std::find(fidelities.begin(), fidelities.end(), values.get_choice("fidelity", fidelities));
    o.fidelity = static_cast<blocks::fidelity>(chosen - fidelities.begin());
    o.clock_given = values.has("clock");
    if (o.clock_given) { o.clock_ghz = values.get_number("clock", 0.001, 1000); }
    o.allow_overclock = values.get_flag("allow-overclock");
    if (values.has("voltage")) { o.voltage = values.get_number("voltage", 0.001, 1000); }
    o.platform = read_platform_options(values);
    o.seed = values.get_unsigned("seed", 0, std::numeric_limits<std::uint64_t>::max());
    if (values.has("out")) { o.out = values.get_string("out"); }
    if (values.has("vcd")) {
        o.vcd = values.get_string("vcd");
        require_fst_converter(*o.vcd);
    }
    o.address_trace = read_address_trace_options(values);
    o.check = !values.get_flag("no-check");
    o.quiet = values.get_flag("quiet");
    o.dry_run = values.get_flag("dry-run");
    return o;
}

void add_nonfinite_option(option_table& table)
{
    table.add_flag("allow-nonfinite",
                   "Accept NaN and infinities in data; the check then expects them where the reference has them.");
}

bool read_nonfinite_option(const option_values& values) { return values.get_flag("allow-nonfinite"); }

const char* fidelity_name(const common_options& common)
{
    switch (common.fidelity) {
    case blocks::fidelity::detailed: return "detailed";
    case blocks::fidelity::rtl: return "rtl";
    case blocks::fidelity::fast: break;
    }
    return "fast";
}

std::uint64_t clock_period_ps(const common_options& common)
{
    return static_cast<std::uint64_t>(std::max(1.0, std::round(1000.0 / common.clock_ghz)));
}

common_options for_search(common_options common)
{
    common.fidelity = blocks::fidelity::fast;
    common.out.reset();
    common.vcd.reset();
    common.address_trace.reset();
    return common;
}

nlohmann::ordered_json with_common_fields(nlohmann::ordered_json device, const common_options& common)
{
    device["fidelity"] = fidelity_name(common);
    device["technology"] = common.technology;
    device["leakage"] = common.leakage;
    device["voltage_V"] = common.voltage ? nlohmann::ordered_json(*common.voltage) : nlohmann::ordered_json();
    device["clock_period_ps"] = clock_period_ps(common);
    device.update(json_of(common.platform));
    device["seed"] = common.seed;
    return device;
}

} // namespace tensorloom::testbench
