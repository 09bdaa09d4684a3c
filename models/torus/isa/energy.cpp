#include <tensorloom/models/torus/isa/energy.h>
#include <algorithm>
#include <cmath>
#include <string>
#include <tensorloom/models/costs/sram_costs.h>
#include <tensorloom/models/torus/isa/timing.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::torus {
namespace {

costs::event_cost sum(costs::event_cost a, costs::event_cost b) { return {a.pj + b.pj, a.estimate || b.estimate}; }

void check_parameters(const energy_parameters& g)
{
    const auto at_least_one = [](const std::string& name, std::uint64_t value) {
        if (value == 0) { throw base::input_error(name + ": found 0, expected 1 or more"); }
    };
    at_least_one("side", g.side);
    for (unsigned mode = 0; mode < 3; ++mode) {
        at_least_one("block along mode " + std::to_string(mode + 1), g.block[mode]);
    }
    at_least_one("multiply-adds per cycle", g.macs_per_cycle);
}

/// A multiply-add unit with its operands and its sum.
costs::figure unit_um2(const costs::technology& tech, const energy_parameters& g)
{
    constexpr double operands = 2; // that a multiply-add reads besides its sum
    const double element = base::element_bits(g.format), sum = base::element_bits(base::accumulator_type(g.format));
    const double bits = operands * element + sum + (g.mac_latency - 1) * (element + sum);
    return costs::processing_element_um2(tech, g.format, bits);
}

std::uint64_t words_of(const energy_parameters& g, slot which) { return shape_of(which, {g.block, g.block}).words(); }

std::uint64_t tensor_words(const energy_parameters& g)
{
    constexpr unsigned tensors = 4, received = 2;
    return (tensors + (g.receives_beside_work ? received : 0)) * words_of(g, slot::x);
}
std::uint64_t coefficient_words(const energy_parameters& g)
{
    const std::uint64_t blocks = words_of(g, slot::c_i) + words_of(g, slot::c_ii) + words_of(g, slot::c_iii);
    return std::max(blocks, g.coefficient_elements);
}

bool memory_is_registers(const energy_parameters& g) { return words_of(g, slot::x) == 1; }

double nodes_of(const energy_parameters& g) { return std::pow(static_cast<double>(g.side), 3); }

// Of 64 bits, to the node's memory.
costs::event_cost memory_access(const costs::technology& tech, const energy_parameters& g)
{
    if (memory_is_registers(g)) { return tech.energy("cell", "register_read", base::element_type::f64); }
    return {tech.local_memory_access(node_memory_bytes(g)).pj, true}; // that it costs what an SRAM costs is an estimate
}

costs::energy_model energy_by(const costs::technology& tech, const energy_parameters& g)
{
    check_parameters(g);
    const base::element_type sums = base::accumulator_type(g.format);
    const unsigned bits = base::element_bits(g.format);
    costs::energy_model model;
    model.events = events;
    model.costs.resize(event_count);
    const auto cost = [&](event e) -> costs::event_cost& { return model.costs[static_cast<std::size_t>(e)]; };

    const auto access = memory_access(tech, g);
    const auto of_bits = [&](unsigned n) { return costs::event_cost{access.pj * n / 64, access.estimate || n != 64}; };
    costs::event_cost fill = of_bits(base::element_bits(sums));
    fill.pj *= (1.0 / g.block[0] + 1.0 / g.block[1] + 1.0 / g.block[2]) / 3;
    if (memory_is_registers(g)) { fill = {}; }

    cost(event::mac) = tech.energy("cell", "mac", g.format);
    cost(event::compare) = {cost(event::mac).pj, true}; // an upper bound
    if (g.mac_latency > 1) {
        const auto passed = tech.energy("cell", "register_write", sums);
        cost(event::mac) = {cost(event::mac).pj + (g.mac_latency - 1) * passed.pj, true};
    }
    cost(event::register_read) = sum(tech.energy("cell", "register_read", sums), fill);
    cost(event::register_write) = sum(tech.energy("cell", "register_write", sums), fill);
    for (const auto e : {event::block_read, event::block_write, event::coefficient_copy}) { cost(e) = of_bits(bits); }

    const auto distances = node_distances_um(tech, g);
    const auto via = tech.via_fj_per_bit();
    const costs::event_cost vertical{bits * via.value * 1e-3, via.estimate}; // fJ to pJ
    const auto pitch_along = [&](axis along) {
        return g.vertical == along ? vertical : tech.wire_energy(bits, distances[static_cast<std::size_t>(along)]);
    };
    for (const auto along : {axis::q, axis::r, axis::s}) { cost(link_word_pitch(along)) = pitch_along(along); }
    cost(event::line_word_pitch_q) = pitch_along(axis::q);
    cost(event::line_word_pitch_s) = pitch_along(axis::s);

    costs::add_leakage(model, tech, device_area(tech, g).areas);
    return model;
}

} // namespace

