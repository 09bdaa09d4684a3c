#include "platform/options/platform_options.h"
#include <nlohmann/json.hpp>
#include <tensorloom/models/costs/dram/dram_energy.h>
#include <tensorloom/models/base/values/config_fields.h>
#include "platform/options/field_options.h"
#include "platform/process/text.h"

namespace tensorloom::testbench {
namespace {

base::config_fields fields_of(platform_options& o)
{
    return {
        base::number(o.memory_latency, {0, 1'000'000},
                     {"memory-latency", "memory_latency_cycles", "CYCLES",
                      "SRAM: cycles from the last beat of an access to its response."}),
        base::number(
            o.memory_ports, {1, 64},
            {"memory-ports", "memory_ports", "COUNT", "SRAM: number of accesses that it serves concurrently."}),
        base::choice(o.dma_bits, {{"32", 32}, {"64", 64}, {"128", 128}, {"256", 256}, {"512", 512}},
                     {"dma-width", "dma_width_bits", "32|64|128|256|512", "Width of the device's DMA port in bits."}),
        base::power_of_two(
            o.burst_bytes, 4, 65536,
            {"burst", "burst_bytes", "BYTES", "Largest burst of the DMA, a power of two from 4 to 65536."}),
        base::number(o.outstanding, {1, 64},
                     {"outstanding", "outstanding", "BURSTS", "Bursts of the DMA in flight, 1 to 64."}),
        base::on_off(o.overlap_runs,
                     {"overlap-runs", "overlap_runs", "on|off",
                      "The DMA overlaps contiguous runs of a transfer (rows, planes); off: one after the other."}),
    };
}

bool may_be_both(const option_values& values) { return values.choices("memory").size() > 2; }

void check_of_the_other(const option_values& values, const platform_options& o)
{
    if (may_be_both(values)) { return; }
    if (o.in_dram()) {
        check_absent(values, {"memory-latency", "memory-ports"}, "--memory dram", "with --memory sram");
    } else {
        check_absent(values, {"dram", "memory-bandwidth"}, "--memory sram", "with --memory dram");
    }
}

std::string shipped_parts()
{
    std::string names;
    for (const auto& name : costs::shipped_dram_names()) { names += name + ", "; }
    return names;
}

void read_dram_options(const option_values& values, platform_options& o)
{
    constexpr double most_gb_per_s = 100'000;
    o.dram_config = complaining_of("--dram", [&] { return costs::load_dram(o.dram); });
    if (!values.has("memory-bandwidth")) { return; }
    const double gb_per_s = values.get_number("memory-bandwidth", 0, most_gb_per_s);
    if (const auto expected = costs::set_bandwidth(o.dram_config, gb_per_s)) {
        throw values.error("memory-bandwidth", *expected);
    }
}

} // namespace

void add_platform_options(option_table& table, const memory_choice& memories)
{
    platform_options o;
    table.begin_group("Platform");
    table.add_value("memory", memories.form, memories.help, o.memory);
    table.add_value("dram", "NAME|FILE", "The DRAM: " + shipped_parts() + "or a YAML file.", o.dram);
    table.add_value("memory-bandwidth", "GB/s",
                    "Peak bandwidth of the DRAM, by its number of channels (default: that of its file).");
    add_fields(table, fields_of(o));
}

platform_options read_platform_options(const option_values& values)
{
    platform_options o;
    o.memory = values.get_choice("memory", values.choices("memory"));
    o.dram = values.get_string("dram");
    for (const auto& field : fields_of(o)) {
        const std::string name = field.says.name;
        if (const auto expected = field.read(values.get_string(name))) { throw values.error(name, *expected); }
    }
    check_of_the_other(values, o);
    if (o.in_dram() || may_be_both(values)) { read_dram_options(values, o); }
    return o;
}

nlohmann::ordered_json json_of(const platform_options& options)
{
    platform_options o = options;
    auto json = json_of(fields_of(o));
    json["memory"] = o.in_dram() ? o.dram : o.memory;
    json["memory_bandwidth_GB_per_s"] = nullptr;
    if (o.has_dram()) { json["memory_bandwidth_GB_per_s"] = o.dram_config.peak_bytes_per_ns(); }
    if (o.in_dram()) { json["memory_latency_cycles"] = json["memory_ports"] = nullptr; }
    return json;
}

costs::dma_build dma_build_of(const platform_options& options, unsigned ports, std::uint32_t program_piece)
{
    constexpr std::uint64_t pieces = 2; // one that runs and the next one
    return {ports, options.dma_bits, options.outstanding, options.burst_bytes, pieces * program_piece};
}

costs::sram_build sram_build_of(const platform_options& options, std::uint64_t bytes)
{
    costs::sram_build build;
    build.bytes = bytes;
    build.ports = build.cell_ports = options.memory_ports;
    build.port_bits = 512;
    return build;
}

costs::energy_model memory_energy(const platform_options& o, const costs::technology& technology,
                                  std::uint64_t sram_bytes)
{
    return o.in_dram() ? costs::dram_energy(o.dram_config)
                       : costs::sram_energy(technology, sram_build_of(o, sram_bytes));
}

costs::floor_plan memory_plan(const platform_options& o, const costs::technology& technology, std::uint64_t sram_bytes)
{
    return o.in_dram() ? costs::floor_plan() : costs::sram_plan(technology, sram_build_of(o, sram_bytes));
}

void require_room(const platform_options& o, std::uint64_t bytes)
{
    const std::uint64_t capacity = o.dram_config.organisation.bytes();
    if (!o.in_dram() || bytes <= capacity) { return; }
    throw base::input_error("--dram: " + o.dram + " has " + grouped_text(capacity) + " bytes, expected at least " +
                            grouped_text(bytes) + " for the data");
}

void require_program_room(const platform_options& o, std::uint64_t program_bytes)
{
    const std::uint64_t capacity = o.dram_config.organisation.bytes();
    if (!o.in_dram() || capacity > program_bytes) { return; }
    throw base::input_error("--dram: " + o.dram + " has " + grouped_text(capacity) + " bytes, expected more than " +
                            grouped_text(program_bytes) + ", the place of programs");
}

} // namespace tensorloom::testbench
