#include "tnn_step/tnn_step.h"
#include <algorithm>
#include <cmath>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/workloads/step_planner/training_memory.h>
#include "platform/report/report_table.h"
#include "platform/report/run_bound.h"
#include "platform/fetta/operand_paths_report.h"

namespace tensorloom::testbench {
namespace {

double ratio(std::uint64_t of, std::uint64_t by)
{
    return by == 0 ? 0 : static_cast<double>(of) / static_cast<double>(by);
}

double pes_of(const tnn_step_options& o)
{
    const auto& g = o.device.config.limits;
    return static_cast<double>(g.engines) * g.side * g.side;
}

std::string residency_name(workloads::step_residency residency)
{
    return workloads::step_residency_values[static_cast<unsigned>(residency)].name;
}

json configuration_json(const tnn_step_options& o)
{
    json j = {{"layer", o.layer},
              {"format", workloads::layer_format_values[static_cast<unsigned>(o.shape.format)].name},
              {"rows", o.shape.rows},
              {"columns", o.shape.columns},
              {"ranks", o.shape.ranks},
              {"blocks", o.shape.blocks},
              {"batch", o.shape.batch},
              {"samples", o.settings.samples},
              {"sequence", o.sequence},
              {"phases", o.phases},
              {"dx", o.dx},
              {"rate", -o.rate},
              {"objective", workloads::mapping_objective_values[static_cast<unsigned>(o.settings.objective)].name},
              {"block_samples", or_null(o.settings.block)},
              {"residency", residency_name(o.settings.residency)},
              {"between_passes", workloads::between_passes_values[static_cast<unsigned>(o.settings.between)].name},
              {"layout", workloads::operand_paths_values[static_cast<unsigned>(o.settings.paths)].name},
              {"mode_orders", o.settings.natural_orders ? "natural" : "searched"},
              {"transpose_layer", o.settings.transpose_layer ? "on" : "off"}};
    j.update(device_json(o.device, o.common));
    return j;
}

json costs_json(const phase_costs& p, const tnn_step_options& o)
{
    return {{"cycles", p.cycles},
            {"cycles_by_cause", causes_json(p.cycles_by_cause)},
            {"engine_cycles", p.engine_cycles},
            {"ideal_engine_cycles", p.ideal_engine_cycles},
            {"conflict_cycles", p.conflict_cycles},
            {"macs", p.macs},
            {"utilisation", p.cycles == 0 ? 0 : ratio(p.macs, p.cycles) / pes_of(o)}};
}

json phases_json(const tnn_step_options& o, const tnn_step_findings& f)
{
    json j = json::object();
    for (const auto& phase : workloads::step_phase_values) {
        if (("," + o.phases + ",").find("," + std::string(phase.name) + ",") == std::string::npos) { continue; }
        j[phase.name] = costs_json(f.phases[phase.value], o);
    }
    return j;
}

// Of the intermediates of the forward pass: stored or made again.
json intermediates_json(const tnn_step_findings& f)
{
    json stored = json::array(), again = json::array();
    const auto& graph = f.plan.graph;
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        if (f.plan.stored[t]) { stored.push_back(graph.tensors[t].name); }
    }
    for (const auto& e : f.plan.executions()) {
        if (!f.plan.is_made_again(e.pass, e.contraction)) { continue; }
        again.push_back(graph.tensors[graph.contractions[e.contraction].result].name);
    }
    return {{"stored", stored}, {"made_again", again}};
}

// Of intermediates that the backward pass computes again.
std::uint64_t recomputed_macs(const workloads::step_plan& plan)
{
    std::uint64_t macs = 0;
    for (const auto& e : plan.executions()) {
        if (plan.is_made_again(e.pass, e.contraction)) { macs += plan.graph.macs(e.contraction); }
    }
    return macs;
}

// "b*57600 n1*7200 n2*360"
std::string layout_text(const workloads::contraction_graph& graph, const workloads::mode_layout& layout)
{
    std::string text;
    for (std::size_t m = 0; m < layout.order.size(); ++m) {
        text += (m == 0 ? "" : " ") + graph.modes[layout.order[m]].name + "*" + std::to_string(layout.stride[m]);
    }
    return text;
}

std::string path_name(const workloads::contract_choice& choice, workloads::contraction_tensor tensor)
{
    const auto role = *std::find_if(std::begin(fetta::operand_roles), std::end(fetta::operand_roles),
                                    [&](auto r) { return workloads::tensor_of(choice.mapping, r) == tensor; });
    return workloads::operand_path_values[static_cast<unsigned>(workloads::path_of(choice, role))].name;
}

json plan_json(const tnn_step_options& o, const tnn_step_findings& f)
{
    const auto& plan = f.plan;
    const auto& graph = plan.graph;
    json contractions = json::array(), layouts = json::object();
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        const auto& of = graph.contractions[c];
        const auto& choice = plan.layouts.choice[c];
        const auto& s = choice.split;
        contractions.push_back(
            {{"result", graph.tensors[of.result].name},
             {"operands", {graph.tensors[of.a].name, graph.tensors[of.b].name}},
             {"phase", workloads::step_phase_values[static_cast<unsigned>(of.phase)].name},
             {"mapping", fetta::mapping_values[static_cast<unsigned>(choice.mapping)].name},
             {"split", {s.batch, s.contracted, s.ia_free, s.ib_free}},
             {"paths",
              {path_name(choice, workloads::contraction_tensor::a), path_name(choice, workloads::contraction_tensor::b),
               path_name(choice, workloads::contraction_tensor::c)}},
             {"cycles", plan.cycles[c]},
             {"conflict_cycles", plan.conflicts[c]}});
    }
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        layouts[graph.tensors[t].name] = layout_text(plan.graph, plan.layouts.layout[t]);
    }
    return {{"sequence", workloads::tree_text(o.network, f.tree)},
            {"block_samples", plan.block_graph.modes[graph.batch].size},
            {"blocks", plan.blocks},
            {"residency", residency_name(plan.residency)},
            {"passes", plan.passes.size()},
            {"intermediates", intermediates_json(f)},
            {"engine_cycles", plan.engine_cycles()},
            {"estimated_cycles", plan.estimated_cycles()},
            {"operands", paths_json(plan.paths(), plan.limits)},
            {"estimated_energy_pJ", plan.estimated_cost().pj},
            {"contractions", contractions},
            {"layouts", layouts}};
}

