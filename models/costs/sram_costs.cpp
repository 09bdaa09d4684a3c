#include <tensorloom/models/costs/sram_costs.h>

namespace tensorloom::costs {

event_cost crossbar_energy(const technology& tech, const sram_build& build, unsigned bits)
{
    const auto pitch = tech.sram_edge_um(build.bank_bytes(), build.cell_ports);
    return tech.wire_energy(bits, {(static_cast<double>(build.banks) + build.ports) * pitch.value, pitch.estimate});
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
    return with_second_source(tech, [&](const technology& t) { return energy_by(t, build); });
}

figure sram_area_um2(const technology& tech, const sram_build& build)
{
    const double edge = tech.sram_edge_um(build.bank_bytes(), build.cell_ports).value;
    double um2 = build.banks * edge * edge;
    if (build.has_crossbar()) {
        const double side = 4 * tech.wire_pitch_um().value; // of a switch
        um2 += static_cast<double>(build.ports) * build.banks * build.port_bits * side * side;
    }
    return {um2, true};
}

floor_plan sram_plan(const technology& tech, const sram_build& build)
{
    floor_plan plan;
    const auto area = sram_area_um2(tech, build);
    plan.areas.push_back(sram_of("memory", 1, area));
    return plan;
}

} // namespace tensorloom::costs
