#include <tensorloom/workloads/accelerators/evaluation.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorloom/models/arch/fetta/costs.h>
#include <tensorloom/workloads/accelerators/rival_array.h>
#include <tensorloom/workloads/accelerators/tile_loops.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>

namespace tensorloom::workloads {
namespace {

using arch::fetta::event;

constexpr std::uint64_t kept_elements = 131072; // half of the unified memory

arch::energy_model energy_of(const accelerator& machine, const arch::technology& technology,
                             const evaluation_settings& settings)
{
    arch::fetta::energy_settings s;
    s.geometry = geometry_of(settings);
    s.clock_ghz = 1 / settings.clock_ns;
    auto model = arch::fetta::device_energy(technology, s);
    const auto scale = [&](event e, double factor) {
        auto& cost = model.costs[static_cast<std::size_t>(e)];
        cost.pj *= factor;
        cost.estimate = cost.estimate || (factor != 0 && factor != 1);
    };
    scale(event::ia_element, machine.distribution);
    scale(event::ib_element, machine.distribution);
    scale(event::reduction_element, machine.reduction);
    return model;
}

step_settings planner_settings(const evaluation_settings& s, const arch::energy_model& energy)
{
    step_settings p;
    p.training = s.training;
    p.update = s.update;
    p.memory = s.memory;
    p.costs = mapping_costs(energy, s.clock_ns);
    if (s.residency != evaluated_residency::blocked) { p.residency = step_residency::spill; }
    if (s.residency == evaluated_residency::kept) { p.spilled_above = kept_elements; }
    return p;
}

std::string text_of(const contraction_graph& graph, std::size_t contraction)
{
    const auto& c = graph.contractions[contraction];
    const auto& t = graph.tensors;
    return t[c.result].name + " = " + t[c.a].name + "." + t[c.b].name;
}

// What a pass moves for its contractions: operands with the first that uses them, results with their maker.
void add_transfers(evaluated_contraction& row, const step_plan& plan, const step_plan::execution& e,
                   const memory_estimate& memory)
{
    const auto& pass = plan.passes[e.pass];
    const auto in_body = std::find(pass.body.begin(), pass.body.end(), e.contraction);
    if (in_body == pass.body.end()) { return; }
    const auto uses = [&](std::size_t c, std::size_t t) {
        return plan.graph.contractions[c].a == t || plan.graph.contractions[c].b == t;
    };
    const std::uint64_t times = e.times * e.slices;
    double cycles = 0;
    for (const auto& moved : pass.loads) {
        const bool first = std::find_if(pass.body.begin(), pass.body.end(),
                                        [&](std::size_t c) { return uses(c, moved.tensor); }) == in_body;
        if (!first) { continue; }
        const std::uint64_t bytes = plan.loaded_bytes(moved.tensor);
        row.read_bytes += times * bytes;
        cycles += memory.transfer_cycles + static_cast<double>(bytes) / memory.bytes_per_cycle;
    }
    for (const auto& moved : pass.stores) {
        if (plan.graph.contractions[e.contraction].result != moved.tensor) { continue; }
        const std::uint64_t bytes = plan.bytes_of(moved.tensor);
        row.written_bytes += times * bytes;
        cycles += memory.transfer_cycles + static_cast<double>(bytes) / memory.bytes_per_cycle;
    }
    row.dram_cycles = static_cast<std::uint64_t>(std::llround(static_cast<double>(times) * cycles));
}

evaluated_contraction row_of(const step_plan& plan, const step_plan::execution& e, const memory_estimate& memory)
{
    const std::uint64_t times = e.times * e.slices;
    evaluated_contraction row;
    row.phase = e.phase;
    row.text = text_of(plan.graph, e.contraction);
    row.contraction = e.contraction;
    row.times = times;
    row.macs = plan.graph.macs(e.contraction);
    row.compute_cycles = times * plan.cycles[e.contraction];
    row.conflict_cycles = times * plan.conflicts[e.contraction];
    row.reorder_cycles =
        static_cast<std::uint64_t>(std::llround(static_cast<double>(times) * plan.reorder_cycles[e.contraction]));
    add_transfers(row, plan, e, memory);
    row.read_bytes += times * plan.reordered_bytes[e.contraction];
    row.written_bytes += times * plan.reordered_bytes[e.contraction];
    return row;
}

} // namespace

std::optional<evaluation> evaluate(const accelerator& machine, const contraction_graph& graph,
                                   const arch::technology& technology, const evaluation_settings& settings)
{
    const auto energy = energy_of(machine, technology, settings);
    const auto plan =
        sketched_plan(graph, geometry_of(settings), planner_settings(settings, energy), *array_of(machine, settings));
    if (!plan) { return std::nullopt; }
    evaluation found;
    found.blocks = plan->blocks;
    found.cycles = plan->estimated_cycles();
    for (const auto& e : plan->executions()) {
        const auto row = row_of(*plan, e, settings.memory);
        found.compute_cycles += row.compute_cycles;
        found.conflict_cycles += row.conflict_cycles;
        found.reorder_cycles += row.reorder_cycles;
        found.dram_cycles += row.dram_cycles;
        found.macs += row.macs;
        found.read_bytes += row.read_bytes;
        found.written_bytes += row.written_bytes;
        found.contractions.push_back(row);
    }
    const auto traffic = plan->estimated_traffic();
    found.rest_read_bytes = traffic.read - found.read_bytes;
    found.rest_written_bytes = traffic.written - found.written_bytes;
    found.read_bytes = traffic.read;
    found.written_bytes = traffic.written;
    const auto share = [&](std::uint64_t cycles) {
        return static_cast<double>(found.macs) / (static_cast<double>(array_pes) * static_cast<double>(cycles));
    };
    found.utilisation = share(found.cycles);
    found.array_utilisation = share(found.compute_cycles + found.conflict_cycles);
    found.counts = plan->estimated_counts();
    for (const event e :
         {event::ia_row_read, event::ib_row_read, event::result_row_write, event::load_row, event::store_row}) {
        found.sram_rows += found.counts[e];
    }
    arch::add_energy(found.energy, energy, found.counts.data(), static_cast<double>(found.cycles) * settings.clock_ns);
    const auto& memory = settings.memory;
    const double dram = memory.read_pj_per_byte * static_cast<double>(traffic.read) +
                        memory.write_pj_per_byte * static_cast<double>(traffic.written);
    found.energy.push_back({"dram", dram, false});
    found.energy.push_back({"dram_background", memory.pj_per_cycle * static_cast<double>(found.cycles), false});
    found.energy_pj = arch::total_pj(found.energy);
    found.dram_share = (dram + found.energy.back().pj) / found.energy_pj;
    return found;
}

contraction_tree best_sequence(const accelerator& machine, const tensorized_layer& layer, bool with_dx,
                               mapping_objective objective, const arch::technology& technology,
                               const evaluation_settings& settings)
{
    const auto network = forward_network(layer);
    if (!machine.sequence.empty()) { return *fixed_tree(network, machine.sequence_of(layer)); }
    search_request request;
    request.top = 4;
    const auto cost = [&](const tensor_network&, const contraction_tree& tree) {
        const auto found = evaluate(machine, step_graph(layer, tree, with_dx), technology, settings);
        return found ? step_cost{found->cycles, found->energy_pj}.by(objective)
                     : std::numeric_limits<double>::infinity();
    };
    return ranked(network, candidates_of(network, request).trees, cost, request).best.front().tree;
}

} // namespace tensorloom::workloads
