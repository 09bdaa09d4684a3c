#include "platform/run/die.h"
#include <algorithm>
#include <cmath>
#include "platform/process/text.h"

namespace tensorloom::testbench {
namespace {

bool is_of_the_dram(const std::string& component) { return component.rfind("dram", 0) == 0; }

} // namespace

double die::footprint_um2() const
{
    double sum = 0;
    for (const auto& a : areas) { sum += a.um2 / a.tiers; }
    return sum;
}

die die_of(const costs::technology& technology, const std::vector<costs::floor_plan>& plans)
{
    die d;
    d.most_w_per_mm2 = technology.number("limit.power_density", "W/mm^2").value;
    d.most_mm2 = technology.number("limit.die_area", "mm^2").value;
    d.reach_mm_per_ns = technology.number("limit.wire_reach", "mm/ns").value;
    d.gate_ps = technology.number("gate.delay", "ps").value;
    const auto uncertainty = [&](const std::string& of) {
        const std::string key = "uncertainty." + of;
        return technology.has(key) ? technology.number(key, "1").value : 1;
    };
    d.published = uncertainty("published");
    d.synthesized = uncertainty("synthesized");
    d.estimate = uncertainty("estimate");
    for (const auto& plan : plans) {
        for (const auto& area : plan.areas) {
            const auto known = std::find_if(d.areas.begin(), d.areas.end(),
                                            [&](const auto& a) { return a.component == area.component; });
            if (known == d.areas.end()) {
                d.areas.push_back(area);
                continue;
            }
            known->um2 += area.um2;
            known->by_pitch_um2 += area.by_pitch_um2;
            known->estimate = known->estimate || area.estimate;
            known->synthesized = (known->synthesized || area.synthesized) && !known->estimate;
        }
        if (plan.longest_line_um > 0) { d.lines.push_back({plan.longest_line_um, plan.settling_cycles}); }
        if (plan.path_gates > 0) { d.paths.push_back({plan.path_gates, plan.path_cycles}); }
    }
    return d;
}

namespace {

void add(figure_range& range, double value, double factor)
{
    range.least += value / factor;
    range.most += value * factor;
}

nlohmann::ordered_json json_of(const figure_range& range) { return {range.least, range.most}; }

} // namespace

figure_range area_range_um2(const die& d)
{
    figure_range range;
    for (const auto& a : d.areas) {
        add(range, a.um2, a.estimate ? d.estimate : a.synthesized ? d.synthesized : d.published);
    }
    return range;
}

figure_range energy_range_pj(const die& d, const std::vector<costs::component_energy>& energies)
{
    figure_range range;
    for (const auto& e : energies) { add(range, e.pj, e.estimate ? d.estimate : d.published); }
    return range;
}

run_power::run_power(const std::vector<costs::component_energy>& energies, double ns, const die& on)
{
    if (ns == 0) { return; }
    mw = costs::total_pj(energies) / ns;
    leakage_mw = costs::leakage_pj(energies) / ns;
    for (const auto& e : energies) { dram_mw += is_of_the_dram(e.component) ? e.pj / ns : 0; }
    const double footprint = on.footprint_um2();
    if (footprint > 0) { w_per_mm2 = (mw - dram_mw) * 1e3 / footprint; } // mW to W, um^2 to mm^2
}

clock_limit clock_limit_of(const die& d)
{
    clock_limit limit;
    const auto needs = [&limit](double ns, double cycles, const std::string& what) {
        const double ps = ns * 1000 / cycles;
        if (!(ps > limit.ps)) { return; }
        const std::string in = cycles == 1 ? "" : " in " + number_text(cycles) + " cycles";
        limit = {ps, what + " takes " + number_text(ns) + " ns" + in};
    };
    for (const auto& line : d.lines) {
        const double mm = line.um * 1e-3;
        needs(mm / d.reach_mm_per_ns, line.settling_cycles, "a line of " + number_text(mm) + " mm");
    }
    for (const auto& path : d.paths) {
        needs(path.gates * d.gate_ps / 1000, path.cycles, "a path of " + std::to_string(path.gates) + " gates");
    }
    return limit;
}

double fastest_ghz(const clock_limit& limit)
{
    const double ghz = 1000 / std::ceil(limit.ps), scale = std::pow(10, 3 - std::floor(std::log10(ghz)));
    return std::floor(ghz * scale) / scale;
}

std::string overclocked_text(const clock_limit& limit, double clock_period_ns)
{
    return "overclocked: " + limit.cause + ", more than the clock period of " + number_text(clock_period_ns) + " ns";
}

std::vector<std::string> warnings_of(const die& d, const run_power& power, double clock_period_ns)
{
    std::vector<std::string> all;
    if (power.w_per_mm2 > d.most_w_per_mm2) {
        all.push_back(number_text(power.w_per_mm2) + " W/mm2 on the die, more than the " +
                      number_text(d.most_w_per_mm2) + " W/mm2 of air cooling");
    }
    const double mm2 = d.footprint_um2() * 1e-6;
    if (mm2 > d.most_mm2) {
        all.push_back("a die of " + number_text(mm2) + " mm2, more than the " + number_text(d.most_mm2) +
                      " mm2 of a reticle");
    }
    const auto limit = clock_limit_of(d);
    if (limit.ps > clock_period_ns * 1000) { all.push_back(overclocked_text(limit, clock_period_ns)); }
    return all;
}

nlohmann::ordered_json die_json(const die& d, const std::vector<costs::component_energy>& energies, double ns,
                                double clock_period_ns)
{
    using json = nlohmann::ordered_json;
    json areas = {{"total", d.um2()}}, estimated = json::array(), synthesized = json::array();
    json by_pitch = json::object();
    for (const auto& a : d.areas) {
        areas[a.component] = a.um2;
        if (a.estimate) { estimated.push_back(a.component); }
        if (a.synthesized) { synthesized.push_back(a.component); }
        if (a.by_pitch_um2 > 0) { by_pitch[a.component] = a.by_pitch_um2; }
    }
    if (!estimated.empty()) { estimated.push_back("total"); }
    const run_power power(energies, ns, d);
    const double total = costs::total_pj(energies), leakage = costs::leakage_pj(energies);
    const double limit_ps = clock_limit_of(d).ps, fastest = limit_ps > 0 ? 1000 / limit_ps : 0;
    return {{"area_um2", areas},
            {"area_range_um2", json_of(area_range_um2(d))},
            {"energy_range_pJ", json_of(energy_range_pj(d, energies))},
            {"area_estimated", estimated},
            {"area_synthesized", synthesized},
            {"area_by_pitch_um2", by_pitch},
            {"footprint_um2", d.footprint_um2()},
            {"power_mW", {{"average", power.mw}, {"leakage", power.leakage_mw}, {"dram", power.dram_mw}}},
            {"power_density_W_per_mm2", power.w_per_mm2},
            {"leakage_sensitivity_pJ", {{"none", total - leakage}, {"twice", total + leakage}}},
            {"fastest_clock_GHz", fastest > 0 ? json(fastest) : json()},
            {"overclocked", limit_ps > clock_period_ns * 1000},
            {"warnings", warnings_of(d, power, clock_period_ns)}};
}

} // namespace tensorloom::testbench
