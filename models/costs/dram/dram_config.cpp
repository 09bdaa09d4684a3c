#include <tensorloom/models/costs/dram/dram_config.h>
#include <cmath>
#include <cstdio>
#include <tensorloom/models/costs/dram/dram_mapping.h>
#include <tensorloom/models/base/values/integers.h>

namespace tensorloom::costs {

namespace {

std::string wrong(const std::string& key, std::uint64_t found, const std::string& expected)
{
    return key + ": found " + std::to_string(found) + ", expected " + expected;
}

std::optional<std::string> validate_organisation(const dram_organisation& o)
{
    const struct {
        const char* key;
        unsigned value, largest;
    } powers[] = {{"channels", o.channels, 64},     {"banks", o.banks, 64},
                  {"rows", o.rows, 1u << 24},       {"columns", o.columns, 1u << 16},
                  {"width_bits", o.width_bits, 64}, {"burst_length", o.burst_length, 64}};
    for (const auto& p : powers) {
        if (!base::is_power_of_two(p.value) || p.value > p.largest) {
            return wrong(std::string("organisation.") + p.key, p.value,
                         "a power of two, at most " + std::to_string(p.largest));
        }
    }
    constexpr std::uint64_t largest = std::uint64_t{1} << 40;
    if (o.bytes() > largest) {
        return wrong("organisation", o.bytes(), "at most " + std::to_string(largest) + " bytes in all");
    }
    if (o.width_bits < 8) { return wrong("organisation.width_bits", o.width_bits, "at least 8"); }
    if (o.burst_length < 2 || o.burst_length > o.columns) {
        return wrong("organisation.burst_length", o.burst_length, "from 2 to the columns of a row");
    }
    return std::nullopt;
}

std::optional<std::string> validate_timing(const dram_config& config)
{
    const auto& t = config.timing;
    const unsigned data = config.organisation.burst_cycles();
    if (config.tCK_ps == 0) { return wrong("clock.tCK_ps", 0, "at least 1"); }
    if (t.tCCD < data) { return wrong("timing.tCCD", t.tCCD, "at least the " + std::to_string(data) + " of a burst"); }
    // tRAS applies before a precharge: closing a row before it can be read makes no sense
    if (t.tRAS < t.tRCD) { return wrong("timing.tRAS", t.tRAS, "at least tRCD"); }
    const auto& c = config.command;
    if (c.column == 0 || c.column > t.tCCD) { return wrong("command.column", c.column, "from 1 to tCCD"); }
    if (c.activate == 0) { return wrong("command.activate", 0, "at least 1"); }
    if (c.precharge == 0) { return wrong("command.precharge", 0, "at least 1"); }
    if (c.refresh == 0) { return wrong("command.refresh", 0, "at least 1"); }
    // refreshes must leave time for work
    const auto refresh = config.controller.refresh;
    if (refresh == dram_refresh::all_bank && (t.tRFCab == 0 || t.tREFI < 2 * t.tRFCab)) {
        return wrong("timing.tREFI", t.tREFI, "at least twice tRFCab, and that above 0");
    }
    if (refresh == dram_refresh::per_bank && (t.tRFCpb == 0 || t.tREFIpb < 2 * t.tRFCpb)) {
        return wrong("timing.tREFIpb", t.tREFIpb, "at least twice tRFCpb, and that above 0");
    }
    return std::nullopt;
}

std::optional<std::string> validate_controller(const dram_config& config)
{
    const auto& c = config.controller;
    if (c.queue_bursts == 0 || c.queue_bursts > 4096) {
        return wrong("controller.queue_bursts", c.queue_bursts, "from 1 to 4096");
    }
    if (const auto mapping = validate_mapping(c.mapping)) { return "controller.mapping: " + *mapping; }
    const auto& o = config.organisation;
    if (!base::is_power_of_two(c.interleave_bytes) || c.interleave_bytes < o.burst_bytes() ||
        c.interleave_bytes > o.row_bytes()) {
        return wrong("controller.interleave_bytes", c.interleave_bytes,
                     "a power of two from the " + std::to_string(o.burst_bytes()) + " of a burst to the " +
                         std::to_string(o.row_bytes()) + " of a row");
    }
    return std::nullopt;
}

std::string bandwidth_text(const dram_config& config)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", config.peak_bytes_per_ns());
    return text;
}

std::string channels_text(const dram_config& config)
{
    const unsigned channels = config.organisation.channels;
    return std::to_string(channels) + (channels == 1 ? " channel of " : " channels of ") + config.name;
}

} // namespace

double dram_config::peak_bytes_per_ns() const
{
    return 1e3 * organisation.channels * organisation.burst_bytes() / (double(tCK_ps) * organisation.burst_cycles());
}

std::optional<std::string> set_bandwidth(dram_config& config, double gb_per_s)
{
    constexpr double tolerance = 0.005;
    std::optional<dram_config> below; // the nearest
    auto tried = config;
    for (tried.organisation.channels = 1; !validate(tried); tried.organisation.channels *= 2) {
        const double peak = tried.peak_bytes_per_ns();
        if (std::abs(peak - gb_per_s) <= tolerance * peak) {
            config = tried;
            return std::nullopt;
        }
        if (peak > gb_per_s) {
            if (!below) { return "at least " + bandwidth_text(tried) + " GB/s (" + channels_text(tried) + ")"; }
            return bandwidth_text(*below) + " or " + bandwidth_text(tried) + " GB/s (" +
                   std::to_string(below->organisation.channels) + " or " + channels_text(tried) + ")";
        }
        below = tried;
    }
    return "at most " + bandwidth_text(*below) + " GB/s (" + channels_text(*below) + ")";
}

std::optional<std::string> validate(const dram_config& config)
{
    if (auto found = validate_organisation(config.organisation)) { return found; }
    if (auto found = validate_timing(config)) { return found; }
    return validate_controller(config);
}

} // namespace tensorloom::costs
