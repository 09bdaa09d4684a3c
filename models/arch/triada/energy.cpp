#include <tensorloom/models/arch/triada/energy.h>

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

} // namespace

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
    model.leakage.push_back({"leakage", cells * leakage.value, leakage.estimate});
    return model;
}

} // namespace tensorloom::arch::triada
