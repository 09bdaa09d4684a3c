#include <tensorloom/models/costs/area.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace tensorloom::costs {

double total_um2(const std::vector<component_area>& areas)
{
    double sum = 0;
    for (const auto& a : areas) { sum += a.um2; }
    return sum;
}

double half_perimeter_um(double um2) { return 2 * std::sqrt(um2); }

flat_layers lay_flat(unsigned width, unsigned height, unsigned layers)
{
    const double square = std::sqrt(static_cast<double>(layers) * height / width);
    const double across = std::min(std::max(1.0, std::round(square)), static_cast<double>(layers));
    return {static_cast<unsigned>(across), static_cast<unsigned>(std::ceil(layers / across))};
}

component_area component_of(std::string component, double copies, figure um2)
{
    return {std::move(component), copies * um2.value, um2.estimate, um2.synthesized};
}

component_area sram_of(std::string component, double copies, figure um2)
{
    auto area = component_of(std::move(component), copies, um2);
    area.sram = true;
    return area;
}

void add_leakage(energy_model& model, const technology& tech, const std::vector<component_area>& areas)
{
    for (const auto& area : areas) {
        const figure um2{area.um2, area.estimate};
        const auto mw = area.sram ? tech.sram_leakage_mw(um2) : tech.logic_leakage_mw(um2);
        model.leakage.push_back({"leakage", mw.value, mw.estimate, area.component});
    }
}

figure gate_area_um2(const technology& tech, gate_count gates)
{
    constexpr double placed = 1.2; // with wires and the clock tree
    const auto& nand2 = tech.number("area.nand2", "um^2");
    const bool estimate = gates.estimate || nand2.estimate;
    return {placed * gates.nand2 * nand2.value, estimate, !estimate};
}

double multiply_add_cycles(const technology& tech, base::element_type format, std::uint64_t period_ps)
{
    const double ps = multiply_add_levels(format) * tech.number("gate.delay", "ps").value;
    return std::max(1.0, std::ceil(ps / static_cast<double>(period_ps)));
}

figure processing_element_um2(const technology& tech, base::element_type format, double register_bits)
{
    return gate_area_um2(tech, {multiply_add_gates(format).nand2 + register_bits * flip_flop_nand2, true});
}

namespace {

std::string pitch_key(base::element_type format)
{
    return "cell_pitch." + std::string(base::element_type_name(format));
}

} // namespace

bool has_cell_pitch(const technology& tech, base::element_type format) { return tech.has(pitch_key(format)); }

figure cell_pitch_um(const technology& tech, base::element_type format, unsigned registers)
{
    if (has_cell_pitch(tech, format)) {
        const auto& given = tech.number(pitch_key(format), "um");
        return {given.value, given.estimate};
    }
    const auto area = gate_area_um2(tech, mesh_cell_gates(format, registers));
    return {std::sqrt(area.value), area.estimate, area.synthesized};
}

} // namespace tensorloom::costs
