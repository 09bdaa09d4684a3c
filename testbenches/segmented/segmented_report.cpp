#include "segmented/segmented_report.h"
#include <optional>
#include <string>
#include <nlohmann/json.hpp>
#include "platform/mmv_report.h"
#include "platform/report_table.h"
#include "platform/run_costs.h"
#include "platform/summary_file.h"
#include "segmented/segmented_configuration.h"

namespace tensorloom::testbench {
namespace {

using json = nlohmann::ordered_json;
using workloads::segmented_operation;

std::string size_text(const segmented_options& o, std::uint64_t length, std::uint64_t nonzeros)
{
    if (o.operation == segmented_operation::spmv) {
        return grouped_text(nonzeros) + " elements in " + grouped_text(length) + " rows";
    }
    if (o.operation == segmented_operation::matrix_product) {
        const auto& s = o.source.shape;
        return std::to_string(s.rows) + " x " + std::to_string(s.inner) + " x " + std::to_string(s.columns);
    }
    return grouped_text(length) + (length == 1 ? " element" : " elements");
}

json bound_json(const std::optional<workloads::segmented_bound>& bound)
{
    if (!bound) { return nullptr; }
    return {{"formula", bound->formula},
            {"c", bound->additions},
            {"worst_element", bound->worst},
            {"at_worst_element", bound->at_worst}};
}

json check_json(const segmented_findings& f)
{
    if (!f.check) {
        return {{"passed", nullptr}, {"max_abs_error", nullptr}, {"max_rel_error", nullptr}, {"reference", nullptr}};
    }
    return {{"passed", f.passed()},
            {"max_abs_error", f.check->max_abs_error},
            {"max_rel_error", f.check->max_rel_error},
            {"worst_of_bound", f.check->worst_of_bound},
            {"first_wrong", f.check->first_wrong ? json(*f.check->first_wrong) : json(nullptr)},
            {"as_closed_form", f.model == f.expected},
            {"reference", f.check->reference},
            {"bound", bound_json(f.check->bound)},
            {"warning", f.check->warning ? json(*f.check->warning) : json(nullptr)}};
}

void print_check(report_table& lines, const segmented_options& o, const segmented_findings& f)
{
    lines.line("closed form",
               f.model == f.expected ? "the same numbers of the model" : "DIFFERS from the numbers of the model");
    if (!f.check) {
        lines.line("check", "not done (--no-check)");
        return;
    }
    const auto& c = *f.check;
    lines.line("error",
               "max " + number_text(c.max_abs_error) + " absolute, " + number_text(c.max_rel_error) +
                   " relative, against a " + c.reference +
                   (arch::is_integer(o.format) ? "" : "; worst " + number_text(c.worst_of_bound) + " of its bound"));
    if (c.bound) {
        lines.line("bound", c.bound->formula + " = " + number_text(c.bound->additions) + "; " +
                                number_text(c.bound->at_worst) + " at the worst element, " +
                                grouped_text(c.bound->worst));
    }
    if (c.warning) { lines.line("warning", *c.warning); }
    lines.line("check", std::string(f.passed() ? "passed" : "FAILED") +
                            (c.first_wrong ? ", first wrong at " + std::to_string(*c.first_wrong) : ""));
}

} // namespace

void print_table(std::ostream& out, const segmented_options& o, const segmented_findings& f)
{
    report_table lines(out);
    out << "segmented: " << workloads::name_of(o.operation) << " by " << o.variant->name << ", "
        << size_text(o, o.operation == segmented_operation::spmv ? f.results : o.source.length, f.nonzeros) << ", "
        << device_text(o) << "\n";
    lines.line("algorithm", o.variant->description);
    lines.line("result", grouped_text(f.results) + (f.results == 1 ? " element" : " elements"));
    print_mmv_ram(lines, f.model, f.station->device().word_bits);
    print_cycles(lines, f.costs, *f.station, o.common);
    print_roofline(lines, roofline_of(f.costs, o.side, f.station->device().banks));
    lines.line("scratchpad used", grouped_text(f.scratchpad_bytes) + " bytes");
    print_energy(lines, f.costs.energy);
    print_check(lines, o, f);
    print_usage(lines, f.usage, f.costs.counts[arch::mmv::event::mac]);
}

std::string failure_text(const segmented_options& o, const segmented_findings& f)
{
    return "check failed: " + std::string(o.variant->name) +
           (f.check->first_wrong
                ? ", first wrong at " + std::to_string(*f.check->first_wrong) + ", against a " + f.check->reference
                : ", the counts are not those of the closed form");
}

void write_files(const output_directory& directory, const segmented_options& o, const segmented_findings& f)
{
    json summary = summary_head("tensorloom-segmented-summary-1");
    summary["configuration"] = configuration_json(o, *f.station, f.scratchpad_bytes);
    summary["check"] = check_json(f);
    summary["result"] = {{"elements", f.results},
                         {"nonzeros", o.operation == segmented_operation::spmv ? json(f.nonzeros) : json(nullptr)},
                         {"checksum", f.checksum ? json(*f.checksum) : json(nullptr)}};
    summary["model"] = mmv_ram_json(f.model);
    summary["model_closed_form"] = mmv_ram_json(f.expected);
    summary.update(costs_json(f.costs, *f.station, o.common));
    summary["simulation"] = usage_json(f.usage, f.costs.counts[arch::mmv::event::mac]);
    write_program_files(directory, *f.station, f.energy_models);
    write_summary(directory.summary(), summary);
}

} // namespace tensorloom::testbench
