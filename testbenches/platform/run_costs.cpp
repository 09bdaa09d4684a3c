#include "platform/run_costs.h"
#include <nlohmann/json.hpp>

namespace tensorloom::testbench {
namespace {

double macs_per_cpu_s(const process_usage& usage, std::uint64_t macs)
{
    return usage.cpu_s > 0 ? static_cast<double>(macs) / usage.cpu_s : 0;
}

} // namespace

std::vector<std::string> estimated(const std::vector<arch::component_energy>& components)
{
    std::vector<std::string> names;
    for (const auto& c : components) {
        if (c.estimate) { names.push_back(c.component); }
    }
    if (!names.empty()) { names.emplace_back("total"); }
    return names;
}

void print_energy(report_table& lines, const std::vector<arch::component_energy>& components)
{
    const auto mark = [](bool estimate) { return estimate ? " (estimate)" : ""; };
    lines.line("energy", quantity_text(arch::total_pj(components), "J") + mark(!estimated(components).empty()));
    for (const auto& c : components) { lines.line("  " + c.component, quantity_text(c.pj, "J") + mark(c.estimate)); }
}

nlohmann::ordered_json energy_json(const std::vector<arch::component_energy>& components)
{
    nlohmann::ordered_json energy = {{"total", arch::total_pj(components)}};
    for (const auto& c : components) { energy[c.component] = c.pj; }
    return energy;
}

void print_usage(report_table& lines, const process_usage& usage, std::uint64_t macs)
{
    lines.line("simulation", number_text(usage.wall_s) + " s wall, " + number_text(usage.cpu_s) + " s CPU, " +
                                 number_text(macs_per_cpu_s(usage, macs) / 1e6) + " million MACs per CPU second, " +
                                 number_text(static_cast<double>(usage.peak_rss_bytes) / 1048576) + " MiB");
}

nlohmann::ordered_json usage_json(const process_usage& usage, std::uint64_t macs)
{
    return {{"wall_s", usage.wall_s},
            {"cpu_s", usage.cpu_s},
            {"macs_per_cpu_s", macs_per_cpu_s(usage, macs)},
            {"peak_rss_bytes", usage.peak_rss_bytes}};
}

} // namespace tensorloom::testbench
