#include <tensorloom/models/triada/isa/energy.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tensorloom/models/costs/sram_costs.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::triada {
namespace {

constexpr unsigned tag_bits = 1;

costs::event_cost hop(const costs::technology& tech, const energy_parameters& parameters, unsigned mode, unsigned bits)
{
    if (mode + 1 == parameters.vertical_mode) {
        const auto via = tech.via_fj_per_bit();
        return {bits * via.value * 1e-3, via.estimate}; // fJ to pJ
    }
    return tech.wire_energy(bits, cell_distances_um(tech, parameters)[mode]);
}

// `events`, with a cost for each step.
constexpr auto events_with_strobe = [] {
    std::array<base::event_definition, event_count> all{};
    for (std::size_t e = 0; e < event_count; ++e) { all[e] = event_definitions[e]; }
    all[static_cast<std::size_t>(event::step)].component = "strobe";
    return all;
}();

// A comb in each tier passes every cell position of it; one column of vias joins the tiers.
costs::event_cost strobe(const costs::technology& tech, const energy_parameters& parameters, double cells)
{
    const unsigned bits = strobe_bits(parameters.format);
    const auto planar = tech.wire_energy(bits, costs::cell_pitch_um(tech, parameters.format, parameters.registers));
    costs::event_cost cost{cells * planar.pj, planar.estimate};
    if (parameters.vertical_mode != 0) {
        const auto via = tech.via_fj_per_bit();
        cost.pj += parameters.mesh[parameters.vertical_mode - 1] * bits * via.value * 1e-3; // fJ to pJ
        cost.estimate = cost.estimate || via.estimate;
    }
    return cost;
}

void check_parameters(const energy_parameters& parameters)
{
    for (unsigned mode = 0; mode < 3; ++mode) {
        if (parameters.mesh[mode] == 0) {
            throw base::input_error("mesh: found 0 cells along mode " + std::to_string(mode + 1) +
                                    ", expected 1 or more");
        }
    }
    if (parameters.vertical_mode > 3) {
        base::refuse("vertical mode", std::to_string(parameters.vertical_mode), "1, 2, 3, or 0 for none");
    }
}

double cells_of(const energy_parameters& g) { return double(g.mesh[0]) * g.mesh[1] * g.mesh[2]; }

// Of the actuators of all modes.
double actuator_banks(const energy_parameters& g)
{
    double banks = 0;
    for (const double cells : g.mesh) {
        const double elements = g.matrix_elements != 0 ? g.matrix_elements : cells * cells;
        banks += std::ceil(elements * base::element_bytes(g.format) / static_cast<double>(g.actuator_bank_bytes));
    }
    return banks;
}

costs::energy_model energy_by(const costs::technology& tech, const energy_parameters& parameters)
{
    check_parameters(parameters);
    const base::element_type format = parameters.format;
    const unsigned bits = base::element_bits(format);
    costs::energy_model model;
    model.events = events;
    model.costs.resize(event_count);
    const auto cost = [&](triada::event event) -> costs::event_cost& {
        return model.costs[static_cast<std::size_t>(event)];
    };

    cost(event::mac) = tech.energy("cell", "mac", format);
    cost(event::compare) = {cost(event::mac).pj, true}; // an upper bound: the unit subtracts
    // An element register is as wide as the sum that it may hold.
    cost(event::register_read) = tech.energy("cell", "register_read", base::accumulator_type(format));
    cost(event::register_write) = tech.energy("cell", "register_write", base::accumulator_type(format));
    for (unsigned mode = 0; mode < 3; ++mode) {
        cost(coefficient_hop(mode)) = hop(tech, parameters, mode, bits + tag_bits);
        cost(operand_hop(mode)) = hop(tech, parameters, mode, bits);
    }
    // Equating an actuator's memory with an SRAM of its bank's size is itself an estimate.
    const double access_pj = tech.sram_access(parameters.actuator_bank_bytes).pj * bits / 64;
    cost(event::coefficient_read) = {access_pj, true};
    cost(event::coefficient_write) = {access_pj, true};

    if (parameters.strobe) {
        model.events = {events_with_strobe.data(), events_with_strobe.size()};
        cost(event::step) = strobe(tech, parameters, cells_of(parameters));
    }
    costs::add_leakage(model, tech, device_area(tech, parameters).areas);
    return model;
}

} // namespace

