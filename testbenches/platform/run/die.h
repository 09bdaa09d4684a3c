#pragma once
#include <string>
#include <vector>
#include <nlohmann/json.hpp>
#include <tensorloom/models/costs/area.h>
#include <tensorloom/models/costs/energy.h>
#include <tensorloom/models/costs/technology.h>

namespace tensorloom::testbench {

/// What the modules of a run take of a die, and what a die can bear.
struct die {
    struct line {
        double um = 0;
        double settling_cycles = 1;
    };
    std::vector<costs::component_area> areas; ///< each component once
    std::vector<line> lines;                  ///< of each module the longest that must settle
    double most_w_per_mm2 = 0;                ///< `limit.power_density` of the technology
    double most_mm2 = 0;                      ///< `limit.die_area`
    double reach_mm_per_ns = 0;               ///< `limit.wire_reach`

    double um2() const { return costs::total_um2(areas); }
    double footprint_um2() const; ///< of components that lie on top of each other in tiers, a tier
};

/// Throws base::input_error for limits that the technology misses.
die die_of(const costs::technology& technology, const std::vector<costs::floor_plan>& plans);

/// Average power of a run in so many ns.
struct run_power {
    double mw = 0;
    double leakage_mw = 0;
    double dram_mw = 0;   ///< components whose names begin with "dram", which are not on the die
    double w_per_mm2 = 0; ///< of the die's footprint, without the DRAM; 0 without one

    run_power(const std::vector<costs::component_energy>& energies, double ns, const die& on);
};

/// What a die cannot bear of a run, a sentence each: its power, its size, a line that is longer than a signal comes in
/// the time that it has to settle.
std::vector<std::string> warnings_of(const die& d, const run_power& power, double clock_period_ns);

/// area_um2 by component and total, area_estimated, area_by_pitch_um2, footprint_um2, power_mW (average, leakage,
/// dram), power_density_W_per_mm2, leakage_sensitivity_pJ (none, twice: the total with so much of it), warnings.
nlohmann::ordered_json die_json(const die& d, const std::vector<costs::component_energy>& energies, double ns,
                                double clock_period_ns);

} // namespace tensorloom::testbench
