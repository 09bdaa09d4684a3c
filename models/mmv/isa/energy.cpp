#include <tensorloom/models/mmv/isa/energy.h>
#include <algorithm>
#include <cmath>
#include <tensorloom/models/costs/sram_costs.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/isa/vector/limits.h>

namespace tensorloom::mmv {
namespace {

costs::event_cost sum(costs::event_cost a, costs::event_cost b) { return {a.pj + b.pj, a.estimate || b.estimate}; }
costs::event_cost times(double factor, costs::event_cost cost) { return {factor * cost.pj, cost.estimate}; }

void check_parameters(const energy_parameters& g)
{
    const auto at_least_one = [](const char* name, std::uint64_t value) {
        if (value == 0) { throw base::input_error(std::string(name) + ": found 0, expected 1 or more"); }
    };
    at_least_one("side", g.side);
    at_least_one("pipeline depth", g.pipeline_depth);
    at_least_one("lanes", g.lanes);
    at_least_one("scalar operations per cycle", g.scalar_ops);
    at_least_one("banks", g.banks);
    at_least_one("ports of a bank", g.bank_ports);
    at_least_one("bytes of a bank", g.scratchpad_bytes / g.banks);
    if (!(g.vector_scale >= 0) || std::isinf(g.vector_scale)) {
        base::refuse("vector scale", std::to_string(g.vector_scale), "a number of at least 0");
    }
}

// Two-way switches between any lane and any bank.
unsigned routing_stages(const energy_parameters& g)
{
    unsigned stages = 0;
    while (std::uint64_t{1} << stages < std::max(g.lanes, g.banks)) { ++stages; }
    return stages;
}

costs::sram_build scratchpad(const energy_parameters& g)
{
    costs::sram_build build;
    build.bytes = g.scratchpad_bytes;
    build.banks = g.banks;
    build.ports = g.lanes;
    build.cell_ports = g.bank_ports;
    build.port_bits = base::element_bits(base::accumulator_type(g.format));
    build.crossbars = g.bank_ports;
    return build;
}

bool has(const energy_parameters& g, isa::vector::functional_block b)
{
    return (g.blocks & isa::vector::block_bit(b)) != 0;
}

// A lane with all its parts active.
costs::event_cost lane_per_cycle(const costs::energy_model& model, const energy_parameters& g)
{
    const auto cost = [&](event e) { return model.costs[static_cast<std::size_t>(e)]; };
    costs::event_cost lane = sum(cost(event::lane_add), cost(event::lane_logic));
    if (has(g, isa::vector::functional_block::multiplier)) { lane = sum(lane, cost(event::lane_multiply)); }
    if (has(g, isa::vector::functional_block::revspec)) { lane = sum(lane, cost(event::revspec_op)); }
    if (has(g, isa::vector::functional_block::compact)) { lane = sum(lane, cost(event::compact_op)); }
    if (has(g, isa::vector::functional_block::revert)) { lane = sum(lane, cost(event::revert_op)); }
    if (has(g, isa::vector::functional_block::activation)) { lane = sum(lane, cost(event::lane_function)); }
    if (has(g, isa::vector::functional_block::reduction)) { lane = sum(lane, cost(event::lane_add)); }
    if (has(g, isa::vector::functional_block::multiply_add)) { lane = sum(lane, cost(event::lane_multiply_add)); }
    if (has(g, isa::vector::functional_block::conversion)) { lane = sum(lane, cost(event::lane_logic)); }
    return lane;
}

costs::energy_model events_by(const costs::technology& tech, const energy_parameters& g)
{
    check_parameters(g);
    const base::element_type word = base::accumulator_type(g.format);
    costs::energy_model model;
    model.events = events;
    model.costs.resize(event_count);
    const auto cost = [&](event e) -> costs::event_cost& { return model.costs[static_cast<std::size_t>(e)]; };

    const costs::event_cost element_write = tech.energy("cell", "register_write", g.format);
    const costs::event_cost sum_writes = times(g.pipeline_depth, tech.energy("cell", "register_write", word));
    const costs::event_cost pe_registers =
        sum(tech.energy("cell", "register_read", g.format), sum(element_write, sum_writes));
    cost(event::mac) = sum(tech.energy("cell", "mac", g.format), pe_registers);
    cost(event::sum_added) = tech.energy("vector", "add", word);
    cost(event::weight_write) = times((g.side + 1.0) / 2, element_write);

    const auto vector = [&](const char* work) { return times(g.vector_scale, tech.energy("vector", work, word)); };
    const double stages = routing_stages(g);
    cost(event::lane_add) = vector("add");
    cost(event::lane_multiply) = vector("multiply");
    const auto computes = [&](isa::vector::opcode code) {
        return has(g, *isa::vector::needed_block(code)) && isa::vector::exists_in_format(code, word);
    };
    if (computes(isa::vector::opcode::mul_add)) { cost(event::lane_multiply_add) = vector("multiply_add"); }
    if (computes(isa::vector::opcode::exp)) { cost(event::lane_function) = vector("function"); }
    cost(event::lane_logic) = vector("logic");
    cost(event::lane_move) = vector("move");
    cost(event::revspec_op) = sum(times(g.side, vector("revspec")), vector("add"));
    cost(event::compact_op) = sum(times(stages, vector("compact")), vector("move"));
    cost(event::revert_op) = sum(times(stages, vector("revert")), vector("add"));
    cost(event::scalar_op) = tech.energy("scalar", "op", word);

    const costs::sram_build banks = scratchpad(g);
    const auto access = tech.sram_access(banks.bank_bytes(), banks.cell_ports);
    const unsigned bits = base::element_bits(word);
    cost(event::scratchpad_read) =
        sum({access.pj * bits / 64, access.estimate || bits != 64}, costs::crossbar_energy(tech, banks, bits));
    cost(event::scratchpad_write) = cost(event::scratchpad_read);

    return model;
}

costs::energy_model energy_by(const costs::technology& tech, const energy_parameters& g)
{
    auto model = events_by(tech, g);
    costs::add_leakage(model, tech, device_area(tech, g).areas);
    for (auto& leakage : model.leakage) {
        if (leakage.part == "vector_unit") { leakage.mw *= g.vector_scale; }
    }
    return model;
}

} // namespace

costs::energy_model device_energy(const costs::technology& tech, const energy_parameters& g)
{
    return costs::with_second_source(tech, "mmv", [&](const costs::technology& t) { return energy_by(t, g); });
}

costs::floor_plan device_area(const costs::technology& tech, const energy_parameters& given)
{
    energy_parameters g = given;
    g.vector_scale = 1;
    const auto model = events_by(tech, g);
    const base::element_type word = base::accumulator_type(g.format);
    const double pes = static_cast<double>(g.side) * g.side;
    const double word_pe = costs::processing_element_um2(tech, word, 0).value;
    const double word_mac = tech.energy("cell", "mac", word).pj;
    const auto by_energy = [&](double copies, costs::event_cost per_cycle) {
        return copies * word_pe * per_cycle.pj / word_mac;
    };
    const double element_bits = base::element_bits(g.format), word_bits = base::element_bits(word);
    auto element = costs::systolic_element_gates(g.format);
    element.estimate = element.estimate || g.pipeline_depth != 1 || g.streaming;
    element.nand2 += (g.pipeline_depth - 1) * (element_bits + word_bits) * costs::flip_flop_nand2;
    if (g.streaming) { element.nand2 += element_bits * costs::flip_flop_nand2; }
    const auto banks = scratchpad(g);

    const auto or_side = [&](std::uint32_t words) { return words != 0 ? words : g.side; };
    const double port_bits = or_side(g.in_words) * element_bits + or_side(g.out_words) * word_bits;

    costs::floor_plan plan;
    plan.path_gates = costs::multiply_add_levels(g.format);
    plan.path_cycles = g.pipeline_depth;
    plan.longest_line_um = costs::longest_crossbar_wire_um(tech, banks).value;
    const auto scratchpad_area = costs::sram_area_um2(tech, banks);
    plan.areas = {
        costs::component_of("matrix_unit", pes, costs::gate_area_um2(tech, element)),
        {"vector_unit", by_energy(g.lanes, lane_per_cycle(model, g)), true},
        {"scalar_unit", by_energy(g.scalar_ops, model.costs[static_cast<std::size_t>(event::scalar_op)]), true},
        costs::sram_of("scratchpad", 1, scratchpad_area),
        costs::component_of("array_ports", 1, costs::gate_area_um2(tech, {port_bits * costs::flip_flop_nand2, true}))};
    costs::add_dma(plan.areas, tech, g.dma);
    return plan;
}

} // namespace tensorloom::mmv
