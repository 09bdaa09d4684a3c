#include <tensorloom/workloads/accelerators/evaluation.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/accelerators/baseline_array.h>
#include <tensorloom/workloads/accelerators/tile_loops.h>
#include <tensorloom/workloads/contraction/einsum.h>
#include <tensorloom/workloads/contraction/plan_search.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/contraction_search/training_step.h>
#include <tensorloom/workloads/step_planner/contract_choice.h>
#include <tensorloom/workloads/step_planner/processing_array.h>

namespace tensorloom::workloads {
namespace {

using fetta::event;

constexpr std::uint64_t kept_elements = 131072; // half of the unified memory

bool is_fetta(const accelerator& machine) { return machine.split == spatial_split::engines; }

operand_paths paths_of(const accelerator& machine, const evaluation_settings& settings)
{
    if (machine.reordering == data_reordering::permuted) { return operand_paths::unbuffered; }
    return settings.paths;
}

costs::energy_model energy_of(const accelerator& machine, const costs::technology& technology,
                              const evaluation_settings& settings)
{
    fetta::energy_settings s;
    s.limits = limits_of(settings);
    s.clock_ghz = 1 / settings.clock_ns;
    s.has_buffers = is_fetta(machine) && paths_of(machine, settings) != operand_paths::unbuffered;
    auto model = fetta::device_energy(technology, s);
    const auto scale = [&](event e, double factor) {
        auto& cost = model.costs[static_cast<std::size_t>(e)];
        cost.pj *= factor;
        cost.estimate = cost.estimate || (factor != 0 && factor != 1);
    };
    scale(event::ia_element, machine.distribution);
    scale(event::ib_element, machine.distribution);
    scale(event::reduction_element, machine.reduction);
    for (auto& leakage : model.leakage) { // of a network that it has not, or has in part
        if (leakage.part == "distribution_network") { leakage.mw *= machine.distribution; }
        if (leakage.part == "reduction_network") { leakage.mw *= machine.reduction; }
    }
    return model;
}

step_settings planner_settings(const evaluation_settings& s, const costs::energy_model& energy)
{
    step_settings p;
    p.training = s.training;
    p.update = s.update;
    p.block = s.block;
    p.memory = s.memory;
    p.costs = mapping_costs(energy, s.clock_ns);
    if (s.residency != evaluated_residency::blocked) { p.residency = step_residency::spill; }
    if (s.residency == evaluated_residency::kept) { p.spilled_above = kept_elements; }
    return p;
}

std::optional<step_plan> plan_of(const accelerator& machine, const contraction_graph& graph,
                                 const evaluation_settings& settings, const costs::energy_model& energy)
{
    const auto g = limits_of(settings);
    auto planner = planner_settings(settings, energy);
    planner.natural_orders = settings.layouts == line_layouts::natural;
    planner.paths = paths_of(machine, settings);
    const bool counts_conflicts =
        planner.natural_orders || settings.whole_plans || planner.paths != operand_paths::gathered;
    if (!is_fetta(machine) || !counts_conflicts || settings.layouts == line_layouts::ideal) {
        return sketched_plan(graph, g, planner, *array_of(machine, settings));
    }
    try {
        return find_plan(graph, g, planner);
    } catch (const base::input_error&) { // its sums do not fit
        return std::nullopt;
    }
}

std::uint64_t sram_rows_of(const fetta::counts& counts)
{
    std::uint64_t sum = 0;
    for (const event e :
         {event::ia_row_read, event::ib_row_read, event::result_row_write, event::load_row, event::store_row}) {
        sum += counts[e];
    }
    return sum;
}

void add(fetta::counts& sum, const fetta::counts& more, std::uint64_t times = 1)
{
    for (std::size_t e = 0; e < fetta::event_count; ++e) { sum.data()[e] += times * more.data()[e]; }
}

// Rows that a transfer of so many bytes touches.
std::uint64_t rows_of(std::uint64_t bytes)
{
    constexpr std::uint64_t row = 8;
    return (bytes + row - 1) / row;
}

// Accesses and energy of a contraction, of all that it counts and moves.
void price(evaluated_contraction& row, const fetta::counts& counts, const costs::energy_model& energy,
           const evaluation_settings& settings)
{
    const auto& memory = settings.memory;
    row.sram_rows = sram_rows_of(counts);
    row.energy_pj = mapping_costs(energy, settings.clock_ns).pj(counts, 0) +
                    memory.read_pj_per_byte * static_cast<double>(row.read_bytes) +
                    memory.write_pj_per_byte * static_cast<double>(row.written_bytes);
}

std::string text_of(const contraction_graph& graph, std::size_t contraction)
{
    const auto& c = graph.contractions[contraction];
    const auto& t = graph.tensors;
    return t[c.result].name + " = " + t[c.a].name + "." + t[c.b].name;
}

// What a pass moves for its contractions: operands with the first that uses them, results with their maker.
void add_transfers(evaluated_contraction& row, fetta::counts& counts, const step_plan& plan,
                   const step_plan::execution& e, const memory_estimate& memory)
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
        counts[event::load_row] += times * rows_of(bytes);
        cycles += memory.transfer_cycles + static_cast<double>(bytes) / memory.bytes_per_cycle;
    }
    for (const auto& moved : pass.stores) {
        if (plan.graph.contractions[e.contraction].result != moved.tensor) { continue; }
        const std::uint64_t bytes = plan.bytes_of(moved.tensor);
        row.written_bytes += times * bytes;
        counts[event::store_row] += times * rows_of(bytes);
        cycles += memory.transfer_cycles + static_cast<double>(bytes) / memory.bytes_per_cycle;
    }
    row.dram_cycles = static_cast<std::uint64_t>(std::llround(static_cast<double>(times) * cycles));
}