std::uint64_t intermediate_bytes(const tnn_step_findings& f,
                                 std::vector<workloads::step_pass::transfer> workloads::step_pass::*moved)
{
    std::uint64_t bytes = 0;
    for (const auto& pass : f.plan.passes) {
        for (const auto& t : pass.*moved) {
            if (f.plan.stored[t.tensor]) { bytes += f.plan.blocks * f.plan.bytes_of(t.tensor); }
        }
    }
    return bytes;
}

json training_memory_json(const workloads::training_memory& memory)
{
    json j{{"peak_bytes", memory.peak}};
    for (const auto& kind : workloads::memory_kind_values) {
        j[kind.name] = memory.of(static_cast<workloads::memory_kind>(kind.value));
    }
    return j;
}

// Of the whole batch, if nothing were made again, and of the same layer with its matrix as it is.
void write_training_memory(run_report& report, const tnn_step_options& o, const tnn_step_findings& f)
{
    report["training_memory"] = nullptr;
    if (!o.settings.training) { return; }
    const auto memory = workloads::memory_of(f.plan.graph);
    const auto dense = workloads::memory_of(workloads::dense_graph(o.shape, o.dx));
    const auto text = [](const workloads::training_memory& m) {
        const auto activations = m.of(workloads::memory_kind::activations);
        const auto temporaries = m.of(workloads::memory_kind::temporaries);
        return grouped_text(m.peak) + " bytes (" + grouped_text(m.sum() - activations - temporaries) +
               " for parameters, " + grouped_text(activations) + " activations)";
    };
    report.line("to train", text(memory) + " for the whole batch at once; dense " + text(dense));
    report["training_memory"] = training_memory_json(memory);
    report["training_memory"]["dense"] = training_memory_json(dense);
}

