#include "contract/contract.h"
#include <algorithm>
#include <tensorloom/models/fetta/isa/schedule.h>
#include "platform/report/run_bound.h"

namespace tensorloom::testbench {
namespace {

using fetta::event;

constexpr event contract_events[] = {
    event::mac,         event::padding_mac, event::ia_row_read,       event::ib_row_read,      event::result_row_write,
    event::ia_element,  event::ib_element,  event::reduction_element, event::accumulator_psum, event::buffer_row,
    event::buffer_word,
};

constexpr fetta::device_limits paper{};
constexpr std::uint64_t paper_lanes = std::uint64_t{paper.engines} * paper.side;

// The events of one cycle of Table III, whose activity the settings give for the paper's geometry.
fetta::counts table_cycle(const fetta::energy_settings& s)
{
    const std::uint64_t lanes = std::uint64_t{s.limits.engines} * s.limits.side;
    fetta::counts c;
    c[event::mac] = lanes * s.limits.side;
    c[event::ia_element] = lanes * s.distributed_elements / paper_lanes;
    c[event::reduction_element] = lanes;
    c[event::accumulator_psum] = lanes;
    c[event::ia_row_read] = std::uint64_t{s.limits.engines} * s.memory_rows / paper.engines;
    c[event::vector_op] = s.lanes;
    return c;
}

constexpr const char* causes[] = {"compute", "fill", "reload", "conflict", "psum", "vector",
                                  "control", "load", "store",  "fetch",    "wait"};
constexpr const char* memory_causes[] = {"load", "store", "fetch", "wait"};

// In the order of the paper's parts, then of the memory's: each once, also when it is 0; others behind them.
cause_list cause_sums(const program_costs& costs)
{
    cause_list sums;
    for (const char* cause : causes) { sums.emplace_back(cause, costs.cycles_of(cause)); }
    for (const auto& [cause, cycles] : costs.cycles_by_cause) {
        if (std::find(std::begin(causes), std::end(causes), cause) == std::end(causes)) {
            sums.emplace_back(cause, cycles);
        }
    }
    return sums;
}

// That the device waited for the memory on the bus.
std::uint64_t memory_cycles(const program_costs& costs)
{
    std::uint64_t cycles = 0;
    for (const char* cause : memory_causes) { cycles += costs.cycles_of(cause); }
    return cycles;
}

// How every element of the result is summed, as a formula.
std::string summation_order(const workloads::contraction_plan& plan)
{
    const auto part = std::to_string(plan.choice.split.contracted);
    if (fetta::is_output_stationary(plan.choice.mapping)) {
        return "c = sum over blocks, a tree over p < " + part +
               " of a chain over i < L of a b, k = p L + i, L = " + "ceil(K / " + part + ")";
    }
    const auto side = std::to_string(plan.limits.side);
    return "c = sum over o, one after the other, of a tree over p < " + part + " of a chain over i < " + side +
           " of a b, k = (" + part + " o + p) " + side + " + i";
}

// Of all programs that ran.
std::uint64_t program_bytes(const contract_findings& f)
{
    std::uint64_t bytes = 0;
    for (const auto& p : f.job.programs) { bytes += p.bytes.size(); }
    return bytes;
}

template <std::size_t N> const char* name_in(const base::named_value (&values)[N], std::uint32_t value)
{
    return values[value].name;
}

json configuration_json(const contract_options& o, const contract_findings& f)
{
    const auto& request = o.settings.request;
    const bool planned = f.job.plan.has_value();
    json sizes = json::object();
    for (const char letter : o.problem.a + o.problem.b) { sizes[std::string(1, letter)] = o.problem.size_of(letter); }
    json j = {
        {"einsum", o.einsum},
        {"sizes", sizes},
        {"source", o.inputs.empty() ? "random" : "file"},
        {"program", o.program ? json(*o.program) : json(nullptr)},
        {"layout",
         or_null(planned, name_in(workloads::tensor_layout_values, static_cast<std::uint32_t>(o.settings.layout)))},
        {"reordering", or_null(planned, name_in(workloads::permutation_way_values,
                                                static_cast<std::uint32_t>(o.settings.reordering)))},
        {"flatten",
         or_null(planned, name_in(workloads::flattening_values, static_cast<std::uint32_t>(o.settings.flattening)))},
        {"objective",
         or_null(planned, name_in(workloads::mapping_objective_values, static_cast<std::uint32_t>(request.objective)))},
        {"store", o.store_bf16() ? "bf16" : "f32"}};
    j.update(device_json(o.device, o.common));
    return j;
}

json plan_json(const contract_findings& f)
{
    if (!f.job.plan) { return nullptr; }
    const auto& plan = *f.job.plan;
    const auto& s = plan.choice.split;
    return {{"mapping", name_in(fetta::mapping_values, static_cast<std::uint32_t>(plan.choice.mapping))},
            {"split", {s.batch, s.contracted, s.ia_free, s.ib_free}},
            {"summation_order", summation_order(plan)},
            {"contracts", plan.commands},
            {"tcu_cycles", plan.tcu_cycles},
            {"transferred_bytes", plan.transferred_bytes},
            {"estimated_cycles", plan.estimated_cycles},
            {"simulated_plans", f.job.simulated_plans}};
}

json check_json(const contract_findings& f)
{
    return {{"passed", f.passed()},
            {"max_abs_error", f.check->max_abs_error},
            {"max_rel_error", f.check->max_rel_error},
            {"worst_of_bound", f.check->worst_share},
            {"worst_element", f.check->worst},
            {"not_finite", f.check->not_finite},
            {"as_closed_form", or_null(f.job.plan.has_value(), f.as_closed_form())},
            {"reference", "sums in double precision of the rounded operands"}};
}

json memory_json(const contract_options& o, const contract_findings& f)
{
    const auto& a = f.job.addresses;
    return {{"cycles", memory_cycles(f.costs)},
            {"read_bytes", f.costs.bus_read_bytes},
            {"written_bytes", f.costs.bus_written_bytes},
            {"program_bytes", program_bytes(f)},
            {"bytes_per_cycle", static_cast<double>(f.costs.bus_bytes()) / static_cast<double>(f.costs.cycles)},
            {"peak_bytes_per_cycle", or_null(o.common.platform.in_dram(), peak_bytes_per_cycle(o.common))},
            {"reordering",
             {{"read_bytes", f.reordering.read_bytes},
              {"written_bytes", f.reordering.written_bytes},
              {"cycles", f.reordering.cycles}}},
            {"addresses", {{"a", a.a}, {"b", a.b}, {"c", a.c}}}};
}

json power_json(const contract_findings& f)
{
    json j = json::object();
    for (const auto& b : f.steady_power) {
        j[b.component] = {{"mW", b.mw}, {"table_mW", b.table_mw}, {"share", b.share()}, {"estimate", b.estimate}};
    }
    return j;
}

std::string share_text(double share) { return number_text(100 * share) + " %"; }

std::string hex_address(std::uint64_t address)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (; address != 0; address /= 16) { text.insert(text.begin(), digits[address % 16]); }
    return "0x" + text;
}

void print_plan(run_report& report, const contract_options& o, const contract_findings& f)
{
    if (!f.job.plan) {
        report.line("program", *o.program);
        report.line("addresses", "A " + hex_address(f.job.addresses.a) + ", B " + hex_address(f.job.addresses.b) +
                                     ", C " + hex_address(f.job.addresses.c) + ", in C order");
        return;
    }
    const auto& plan = *f.job.plan;
    const auto& request = o.settings.request;
    const auto& objective = workloads::mapping_objective_values[static_cast<unsigned>(request.objective)];
    const std::string of_plans =
        f.job.simulated_plans == 0 ? "" : " of " + counted(f.job.simulated_plans, "simulated plan", "simulated plans");
    report.line("mapping",
                std::string(fetta::mapping_values[static_cast<unsigned>(plan.choice.mapping)].name) + ", parts " +
                    workloads::engine_split_text(plan.choice.split) + " of batch, contracted, IA's free, IB's free" +
                    " (searched: " + objective.meaning + of_plans + ")");
    report.line("order", summation_order(plan));
    report.line("layout", std::string(workloads::tensor_layout_values[static_cast<unsigned>(plan.layout)].name) + ": " +
                              workloads::tensor_layout_values[static_cast<unsigned>(plan.layout)].meaning);
    report.line("blocks", counted(plan.commands, "CONTRACT", "CONTRACTs") + " in " +
                              counted(f.job.programs.size(), "program", "programs"));
    if (o.save_program) {
        const bool in_c_order = plan.layout == workloads::tensor_layout::conflicted;
        report.line("saved", *o.save_program + (in_c_order ? ", for --program"
                                                           : ", not for --program, which requires tensors in C order "
                                                             "(--layout conflicted)"));
    }
}

void print_closed_form(run_report& report, const contract_findings& f)
{
    const std::uint64_t conflicts = f.costs.counts[event::conflict_cycle];
    report.line("engines", grouped_text(f.tcu_cycles) + " cycles at work, " + grouped_text(conflicts) +
                               " of them for bank conflicts");
    if (!f.job.plan) { return; }
    const auto& plan = *f.job.plan;
    report.line("closed form", grouped_text(plan.tcu_cycles) +
                                   " cycles without conflicts: " + (f.as_closed_form() ? "the same" : "DIFFERS") +
                                   "; end to end estimated " + grouped_text(plan.estimated_cycles));
}

void print_traffic(run_report& report, const contract_options& o, const contract_findings& f)
{
    const double cycles = static_cast<double>(f.costs.cycles);
    report.line("memory",
                grouped_text(f.costs.bus_read_bytes) + " bytes read, " + grouped_text(f.costs.bus_written_bytes) +
                    " written (" + grouped_text(program_bytes(f)) + " of programs), " +
                    number_text(static_cast<double>(f.costs.bus_bytes()) / cycles) + " bytes per cycle" +
                    (o.common.platform.in_dram() ? " of " + number_text(peak_bytes_per_cycle(o.common)) : ""));
    if (f.reordering.cycles == 0) { return; }
    report.line("  reordering", grouped_text(f.reordering.read_bytes) + " bytes read, " +
                                    grouped_text(f.reordering.written_bytes) + " written, in " +
                                    grouped_text(f.reordering.cycles) + " cycles");
}

void print_power(run_report& report, const contract_findings& f)
{
    const auto block_text = [](const block_power& b) {
        return b.component + " " + number_text(b.mw) + " (" + share_text(b.share()) + ")";
    };
    report.line("steady power", "mW (relative to Table III): " + listed(f.steady_power, block_text));
}

void write_check(run_report& report, const contract_findings& f)
{
    if (!f.check) { return report.check(std::nullopt); }
    const auto& c = *f.check;
    report["check"] = check_json(f);
    report.line("error", "max " + number_text(c.max_abs_error) + " absolute, " + number_text(c.max_rel_error) +
                             " relative, against double precision; worst " + number_text(c.worst_share) +
                             " of its bound");
    report.check(f.passed(),
                 (f.passed() ? "" : ", worst element " + grouped_text(c.worst)) +
                     (c.not_finite == 0 ? "" : ", " + counted(c.not_finite, "element", "elements") + " not finite"));
}

} // namespace