evaluated_contraction row_of(const step_plan& plan, const step_plan::execution& e, const costs::energy_model& energy,
                             const evaluation_settings& settings)
{
    const std::size_t c = e.contraction;
    const std::uint64_t times = e.times * e.slices, reordered = plan.reordered_bytes[c];
    evaluated_contraction row;
    row.phase = e.phase;
    row.text = text_of(plan.graph, c);
    row.contraction = c;
    row.times = times;
    row.macs = plan.graph.macs(c);
    row.in_other_order = plan.in_other_order[c];
    row.compute_cycles = times * plan.cycles[c];
    row.conflict_cycles = times * plan.conflicts[c];
    row.reorder_cycles = static_cast<std::uint64_t>(std::llround(static_cast<double>(times) * plan.reorder_cycles[c]));
    fetta::counts counts;
    add(counts, plan.counts[c], e.slices * (e.times - 1));
    add(counts, plan.last_counts[c], e.slices);
    add_transfers(row, counts, plan, e, settings.memory);
    row.read_bytes += times * reordered;
    row.written_bytes += times * reordered;
    counts[event::load_row] += times * rows_of(reordered);
    counts[event::store_row] += times * rows_of(reordered);
    price(row, counts, energy, settings);
    return row;
}

// Sums of the rows, utilisation and energy, of what an evaluation has: cycles, rows, counts, all traffic.
void finish(evaluation& found, const costs::energy_model& energy, const evaluation_settings& settings)
{
    found.rest_read_bytes = found.read_bytes;
    found.rest_written_bytes = found.written_bytes;
    for (const auto& row : found.contractions) {
        found.compute_cycles += row.compute_cycles;
        found.conflict_cycles += row.conflict_cycles;
        found.reorder_cycles += row.reorder_cycles;
        found.dram_cycles += row.dram_cycles;
        found.macs += row.macs;
        found.rest_read_bytes -= row.read_bytes;
        found.rest_written_bytes -= row.written_bytes;
    }
    const auto share = [](std::uint64_t macs, std::uint64_t cycles) {
        return static_cast<double>(macs) / (static_cast<double>(array_pes) * static_cast<double>(cycles));
    };
    found.utilisation = share(found.macs, found.cycles);
    found.useful_utilisation = share(found.useful_macs, found.cycles);
    found.array_utilisation = share(found.macs, found.compute_cycles + found.conflict_cycles);
    found.sram_rows = found.rest_sram_rows = sram_rows_of(found.counts);
    for (const auto& row : found.contractions) { found.rest_sram_rows -= row.sram_rows; }
    costs::add_energy(found.energy, energy, found.counts.data(), static_cast<double>(found.cycles) * settings.clock_ns);
    const auto& memory = settings.memory;
    const double dram = memory.read_pj_per_byte * static_cast<double>(found.read_bytes) +
                        memory.write_pj_per_byte * static_cast<double>(found.written_bytes);
    found.energy.push_back({"dram", dram, false});
    found.energy.push_back({"dram_background", memory.pj_per_cycle * static_cast<double>(found.cycles), false});
    found.energy_pj = costs::total_pj(found.energy);
    found.dram_share = (dram + found.energy.back().pj) / found.energy_pj;
}

