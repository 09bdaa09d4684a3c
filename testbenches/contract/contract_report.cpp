#include "contract/contract_report.h"
#include <tensorloom/models/arch/fetta/schedule.h>
#include "contract/contract_summary.h"
#include "platform/job_report.h"
#include "platform/report_table.h"
#include "platform/run_costs.h"

namespace tensorloom::testbench {
namespace {

using arch::fetta::event;

std::string shape_text(const std::vector<std::size_t>& shape)
{
    std::string text;
    for (const auto n : shape) { text += (text.empty() ? "" : " x ") + std::to_string(n); }
    return text.empty() ? "a scalar" : text;
}

std::string share_text(double share) { return number_text(100 * share) + " %"; }

std::string hex_address(std::uint64_t address)
{
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (; address != 0; address /= 16) { text.insert(text.begin(), digits[address % 16]); }
    return "0x" + text;
}

void print_plan(report_table& lines, const contract_options& o, const contract_findings& f)
{
    if (!f.job.plan) {
        lines.line("program", *o.program);
        lines.line("addresses", "A " + hex_address(f.job.addresses.a) + ", B " + hex_address(f.job.addresses.b) +
                                    ", C " + hex_address(f.job.addresses.c) + ", in C order");
        return;
    }
    const auto& plan = *f.job.plan;
    const auto& request = o.settings.request;
    const auto& objective = workloads::mapping_objective_values[static_cast<unsigned>(request.objective)];
    lines.line("mapping",
               std::string(arch::fetta::mapping_values[static_cast<unsigned>(plan.choice.mapping)].name) + ", parts " +
                   workloads::engine_split_text(plan.choice.split) + " of batch, contracted, IA's free, IB's free" +
                   (request.mapping && request.split ? "" : std::string(" (searched: ") + objective.meaning + ")"));
    lines.line("order", summation_order(plan));
    lines.line("layout", std::string(workloads::tensor_layout_values[static_cast<unsigned>(plan.layout)].name) + ": " +
                             workloads::tensor_layout_values[static_cast<unsigned>(plan.layout)].meaning);
    lines.line("blocks", counted(plan.commands, "CONTRACT", "CONTRACTs") + " in " +
                             counted(f.job.programs.size(), "program", "programs"));
    if (o.save_program) {
        const bool in_c_order = plan.layout == workloads::tensor_layout::conflicted;
        lines.line("saved", *o.save_program + (in_c_order ? ", for --program"
                                                          : ", not for --program, which has tensors in C order alone: "
                                                            "that takes --layout conflicted"));
    }
}

// In the order of the paper's parts, then of the memory's.
void print_causes(report_table& lines, const contract_findings& f)
{
    std::string text;
    for (const auto& [name, cycles] : cause_sums(f.costs)) {
        text += (text.empty() ? "" : ", ") + name + " " + grouped_text(cycles);
    }
    lines.line("cycles", grouped_text(f.costs.cycles) + " (" + text + "); " + grouped_text(memory_cycles(f.costs)) +
                             " of them for the memory");
}

void print_closed_form(report_table& lines, const contract_findings& f)
{
    const std::uint64_t conflicts = f.costs.counts[event::conflict_cycle];
    lines.line("engines", grouped_text(f.tcu_cycles) + " cycles at work, " + grouped_text(conflicts) +
                              " of them for bank conflicts");
    if (!f.job.plan) { return; }
    const auto& plan = *f.job.plan;
    lines.line("closed form", grouped_text(plan.tcu_cycles) +
                                  " cycles without conflicts: " + (f.as_closed_form() ? "the same" : "DIFFERS") +
                                  "; end to end estimated " + grouped_text(plan.estimated_cycles));
}

void print_traffic(report_table& lines, const contract_options& o, const contract_findings& f)
{
    const double cycles = static_cast<double>(f.costs.cycles);
    lines.line("memory", grouped_text(f.costs.bus_read_bytes) + " bytes read, " +
                             grouped_text(f.costs.bus_written_bytes) + " written (" + grouped_text(program_bytes(f)) +
                             " of programs), " + number_text(static_cast<double>(f.costs.bus_bytes()) / cycles) +
                             " bytes per cycle" +
                             (o.device.in_dram ? " of " + number_text(peak_bytes_per_cycle(o)) : ""));
    if (f.reordering.cycles == 0) { return; }
    lines.line("  reordering", grouped_text(f.reordering.read_bytes) + " bytes read, " +
                                   grouped_text(f.reordering.written_bytes) + " written, in " +
                                   grouped_text(f.reordering.cycles) + " cycles");
}

void print_power(report_table& lines, const contract_findings& f)
{
    std::string text;
    for (const auto& b : f.steady_power) {
        text += (text.empty() ? "" : ", ") + b.component + " " + number_text(b.mw) + " (" + share_text(b.share()) + ")";
    }
    lines.line("steady power", "mW, in brackets of Table III's activity: " + text);
}

void print_area(report_table& lines, const contract_findings& f)
{
    bool estimate = false;
    std::string text;
    for (const auto& a : f.areas) {
        estimate = estimate || a.estimate;
        text += (text.empty() ? "" : ", ") + a.component + " " + number_text(a.um2);
    }
    lines.line("area", number_text(arch::fetta::total_um2(f.areas) * 1e-6) + " mm2" + (estimate ? " (estimate)" : "") +
                           "; um2: " + text);
}

void print_check(report_table& lines, const contract_findings& f)
{
    if (!f.check) {
        lines.line("check", "not done (--no-check)");
        return;
    }
    const auto& c = *f.check;
    lines.line("error", "max " + number_text(c.max_abs_error) + " absolute, " + number_text(c.max_rel_error) +
                            " relative, against double precision; worst " + number_text(c.worst_share) +
                            " of its bound");
    lines.line("check",
               (f.passed() ? "passed" : "FAILED, worst element " + grouped_text(c.worst)) +
                   (c.not_finite == 0 ? "" : ", " + counted(c.not_finite, "element", "elements") + " not finite"));
}

} // namespace

void print_table(std::ostream& out, const contract_options& o, const contract_findings& f)
{
    report_table lines(out);
    const auto& g = o.device.geometry;
    const auto sizes = sizes_text(o.problem);
    out << "contract: " << o.einsum << ", " << (sizes.empty() ? "" : sizes + ", ") << arch::element_type_name(g.operand)
        << ", sums in " << arch::element_type_name(g.psum) << ", " << g.engines << " engines of " << g.side << " x "
        << g.side << ", " << (o.common.detailed ? "detailed" : "fast") << "\n";
    lines.line("result", shape_text(o.problem.shape(o.problem.c)) + ", " + grouped_text(o.problem.macs()) + " MACs");
    print_plan(lines, o, f);
    print_causes(lines, f);
    print_closed_form(lines, f);
    print_time(lines, f.costs, o.common);
    lines.line("utilisation", share_text(f.utilisation(f.tcu_cycles, g)) + " of the PEs while the engines work, " +
                                  share_text(f.utilisation(f.costs.cycles, g)) + " end to end");
    print_traffic(lines, o, f);
    print_energy(lines, f.costs.energy);
    print_power(lines, f);
    print_area(lines, f);
    print_check(lines, f);
    print_usage(lines, f.usage, f.costs.counts[event::mac]);
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
