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
    unsigned tiers = 1;      ///< dies on top of each other that share it evenly
    double by_pitch_um2 = 0; ///< by the pitch that its wires are charged with; 0: nothing is
};

double total_um2(const std::vector<component_area>& areas);

/// What a module takes of a die, and how far its signals have to come in how long. A device brings a function
/// device_area(technology, geometry) that returns one, beside its device_energy().
struct floor_plan {
    std::vector<component_area> areas;
    double longest_line_um = 0; ///< that must settle in `settling_cycles`; 0: none
    double settling_cycles = 1; ///< of the module's clock
};

/// Area of a processing element: a multiplier (area.multiply_<format>) and an adder of the accumulator's format
/// (area.add_<format>), of complex formats four of both; registers of so many bits, 4 x area.sram_bit each; and 20 %
/// for control and wires. An estimate.
figure processing_element_um2(const technology& tech, base::element_type format, double register_bits);

} // namespace tensorloom::costs