// One contraction as programs of its own.
class contraction_apart {
public:
    contraction_apart(const contraction_graph& graph, std::size_t contraction, const contraction_work& work,
                      const contraction_form& form, bool for_fetta, const costs::energy_model& energy,
                      const evaluation_settings& settings)
    {
        const auto e = extents_of(graph, groups_of(graph, contraction));
        contraction_settings s;
        s.request.store_bf16 = form.stores_bf16;
        s.memory = settings.memory;
        if (!for_fetta) { s.array_cycles = work.cycles + work.conflicts; }
        const auto text = [](const char* letter, std::uint64_t size) { return letter + std::to_string(size); };
        const auto problem = parse_einsum("gmk,gkn->gmn", text("g=", e.batch) + text(",m=", e.a_free) +
                                                              text(",n=", e.b_free) + text(",k=", e.contracted));
        const auto blocked = blocked_contraction(problem, limits_of(settings), s);
        const auto& memory = settings.memory;
        m_row.phase = graph.contractions[contraction].phase;
        m_row.text = text_of(graph, contraction);
        m_row.contraction = contraction;
        m_row.macs = graph.macs(contraction);
        m_row.in_other_order = work.in_other_order;
        m_row.conflict_cycles = work.conflicts;
        m_row.compute_cycles = blocked.plan.tcu_cycles - work.conflicts;
        m_row.reorder_cycles = static_cast<std::uint64_t>(std::llround(work.reorder_cycles));
        m_row.dram_cycles = static_cast<std::uint64_t>(
            std::llround(static_cast<double>(blocked.plan.transfers) * memory.transfer_cycles +
                         static_cast<double>(blocked.plan.transferred_bytes) / memory.bytes_per_cycle));
        m_row.read_bytes = blocked.traffic.read + work.reordered_bytes;
        m_row.written_bytes = blocked.traffic.written + work.reordered_bytes;
        m_cycles = blocked.plan.estimated_cycles + m_row.reorder_cycles;
        m_counts = work.counts;
        m_counts[event::load_row] += rows_of(blocked.traffic.loaded + work.reordered_bytes);
        m_counts[event::store_row] += rows_of(blocked.traffic.stored + work.reordered_bytes);
        price(m_row, m_counts, energy, settings);
    }

    const evaluated_contraction& row() const { return m_row; }
    const fetta::counts& counts() const { return m_counts; }
    std::uint64_t cycles() const { return m_cycles; }

private:
    evaluated_contraction m_row;
    fetta::counts m_counts;
    std::uint64_t m_cycles = 0;
};

// Of so many executions, one after the other.
evaluated_contraction repeated(evaluated_contraction row, std::uint64_t times)
{
    for (auto* number : {&row.times, &row.macs, &row.compute_cycles, &row.conflict_cycles, &row.reorder_cycles,
                         &row.dram_cycles, &row.read_bytes, &row.written_bytes, &row.sram_rows}) {
        *number *= times;
    }
    row.energy_pj *= static_cast<double>(times);
    return row;
}

// master = master - rate x gradient, both float32 and in memory; core = master, rounded.
void add_update(evaluation& found, std::uint64_t elements, const evaluation_settings& settings)
{
    constexpr std::uint64_t lanes = 64;
    const std::uint64_t read = elements * 2 * sizeof(float), written = elements * (sizeof(float) + 2);
    found.read_bytes += read;
    found.written_bytes += written;
    found.cycles +=
        static_cast<std::uint64_t>(std::llround(static_cast<double>(read + written) / settings.memory.bytes_per_cycle));
    found.cycles += 2 * ((elements + lanes - 1) / lanes);
    fetta::counts counts;
    counts[event::vector_instruction] = 2;
    counts[event::vector_op] = 2 * elements;
    counts[event::vector_word_read] = 3 * elements;
    counts[event::vector_word_write] = elements + (elements + 1) / 2;
    counts[event::load_row] = rows_of(read);
    counts[event::store_row] = rows_of(written);
    add(found.counts, counts);
}

} // namespace

double evaluated_contraction::utilisation() const
{
    return static_cast<double>(macs) /
           (static_cast<double>(array_pes) * static_cast<double>(compute_cycles + conflict_cycles));
}

std::optional<evaluation> evaluate(const accelerator& machine, const contraction_graph& graph,
                                   const costs::technology& technology, const evaluation_settings& settings)
{
    const auto energy = energy_of(machine, technology, settings);
    const auto plan = plan_of(machine, graph, settings, energy);
    if (!plan) { return std::nullopt; }
    evaluation found;
    found.blocks = plan->blocks;
    found.cycles = plan->estimated_cycles();
    for (const auto& e : plan->executions()) {
        found.contractions.push_back(row_of(*plan, e, energy, settings));
        if (!plan->is_made_again(e.pass, e.contraction)) { found.useful_macs += found.contractions.back().macs; }
    }
    const auto traffic = plan->estimated_traffic();
    found.read_bytes = traffic.read;
    found.written_bytes = traffic.written;
    found.counts = plan->estimated_counts();
    if (!plan->layouts.choice.empty()) { found.paths = plan->paths(); }
    finish(found, energy, settings);
    return found;
}

