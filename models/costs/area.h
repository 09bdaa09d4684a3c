#pragma once
#include <string>
#include <vector>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::costs {

/// Area of one component of a module (a line of a report).
struct component_area {
    std::string component;
    double um2 = 0;
    bool estimate = false;
    unsigned tiers = 1;      ///< stacked dies that share it evenly
    double by_pitch_um2 = 0; ///< area if limited by the pitch of its wires; 0: not limited
};

double total_um2(const std::vector<component_area>& areas);

/// The area of a module, and its longest signal path with the time available for it. Each device has a function
/// device_area(technology, geometry) beside its device_energy().
struct floor_plan {
    std::vector<component_area> areas;
    double longest_line_um = 0; ///< the signal on it must settle in `settling_cycles`; 0: none
    double settling_cycles = 1; ///< of the module's clock
};

/// Area of a processing element: a multiplier (area.multiply_<format>) and an adder of the accumulator's format
/// (area.add_<format>), four of each for complex formats; `register_bits` of registers at 4 x area.sram_bit each; and
/// 20 % for control and wires. An estimate.
figure processing_element_um2(const technology& tech, base::element_type format, double register_bits);

} // namespace tensorloom::costs
