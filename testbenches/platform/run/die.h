#pragma once
#include <string>
#include <vector>
#include <nlohmann/json.hpp>
#include <tensorloom/models/costs/area.h>
#include <tensorloom/models/costs/energy.h>
#include <tensorloom/models/costs/technology.h>

namespace tensorloom::testbench {

/// The area of the modules of a run on a die, and the limits of a die.
struct die {
    struct line {
        double um = 0;
        double settling_cycles = 1;
    };
    std::vector<costs::component_area> areas; ///< each component once
    struct path {
        unsigned gates = 0;
        double cycles = 1;
    };
    std::vector<line> lines;                             ///< the longest line of each module that must settle
    std::vector<path> paths;                             ///< the longest path of gates of each module
    double most_w_per_mm2 = 0;                           ///< `limit.power_density` of the technology
    double most_mm2 = 0;                                 ///< `limit.die_area`
    double reach_mm_per_ns = 0;                          ///< `limit.wire_reach`
    double gate_ps = 0;                                  ///< `gate.delay`
    double published = 1, synthesized = 1, estimate = 1; ///< `uncertainty`; 1: not known

    double um2() const { return costs::total_um2(areas); }
    double footprint_um2() const; ///< of stacked components one tier
};

/// The shortest clock period that the lines and paths of a die allow, and the one that needs it.
struct clock_limit {
    double ps = 0;     ///< 0: any period
    std::string cause; ///< such as "a path of 126 gates takes 2.52 ns"
};
clock_limit clock_limit_of(const die& d);

/// The fastest clock of a whole number of ps within the limit, rounded down to four digits.
double fastest_ghz(const clock_limit& limit);

/// Warning that a clock period is shorter than the limit, with the cause.
std::string overclocked_text(const clock_limit& limit, double clock_period_ns);

/// Where a figure lies: the sum of its parts / and x the uncertainty of each.
struct figure_range {
    double least = 0, most = 0;
    bool overlaps(const figure_range& other) const { return least <= other.most && other.least <= most; }
};
figure_range area_range_um2(const die& d);
figure_range energy_range_pj(const die& d, const std::vector<costs::component_energy>& energies);

/// Throws base::input_error for limits missing from the technology.
die die_of(const costs::technology& technology, const std::vector<costs::floor_plan>& plans);

/// Average power of a run of this duration.
struct run_power {
    double mw = 0;
    double leakage_mw = 0;
    double dram_mw = 0;   ///< components whose names begin with "dram", which are not on the die
    double w_per_mm2 = 0; ///< of the die's footprint, without the DRAM; 0 without one

    run_power(const std::vector<costs::component_energy>& energies, double ns, const die& on);
};

/// Exceeded limits of the die, one sentence each: power, size, the clock.
std::vector<std::string> warnings_of(const die& d, const run_power& power, double clock_period_ns);

/// area_um2 by component and total, area_range_um2 and energy_range_pJ [least, most], area_estimated, area_synthesized,
/// area_by_pitch_um2, footprint_um2, power_mW (average, leakage, dram), power_density_W_per_mm2, leakage_sensitivity_pJ
/// (none, twice: the total with this leakage), fastest_clock_GHz (null: any), overclocked, warnings.
nlohmann::ordered_json die_json(const die& d, const std::vector<costs::component_energy>& energies, double ns,
                                double clock_period_ns);

} // namespace tensorloom::testbench
