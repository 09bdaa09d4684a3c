#include <tensorloom/models/arch/triada/energy.h>

#include <array>
#include <tensorloom/models/arch/values/input_error.h>

namespace tensorloom::arch::triada {

namespace {

constexpr unsigned tag_bits = 1;

event_cost hop(const technology& tech, const geometry& geometry, unsigned mode, unsigned bits)
{
    if (mode + 1 == geometry.vertical_mode) {
        const auto via = tech.via_fj_per_bit();
        return {bits * via.value * 1e-3, via.estimate}; // fJ to pJ
    }
    return tech.wire_energy(bits, tech.cell_pitch_um(geometry.format));
}

// `events`, but that a step costs something.
constexpr auto events_with_strobe = [] {
    std::array<event_definition, event_count> all{};
    for (std::size_t e = 0; e < event_count; ++e) { all[e] = event_definitions[e]; }
    all[static_cast<std::size_t>(event::step)].component = "strobe";
    return all;
}();

// A comb in each tier passes every cell position of it; one column of vias joins the tiers.
event_cost strobe(const technology& tech, const geometry& geometry, double cells)
{
    const unsigned bits = strobe_bits(geometry.format);
    const auto planar = tech.wire_energy(bits, tech.cell_pitch_um(geometry.format));
    event_cost cost{cells * planar.pj, planar.estimate};
    if (geometry.vertical_mode != 0) {
        const auto via = tech.via_fj_per_bit();
        cost.pj += geometry.mesh[geometry.vertical_mode - 1] * bits * via.value * 1e-3; // fJ to pJ
        cost.estimate = cost.estimate || via.estimate;
    }
    return cost;
}

} // namespace

unsigned strobe_bits(element_type format)
{
    constexpr unsigned begins = 1, source = 2, target = 2, y_mode = 2, esop = 1, shift = 5;
    return begins + source + target + y_mode + esop + (format == element_type::int8 ? shift : 0);
}

energy_model device_energy(const technology& tech, const geometry& geometry)
{
    for (unsigned mode = 0; mode < 3; ++mode) {
        if (geometry.mesh[mode] == 0) {
            throw input_error("mesh: found 0 cells along mode " + std::to_string(mode + 1) + ", expected 1 or more");
        }
    }
    if (geometry.vertical_mode > 3) {
        throw input_error("vertical mode: found " + std::to_string(geometry.vertical_mode) +
                          ", expected 1, 2, 3, or 0 for none");
    }

    const element_type format = geometry.format;
    const unsigned bits = element_bits(format);
    energy_model model;
    model.events = events;
    model.costs.resize(event_count);
    const auto cost = [&](event event) -> event_cost& { return model.costs[static_cast<std::size_t>(event)]; };

    cost(event::mac) = tech.energy("cell", "mac", format);
    // An element register is as wide as the sum that it may hold.
    cost(event::register_read) = tech.energy("cell", "register_read", accumulator_type(format));
    cost(event::register_write) = tech.energy("cell", "register_write", accumulator_type(format));
    for (unsigned mode = 0; mode < 3; ++mode) {
        cost(coefficient_hop(mode)) = hop(tech, geometry, mode, bits + tag_bits);
        cost(operand_hop(mode)) = hop(tech, geometry, mode, bits);
    }
    // That an actuator's memory costs what an SRAM of its bank's size costs is itself an estimate.
    const double access_pj = tech.sram_access(geometry.actuator_bank_bytes).pj * bits / 64;
    cost(event::coefficient_read) = {access_pj, true};
    cost(event::coefficient_write) = {access_pj, true};

    const auto leakage = tech.cell_leakage_mw(format);
    const double cells = double(geometry.mesh[0]) * geometry.mesh[1] * geometry.mesh[2];
    if (geometry.strobe) {
        model.events = {events_with_strobe.data(), events_with_strobe.size()};
        cost(event::step) = strobe(tech, geometry, cells);
    }
    model.leakage.push_back({"leakage", cells * leakage.value, leakage.estimate});
    return model;
}

} // namespace tensorloom::arch::triada