json memory_json(const tnn_step_findings& f)
{
    return {{"read_bytes", f.costs.bus_read_bytes},
            {"written_bytes", f.costs.bus_written_bytes},
            {"spilled_bytes", intermediate_bytes(f, &workloads::step_pass::stores)},
            {"reloaded_bytes", intermediate_bytes(f, &workloads::step_pass::loads)},
            {"program_bytes", f.program.bytes.size()}};
}

// All that the host writes.
json host_json(const tnn_step_findings& f)
{
    return {{"bytes_before", f.placed_bytes},
            {"program_bytes", f.program.bytes.size()},
            {"bytes_per_step", f.plan.list_bytes()},
            {"per_step", "numbers of the samples of the batch"}};
}

void print_phases(run_report& report, const tnn_step_findings& f)
{
    for (const auto& phase : workloads::step_phase_values) {
        const auto& p = f.phases[phase.value];
        if (p.cycles == 0) { continue; }
        report.line(std::string("  ") + phase.name,
                    grouped_text(p.cycles) + " cycles; engines " + grouped_text(p.engine_cycles) + ", ideally " +
                        grouped_text(p.ideal_engine_cycles) + "; " + grouped_text(p.macs) + " MACs");
    }
}

void print_plan(run_report& report, const tnn_step_findings& f)
{
    const auto names = [](const json& list) {
        std::string text;
        for (const auto& n : list) { text += (text.empty() ? "" : " ") + n.get<std::string>(); }
        return text.empty() ? std::string("nothing") : text;
    };
    report.line("blocks", grouped_text(f.plan.blocks) + " of " +
                              counted(f.plan.block_graph.modes[f.plan.graph.batch].size, "sample", "samples"));
    report.line("residency", residency_name(f.plan.residency));
    if (f.plan.passes.size() > 1) {
        const auto j = intermediates_json(f);
        report.line("between passes", "stored: " + names(j["stored"]) + "; recomputed: " + names(j["made_again"]));
    }
}

} // namespace

phase_costs tnn_step_findings::total() const
{
    phase_costs sum;
    for (const auto& p : phases) {
        sum.cycles += p.cycles;
        sum.engine_cycles += p.engine_cycles;
        sum.conflict_cycles += p.conflict_cycles;
        sum.macs += p.macs;
        sum.ideal_engine_cycles += p.ideal_engine_cycles;
    }
    return sum;
}

std::uint64_t tnn_step_findings::dram_bound(const common_options& common) const
{
    return static_cast<std::uint64_t>(std::ceil(static_cast<double>(costs.bus_bytes()) / peak_bytes_per_cycle(common)));
}