std::uint64_t node_memory_words(const energy_parameters& g)
{
    check_parameters(g);
    return tensor_words(g) + coefficient_words(g);
}

std::uint64_t node_memory_bytes(const energy_parameters& g)
{
    check_parameters(g);
    return (tensor_words(g) * base::element_bits(base::accumulator_type(g.format)) +
            coefficient_words(g) * base::element_bits(g.format)) /
           8;
}

costs::figure node_pitch_um(const costs::technology& tech, const energy_parameters& g)
{
    const auto memory = tech.sram_edge_um(node_memory_bytes(g));
    return {std::sqrt(g.macs_per_cycle * unit_um2(tech, g).value + memory.value * memory.value), true};
}

std::array<costs::figure, 3> node_distances_um(const costs::technology& tech, const energy_parameters& g)
{
    const auto pitch = node_pitch_um(tech, g);
    std::array<costs::figure, 3> distances{pitch, pitch, pitch};
    if (g.vertical) {
        distances[static_cast<std::size_t>(*g.vertical)] = {};
        return distances;
    }
    const auto plane = costs::lay_flat(g.side, g.side, g.side);
    distances[static_cast<std::size_t>(axis::q)].value *= plane.across;
    distances[static_cast<std::size_t>(axis::r)].value *= plane.down;
    return distances;
}

costs::figure longest_wire_um(const costs::technology& tech, const energy_parameters& g)
{
    double furthest = 0;
    for (const auto& distance : node_distances_um(tech, g)) { furthest = std::max(furthest, distance.value); }
    return {static_cast<double>(longest_link(g.side, g.folded)) * furthest, true};
}

costs::energy_model device_energy(const costs::technology& tech, const energy_parameters& g)
{
    return costs::with_second_source(tech, "torus", [&](const costs::technology& t) { return energy_by(t, g); });
}

costs::floor_plan device_area(const costs::technology& tech, const energy_parameters& g)
{
    check_parameters(g);
    const auto longest = longest_wire_um(tech, g);

    costs::floor_plan plan;
    auto nodes = costs::component_of("nodes", nodes_of(g) * g.macs_per_cycle, unit_um2(tech, g));
    nodes.tiers = g.vertical ? g.side : 1;
    plan.areas.push_back(nodes);
    if (!memory_is_registers(g)) {
        const auto memory = costs::sram_area_um2(tech, {node_memory_bytes(g)});
        auto memories = costs::sram_of("node_memory", nodes_of(g), memory);
        memories.tiers = nodes.tiers;
        plan.areas.push_back(std::move(memories));
    }
    if (g.link_words > 0) {
        const double bits = 1.0 * axes * g.link_words * base::element_bits(g.format);
        auto links = costs::component_of("links", nodes_of(g),
                                         costs::gate_area_um2(tech, {bits * costs::held_flip_flop_nand2, true}));
        links.tiers = nodes.tiers;
        plan.areas.push_back(std::move(links));
    }
    if (g.load_elements > 0) {
        const double bits = 2.0 * g.load_elements * base::element_bits(g.format);
        plan.areas.push_back(
            costs::component_of("memory_port", 1, costs::gate_area_um2(tech, {bits * costs::flip_flop_nand2, true})));
    }
    costs::add_dma(plan.areas, tech, g.dma);
    plan.path_gates = costs::multiply_add_levels(g.format);
    plan.path_cycles = g.mac_latency;
    plan.longest_line_um = longest.value;
    plan.settling_cycles = static_cast<double>(hop_cycles(g.side, g.folded, g.cycles_per_pitch));
    return plan;
}

} // namespace tensorloom::torus