bool contract_findings::as_closed_form() const
{
    if (!job.plan) { return true; }
    const bool conflicts_expected = job.plan->layout == workloads::tensor_layout::conflicted;
    const std::uint64_t conflicts = costs.counts[event::conflict_cycle];
    return tcu_cycles - conflicts == job.plan->tcu_cycles && (conflicts == 0 || conflicts_expected);
}

std::vector<block_power> steady_power(const costs::technology& technology, const fetta::energy_settings& settings,
                                      const fetta::counts& counts, std::uint64_t tcu_cycles)
{
    const auto model = fetta::device_energy(technology, settings);
    const double cycle_ns = 1 / settings.clock_ghz;
    fetta::counts of_contracts;
    for (const event e : contract_events) { of_contracts[e] = counts[e]; }
    const double ns = static_cast<double>(tcu_cycles) * cycle_ns;
    std::vector<costs::component_energy> working, table;
    costs::add_energy(working, model, of_contracts.data(), ns);
    auto paper_settings = settings;
    paper_settings.has_buffers = false;
    paper_settings.dma = {};
    costs::add_energy(table, fetta::device_energy(technology, paper_settings), table_cycle(settings).data(), cycle_ns);

    std::vector<block_power> blocks;
    for (std::size_t i = 0; i < working.size(); ++i) {
        const double mw = tcu_cycles == 0 ? 0 : working[i].pj / ns;
        blocks.push_back({working[i].component, mw, table[i].pj / cycle_ns, working[i].estimate});
    }
    return blocks;
}

