#include <tensorloom/models/costs/sram_costs.h>

#include <algorithm>
#include <cmath>

namespace tensorloom::costs {

namespace {

double switch_um(const technology& tech) { return 4 * tech.wire_pitch_um().value; } // side of a crossbar's switch

} // namespace

figure crossbar_wire_um(const technology& tech, const sram_build& build)
{
    const double side = std::sqrt(sram_area_um2(tech, build).value);
    const double row_and_column = (static_cast<double>(build.banks) + build.ports) * switch_um(tech);
    return {side + std::min(row_and_column, side), true};
}

figure longest_crossbar_wire_um(const technology& tech, const sram_build& build)
{
    if (!build.has_crossbar()) { return {}; }
    return {half_perimeter_um(sram_area_um2(tech, build).value), true};
}

event_cost crossbar_energy(const technology& tech, const sram_build& build, unsigned bits)
{
    return tech.wire_energy(bits, crossbar_wire_um(tech, build));
}

namespace {

energy_model energy_by(const technology& tech, const sram_build& build)
{
    auto access = tech.sram_access(build.bank_bytes(), build.cell_ports);
    if (build.has_crossbar()) {
        const auto wires = crossbar_energy(tech, build, 64);
        access = {access.pj + wires.pj, access.estimate || wires.estimate};
    }
    energy_model model;
    model.events = sram_events;
    model.costs.resize(sram_event_count);
    model.costs[static_cast<std::size_t>(sram_event::read_access)] = access;
    model.costs[static_cast<std::size_t>(sram_event::write_access)] = access;
    add_leakage(model, tech, sram_plan(tech, build).areas);
    return model;
}

} // namespace

energy_model sram_energy(const technology& tech, const sram_build& build)
{
    return with_second_source(tech, "sram", [&](const technology& t) { return energy_by(t, build); });
}

figure sram_area_um2(const technology& tech, const sram_build& build)
{
    const double edge = tech.sram_edge_um(build.bank_bytes(), build.cell_ports).value;
    double um2 = build.banks * edge * edge;
    if (build.has_crossbar()) {
        const double switches = static_cast<double>(build.ports) * build.banks * build.port_bits * build.crossbars;
        um2 += switches * switch_um(tech) * switch_um(tech);
    }
    return {um2, true};
}

floor_plan sram_plan(const technology& tech, const sram_build& build)
{
    floor_plan plan;
    plan.areas.push_back(sram_of("memory", 1, sram_area_um2(tech, build)));
    plan.longest_line_um = longest_crossbar_wire_um(tech, build).value;
    return plan;
}

} // namespace tensorloom::costs