evaluation evaluate_apart(const accelerator& machine, const contraction_graph& whole,
                          const costs::technology& technology, const evaluation_settings& settings)
{
    auto graph = whole;
    auto& all = graph.contractions;
    if (!settings.training) {
        all.erase(std::remove_if(all.begin(), all.end(), [](const auto& c) { return c.phase != step_phase::fp; }),
                  all.end());
    }
    std::vector<contraction_form> forms;
    for (const auto& c : all) {
        const bool of_weights = c.phase == step_phase::wg && !graph.is_batched(c.result);
        forms.push_back({!(of_weights && graph.users(c.result).empty()), false});
    }
    auto rules = settings;
    if (is_fetta(machine)) { rules.layouts = line_layouts::ideal; }
    const auto array = array_of(machine, rules);
    const auto works = array->work_of(graph, forms);
    const auto frame = settings.block ? with_batch(graph, *settings.block) : graph;
    const std::uint64_t frames = graph.modes[graph.batch].size / frame.modes[graph.batch].size;
    const auto works_of_frame = frames == 1 ? works : array->work_of(frame, forms);
    const auto energy = energy_of(machine, technology, settings);
    evaluation found;
    found.blocks = frames;
    for (std::size_t c = 0; c < all.size(); ++c) {
        // Weight gradients sum over all frames, whose operands are there by then.
        const bool by_frame = frames > 1 && all[c].phase != step_phase::wg && graph.is_batched(all[c].result);
        const contraction_apart apart(by_frame ? frame : graph, c, by_frame ? works_of_frame[c] : works[c], forms[c],
                                      is_fetta(machine), energy, settings);
        const std::uint64_t times = by_frame ? frames : 1;
        found.contractions.push_back(repeated(apart.row(), times));
        found.cycles += times * apart.cycles();
        found.read_bytes += found.contractions.back().read_bytes;
        found.written_bytes += found.contractions.back().written_bytes;
        add(found.counts, apart.counts(), times);
    }
    for (std::size_t t = 0; t < graph.tensors.size() && settings.training && settings.update; ++t) {
        const bool is_core = !graph.is_batched(t) && !graph.maker(t) && graph.gradient(t);
        if (is_core) { add_update(found, graph.elements(t), settings); }
    }
    for (const auto& row : found.contractions) { found.useful_macs += row.macs; }
    finish(found, energy, settings);
    return found;
}

contraction_graph product_graph(std::uint64_t g, std::uint64_t m, std::uint64_t n, std::uint64_t k)
{
    contraction_graph graph;
    graph.modes = {{"g", g}, {"m", m}, {"n", n}, {"k", k}, {"none", 1}};
    graph.batch = 4;
    graph.tensors = {{"X", {0, 1, 3}, {}}, {"W", {0, 3, 2}, {}}, {"Y", {0, 1, 2}, {}}};
    graph.contractions = {{step_phase::wg, 0, 1, 2}};
    return graph;
}

contraction_tree best_sequence(const accelerator& machine, const tensorized_layer& layer, bool with_dx,
                               mapping_objective objective, const costs::technology& technology,
                               const evaluation_settings& settings)
{
    if (machine.sequence != nullptr) { return machine.sequence(layer); }
    const auto network = forward_network(layer);
    search_request request;
    request.top = 4;
    const auto candidates = candidates_of(network, request).trees;
    constexpr double infinite = std::numeric_limits<double>::infinity();
    const auto best = [&](bool apart) {
        const auto cost = [&](const tensor_network&, const contraction_tree& tree) {
            const auto graph = step_graph(layer, tree, with_dx);
            try {
                const auto found = apart ? std::optional(evaluate_apart(machine, graph, technology, settings))
                                         : evaluate(machine, graph, technology, settings);
                return found ? step_cost{found->cycles, found->energy_pj}.by(objective) : infinite;
            } catch (const base::input_error&) { // an intermediate of more elements than a tensor may have
                return infinite;
            }
        };
        return ranked(network, candidates, cost, request).best.front();
    };
    const auto as_program = best(false);
    return as_program.cost < infinite ? as_program.tree : best(true).tree;
}

} // namespace tensorloom::workloads
