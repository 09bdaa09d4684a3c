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
    std::vector<line> lines;    ///< the longest line of each module that must settle
    std::vector<path> paths;    ///< the longest path of gates of each module
    double most_w_per_mm2 = 0;  ///< `limit.power_density` of the technology
    double most_mm2 = 0;        ///< `limit.die_area`
    double reach_mm_per_ns = 0; ///< `limit.wire_reach`
    double gate_ps = 0;         ///< `gate.delay`

    double um2() const { return costs::total_um2(areas); }
    double footprint_um2() const; ///< of stacked components one tier
};

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

/// Exceeded limits of the die, one sentence each: power, size, a line longer than a signal travels in its settling
/// time, a path of more gates than it passes in its time.
std::vector<std::string> warnings_of(const die& d, const run_power& power, double clock_period_ns);

/// area_um2 by component and total, area_estimated, area_synthesized, area_by_pitch_um2, footprint_um2, power_mW
/// (average, leakage, dram), power_density_W_per_mm2, leakage_sensitivity_pJ (none, twice: the total with this
/// leakage), warnings.
nlohmann::ordered_json die_json(const die& d, const std::vector<costs::component_energy>& energies, double ns,
                                double clock_period_ns);

} // namespace tensorloom::testbench
