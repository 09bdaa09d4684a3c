#include "platform/run/die.h"
#include <algorithm>
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

run_power::run_power(const std::vector<costs::component_energy>& energies, double ns, const die& on)
{
    if (ns == 0) { return; }
    mw = costs::total_pj(energies) / ns;
    leakage_mw = costs::leakage_pj(energies) / ns;
    for (const auto& e : energies) { dram_mw += is_of_the_dram(e.component) ? e.pj / ns : 0; }
    const double footprint = on.footprint_um2();
    if (footprint > 0) { w_per_mm2 = (mw - dram_mw) * 1e3 / footprint; } // mW to W, um^2 to mm^2
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
    const auto furthest = std::max_element(d.lines.begin(), d.lines.end(), [](const auto& a, const auto& b) {
        return a.um / a.settling_cycles < b.um / b.settling_cycles;
    });
    if (furthest != d.lines.end()) {
        const double ns = furthest->settling_cycles * clock_period_ns, mm = furthest->um * 1e-3;
        if (mm > d.reach_mm_per_ns * ns) {
            all.push_back("a line of " + number_text(mm) + " mm has " + number_text(ns) +
                          " ns to settle, in which a signal travels " + number_text(d.reach_mm_per_ns * ns) + " mm");
        }
    }
    const auto slowest = std::max_element(d.paths.begin(), d.paths.end(), [](const auto& a, const auto& b) {
        return a.gates / a.cycles < b.gates / b.cycles;
    });
    if (slowest != d.paths.end()) {
        const double ns = slowest->cycles * clock_period_ns, needed = slowest->gates * d.gate_ps / 1000;
        if (needed > ns) {
            all.push_back("a path of " + std::to_string(slowest->gates) + " gates has " + number_text(ns) +
                          " ns, and takes " + number_text(needed) + " ns");
        }
    }
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
    return {{"area_um2", areas},
            {"area_estimated", estimated},
            {"area_synthesized", synthesized},
            {"area_by_pitch_um2", by_pitch},
            {"footprint_um2", d.footprint_um2()},
            {"power_mW", {{"average", power.mw}, {"leakage", power.leakage_mw}, {"dram", power.dram_mw}}},
            {"power_density_W_per_mm2", power.w_per_mm2},
            {"leakage_sensitivity_pJ", {{"none", total - leakage}, {"twice", total + leakage}}},
            {"warnings", warnings_of(d, power, clock_period_ns)}};
}

} // namespace tensorloom::testbench