std::array<costs::figure, 3> cell_distances_um(const costs::technology& tech, const energy_parameters& g)
{
    const auto pitch = costs::cell_pitch_um(tech, g.format, g.registers);
    std::array<costs::figure, 3> distances{pitch, pitch, pitch};
    if (g.vertical_mode != 0) {
        distances[g.vertical_mode - 1] = {};
        return distances;
    }
    const unsigned layered = g.mesh[2] <= std::min(g.mesh[0], g.mesh[1]) ? 2 : g.mesh[1] <= g.mesh[0] ? 1 : 0;
    const unsigned width = layered == 0 ? 1 : 0, height = layered == 2 ? 1 : 2;
    const auto plane = costs::lay_flat(g.mesh[width], g.mesh[height], g.mesh[layered]);
    distances[width].value *= plane.across;
    distances[height].value *= plane.down;
    return distances;
}

std::uint64_t on_chip_bytes(const energy_parameters& g)
{
    const auto sums = static_cast<std::uint64_t>(cells_of(g)) * g.registers;
    return sums * base::element_bytes(base::accumulator_type(g.format)) +
           static_cast<std::uint64_t>(actuator_banks(g)) * g.actuator_bank_bytes;
}

unsigned strobe_bits(base::element_type format)
{
    constexpr unsigned begins = 1, source = 2, target = 2, y_mode = 2, esop = 1, shift = 5;
    return begins + source + target + y_mode + esop + (format == base::element_type::int8 ? shift : 0);
}

costs::energy_model device_energy(const costs::technology& tech, const energy_parameters& parameters)
{
    return costs::with_second_source(tech, "triada", [&](const costs::technology& t) { return energy_by(t, parameters); });
}

costs::floor_plan device_area(const costs::technology& tech, const energy_parameters& parameters)
{
    check_parameters(parameters);
    const double pitch_um = costs::cell_pitch_um(tech, parameters.format, parameters.registers).value;
    const auto distances = cell_distances_um(tech, parameters);
    const double cells = cells_of(parameters);
    const auto cell = costs::gate_area_um2(tech, costs::mesh_cell_gates(parameters.format, parameters.registers));
    const auto bank = costs::sram_area_um2(tech, {parameters.actuator_bank_bytes});

    costs::floor_plan plan;
    auto mesh = costs::component_of("cells", cells, cell);
    if (costs::has_cell_pitch(tech, parameters.format)) { mesh.by_pitch_um2 = cells * pitch_um * pitch_um; }
    if (parameters.vertical_mode != 0) { mesh.tiers = parameters.mesh[parameters.vertical_mode - 1]; }
    plan.areas = {mesh, costs::sram_of("actuators", actuator_banks(parameters), bank)};
    const double all = 0.0 + parameters.mesh[0] + parameters.mesh[1] + parameters.mesh[2];
    const double rows = parameters.look_ahead != 0 ? std::min<double>(parameters.look_ahead, all) : all;
    plan.areas.push_back(
        costs::component_of("control", 1, costs::gate_area_um2(tech, costs::stage_control_gates(rows))));
    const unsigned bits = base::element_bits(parameters.format);
    costs::gate_count port{2.0 * parameters.load_elements * bits * costs::flip_flop_nand2, true};
    if (parameters.aligned_elements > 0) {
        port.nand2 += costs::aligner_gates(parameters.aligned_elements, bits).nand2;
    }
    if (parameters.load_elements + parameters.aligned_elements > 0) {
        plan.areas.push_back(costs::component_of("memory_port", 1, costs::gate_area_um2(tech, port)));
    }
    costs::add_dma(plan.areas, tech, parameters.dma);
    for (unsigned mode = 0; mode < 3; ++mode) {
        plan.longest_line_um = std::max(plan.longest_line_um, parameters.mesh[mode] * distances[mode].value);
    }
    const double third = parameters.step_cycles / 3.0, mac_cycles = std::max(third, 1.0 * parameters.mac_latency);
    if (parameters.step_cycles < lines_cycles + parameters.mac_latency) { // lines and multiply-add in the same cycles
        plan.settling_cycles = third;
        plan.path_gates = costs::mesh_cell_levels(parameters.format);
        plan.path_cycles = parameters.step_cycles;
    } else {
        plan.settling_cycles = (parameters.step_cycles - mac_cycles) / lines_cycles;
        plan.path_gates = costs::multiply_add_levels(parameters.format);
        plan.path_cycles = mac_cycles;
    }
    return plan;
}

} // namespace tensorloom::triada
