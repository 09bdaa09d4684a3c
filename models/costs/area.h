#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/costs/gates.h>
#include <tensorloom/models/costs/technology.h>

namespace tensorloom::costs {

/// Area of one component of a module (a line of a report).
struct component_area {
    std::string component;
    double um2 = 0;
    bool estimate = false;
    bool synthesized = false; ///< not an estimate, but of the gates of models/rtl
    unsigned tiers = 1;       ///< stacked dies that share it evenly
    double by_pitch_um2 = 0;  ///< area if limited by the pitch of its wires; 0: not limited
    bool sram = false;        ///< leaks as an SRAM does, not as logic
};

/// A component that is `copies` times this area.
component_area component_of(std::string component, double copies, figure um2);

/// Likewise of an SRAM.
component_area sram_of(std::string component, double copies, figure um2);

double total_um2(const std::vector<component_area>& areas);

/// Adds the leakage of each of these components, as component "leakage": technology::logic_leakage_mw() or
/// sram_leakage_mw() of its area.
void add_leakage(energy_model& model, const technology& tech, const std::vector<component_area>& areas);

/// Half of the circumference of a square of this area: no signal of a die goes further.
double half_perimeter_um(double um2);

/// How layers of width x height cells are laid into one plane: the cells that lie above each other in the layers lie
/// beside each other, across x down of them, so that the whole is about as wide as high.
struct flat_layers {
    unsigned across = 1, down = 1; ///< cells from one cell of a layer to the next, along its width and height
};
flat_layers lay_flat(unsigned width, unsigned height, unsigned layers);

/// The area of a module, its longest line and its longest path of gates, each with the time available for it. Each
/// device has a function device_area(technology, geometry) beside its device_energy().
struct floor_plan {
    std::vector<component_area> areas;
    double longest_line_um = 0; ///< the signal on it must settle in `settling_cycles`; 0: none
    double settling_cycles = 1; ///< of the module's clock
    unsigned path_gates = 0;    ///< that a signal passes in `path_cycles`; 0: none
    double path_cycles = 1;
};

/// Area of gates: `area.nand2` for each NAND2, and 20 % for wires and the clock tree.
figure gate_area_um2(const technology& tech, gate_count gates);

/// Cycles of a multiply-add at this clock period: the gates of its longest path x `gate.delay`, one at least. A whole
/// number, however large.
double multiply_add_cycles(const technology& tech, base::element_type format, std::uint64_t period_ps);

/// Area of a multiply-add and `register_bits` of flip-flops, without control. An estimate.
figure processing_element_um2(const technology& tech, base::element_type format, double register_bits);

/// Side of a cell of TriADA's mesh with this number of registers: that of key cell_pitch of its format, or else the
/// root of the area of its gates.
figure cell_pitch_um(const technology& tech, base::element_type format, unsigned registers);
bool has_cell_pitch(const technology& tech, base::element_type format); ///< that is given, not of its gates

} // namespace tensorloom::costs