void write_report(run_report& report, const tnn_step_options& o, const tnn_step_findings& f)
{
    const auto& g = o.device.config.limits;
    const auto total = f.total();
    report.begin(o.layer + ", " + counted(o.shape.batch, "sample", "samples") + ", " + o.phases + ", dX " +
                     (o.dx ? "on" : "off") + ", " + std::to_string(g.engines) + " engines of " +
                     std::to_string(g.side) + " x " + std::to_string(g.side) + ", " + fidelity_name(o.common),
                 "tensorloom-tnn_step-summary-2", configuration_json(o));
    report["dx"] = o.dx;
    report.line("sequence", workloads::tree_text(o.network, f.tree) + " (" + o.sequence + ")");
    print_plan(report, f);
    report["plan"] = plan_json(o, f);
    auto costs = static_cast<const program_costs&>(f.costs);
    report.cycles(costs);
    print_phases(report, f);
    report["phases"] = phases_json(o, f);
    const std::uint64_t compute = f.compute_bound(), dram = f.dram_bound(o.common);
    report.line("engines", grouped_text(total.engine_cycles) + " cycles at work, " +
                               grouped_text(total.conflict_cycles) + " of them for bank conflicts; ideally " +
                               grouped_text(total.ideal_engine_cycles) + ", " +
                               number_text(ratio(total.engine_cycles, total.ideal_engine_cycles)) + " x that");
    if (o.settings.paths == workloads::operand_paths::networks) {
        report.line("operands", paths_text(f.plan.paths(), f.plan.limits));
    }
    report.line("bound", grouped_text(compute) + " cycles of computing, " + grouped_text(dram) +
                             " of the memory: the run takes " +
                             number_text(ratio(f.costs.cycles, std::max(compute, dram))) + " x the larger");
    report.line("estimate", grouped_text(f.plan.estimated_cycles()) + " cycles, " +
                                quantity_text(f.plan.estimated_cost().pj, "J") + ", by the plan");
    report.time(ns_of(f.costs.cycles, o.common));
    report.utilisation(f.costs, {total.macs, pes_of(o), static_cast<double>(total.engine_cycles)});
    const std::uint64_t useful = total.macs - recomputed_macs(f.plan);
    const double useful_share = ratio(useful, f.costs.cycles) / pes_of(o);
    report.line("useful", number_text(100 * useful_share) + " % of the PEs end to end, without " +
                              grouped_text(total.macs - useful) + " recomputed MACs");
    report.line("memory", grouped_text(f.costs.bus_read_bytes) + " bytes read, " +
                              grouped_text(f.costs.bus_written_bytes) + " written, " +
                              number_text(ratio(f.costs.bus_bytes(), f.costs.cycles)) + " bytes per cycle");
    write_training_memory(report, o, f);
    report.line("host", "wrote " + grouped_text(f.placed_bytes) + " bytes of data and cores before the run, " +
                            grouped_text(f.plan.list_bytes()) + " of the batch's sample list for this step");
    report.fields({{"engine_cycles", total.engine_cycles},
                   {"ideal_engine_cycles", total.ideal_engine_cycles},
                   {"conflict_cycles", total.conflict_cycles},
                   {"bound", {{"compute_cycles", compute}, {"dram_cycles", dram}}},
                   {"macs", total.macs},
                   {"useful_macs", useful},
                   {"useful_utilisation", useful_share},
                   {"memory", memory_json(f)},
                   {"host", host_json(f)},
                   {"events", events_json(fetta::events, f.costs.counts.data())}});
    report.energy(f.costs.energy, ns_of(f.costs.cycles, o.common), f.on);
    if (!f.check) {
        report.check(std::nullopt);
    } else {
        const auto& c = *f.check;
        report["check"] = {{"passed", f.passed()},
                           {"same_bits", c.same_bits},
                           {"within_bound", c.within_bound},
                           {"as_planned", f.as_planned()},
                           {"max_abs_error", c.max_abs_error},
                           {"worst_of_bound", c.worst_share},
                           {"elements", c.elements},
                           {"reference", "ordered sums, bit by bit, and the whole step in double precision"}};
        report.line("error", "max " + number_text(c.max_abs_error) + " absolute, against double precision; worst " +
                                 number_text(c.worst_share) + " of its bound, in " + c.worst);
        report.check(f.passed(), ", " + grouped_text(c.elements) + " elements bit by bit");
    }
    report.simulation(f.usage, total.macs);
}

std::string failure_text(const tnn_step_options& o, const tnn_step_findings& f)
{
    const auto& c = *f.check;
    const std::string begin = "check failed: " + o.layer + ", ";
    if (!c.same_bits) { return begin + "other bits than those of the ordered sums: " + c.first_difference; }
    if (!c.within_bound) { return begin + c.worst + " is off by " + number_text(c.worst_share) + " of its bound"; }
    return begin + "the engines worked " + grouped_text(f.total().engine_cycles) +
           " cycles, expected those of the plan, " + grouped_text(f.plan.engine_cycles());
}

} // namespace tensorloom::testbench