void write_report(run_report& report, const contract_options& o, const contract_findings& f)
{
    const auto& g = o.device.config.limits;
    const auto sizes = sizes_text(o.problem);
    const auto result = o.problem.shape(o.problem.c);
    const std::uint64_t macs = f.costs.counts[event::mac];
    report.begin(o.einsum + ", " + (sizes.empty() ? "" : sizes + ", ") +
                     std::string(base::element_type_name(g.operand)) + ", sums in " +
                     std::string(base::element_type_name(g.psum)) + ", " + std::to_string(g.engines) + " engines of " +
                     std::to_string(g.side) + " x " + std::to_string(g.side) + ", " + fidelity_name(o.common),
                 "tensorloom-contract-summary-2", configuration_json(o, f));
    report.line("result", shape_text(result, "a scalar") + ", " + grouped_text(o.problem.macs()) + " MACs");
    report["result"] = {{"shape", result}, {"macs", o.problem.macs()}};
    print_plan(report, o, f);
    report["plan"] = plan_json(f);
    report["programs"] = f.costs.programs;
    auto costs = static_cast<const program_costs&>(f.costs);
    costs.cycles_by_cause = cause_sums(f.costs);
    report.cycles(costs, "; " + grouped_text(memory_cycles(f.costs)) + " of them for the memory");
    print_closed_form(report, f);
    report.time(ns_of(costs.cycles, o.common));
    report.fields({{"tcu_cycles", f.tcu_cycles}, {"macs", macs}});
    report.utilisation(costs,
                       {macs, static_cast<double>(g.engines) * g.side * g.side, static_cast<double>(f.tcu_cycles)});
    print_traffic(report, o, f);
    report.fields({{"memory", memory_json(o, f)}, {"events", events_json(fetta::events, f.costs.counts.data())}});
    report.energy(f.costs.energy, ns_of(f.costs.cycles, o.common), f.on);
    print_power(report, f);
    report["steady_power"] = power_json(f);
    write_check(report, f);
    report.simulation(f.usage, macs);
    if (o.profile) { print_profile(report.text(), f); }
}

std::string failure_text(const contract_options& o, const contract_findings& f)
{
    if (!f.check->passed) {
        return "check failed: " + o.einsum + ", worst element " + grouped_text(f.check->worst) + " is off by " +
               number_text(f.check->worst_share) + " of its bound";
    }
    return "check failed: " + o.einsum + ", the engines worked " + grouped_text(f.tcu_cycles) +
           " cycles, expected those of the closed form, " + grouped_text(f.job.plan->tcu_cycles);
}

} // namespace tensorloom::testbench
