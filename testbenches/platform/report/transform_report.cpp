#include "platform/report/transform_report.h"
#include <algorithm>
#include <string>
#include <tensorloom/workloads/transform.h>
#include "platform/run/chain_job.h"

namespace tensorloom::testbench {
namespace {

const char* reference_text(base::element_type format)
{
    switch (format) {
    case base::element_type::bf16:
        return "the sums, stage by stage, in long double, rounded to bfloat16 between stages";
    case base::element_type::int8: return "the sums, stage by stage, in integers, shifted and saturated between stages";
    default: return "the sums, stage by stage, in long double";
    }
}

json check_json(base::element_type format, const workloads::check_result& check)
{
    return {{"passed", check.passed},
            {"finite", check.finite},
            {"max_abs_error", check.max_abs_error},
            {"mean_abs_error", check.mean_abs_error},
            {"max_rel_error", check.max_rel_error},
            {"bound", check.bound},
            {"worst_of_bound", check.worst_of_bound},
            {"worst_case_bound", check.worst_case_bound},
            {"systematic", check.systematic},
            {"undecided", check.undecided},
            {"not_finite", check.not_finite},
            {"reference", reference_text(format)},
            {"max_abs_error_against_float64", check.max_abs_error_against_float64},
            {"max_rel_error_against_float64", check.max_rel_error_against_float64}};
}

} // namespace

operation_counts operations_of(const transform_job& job, std::uint64_t macs)
{
    const bool complex_data = base::is_complex(job.format);
    double fft = 0;
    for (const auto& step : steps_of(job)) {
        if (!step.is_transform()) { continue; }
        const auto by_mode = workloads::operations_of_fft(step.in_shape, step.out_shape, complex_data).by_mode;
        for (std::size_t m = 0; m < 3; ++m) { fft += step.sums(m) ? by_mode[m] : 0; }
    }
    return {job.batch * fft, workloads::operations_per_mac(complex_data) * static_cast<double>(macs)};
}

void write_operations(run_report& report, const operation_counts& operations)
{
    report["operations"] = {{"device", operations.device}, {"fft", operations.fft}};
}

void print_operations(run_report& report, const operation_counts& operations, double ns, double pj)
{
    report.line("FFT of this size", number_text(operations.fft / 1e6) + " million operations; the device: " +
                                        number_text(operations.device / 1e6) + " million in " +
                                        quantity_text(ns * 1000, "s") + " with " + quantity_text(pj, "J"));
}

void print_format_of_data(run_report& report, const run_options& options, base::element_type format)
{
    const bool single = format == base::element_type::f32 || format == base::element_type::c64;
    const bool given = std::any_of(options.options_given.begin(), options.options_given.end(),
                                   [](const given_option& option) { return option.name == "format"; });
    if (!single || given) { return; }
    report.line("format", std::string(base::element_type_name(format)) + ", the precision of the data; --format " +
                              (base::is_complex(format) ? "c128" : "f64") + " computes in double precision");
}

std::uint64_t largest_face(const std::array<std::uint32_t, 3>& s)
{
    return std::uint64_t{s[0]} * s[1] * s[2] / *std::min_element(s.begin(), s.end());
}

std::string memory_port_text(const common_options& common, const memory_port& port)
{
    const auto bytes = static_cast<double>(base::element_bytes(port.format));
    const double dma = common.platform.bus_bytes_per_cycle() * port.dma_ports / bytes;
    const double memory = peak_bytes_per_cycle(common, port.dma_ports) / bytes;
    if (static_cast<double>(port.elements) == dma) { return {}; }
    return counted(port.elements, "element", "elements") + " per cycle, the DMA brings " + number_text(dma) +
           (memory < dma ? ", the memory " + number_text(memory) : "") +
           (port.face < port.elements ? ", a face of the array takes " + grouped_text(port.face) : "");
}

void print_memory_port(run_report& report, const memory_port& port)
{
    const auto text = memory_port_text(report.common(), port);
    if (!text.empty()) { report.line("memory port", text); }
}

void write_check(run_report& report, base::element_type format, const std::optional<workloads::check_result>& check)
{
    if (!check) { return report.check(std::nullopt); }
    const auto error_text = [](double absolute, double relative, const char* reference) {
        return "max " + number_text(absolute) + " absolute, " + number_text(relative) + " relative, against " +
               reference;
    };
    report["check"] = check_json(format, *check);
    const bool low_precision = base::accumulator_type(format) != format;
    report.line(
        "error",
        error_text(check->max_abs_error, check->max_rel_error, low_precision ? "the same rounding" : "long double") +
            " (bound " + number_text(check->bound) +
            (check->worst_case_bound > check->bound ? ", for any roundings " + number_text(check->worst_case_bound)
                                                    : "") +
            ")");
    if (check->largest > 0 && check->finite && check->bound > check->largest) {
        report.line("weak bound", "above the largest element, " + number_text(check->largest) +
                                      ": the check excludes little; a shorter chain or --format f64 has a closer one");
    }
    if (check->systematic != 0) {
        report.line("regular data", counted(check->systematic, "element", "elements") +
                                        " off by more than random rounding errors, as the same sums on the host");
    }
    if (check->undecided != 0) {
        report.line("undecided", counted(check->undecided, "element", "elements") +
                                     " so close to the threshold that both decisions are right");
    }
    if (low_precision) {
        report.line("error of the format",
                    error_text(check->max_abs_error_against_float64, check->max_rel_error_against_float64, "float64"));
    }
    if (check->not_finite != 0) {
        report.line("non-finite data", counted(check->not_finite, "element", "elements") +
                                           " NaN or infinite in the reference, expected likewise in the result");
    } else if (!check->finite) {
        report.line("large data", check->compared == 0
                                      ? "nothing was compared: every element may overflow, by its bound"
                                      : "elements that may overflow were not compared");
    }
    report.check(check->passed);
}

void write_kept(run_report& report, const std::optional<std::uint64_t>& kept)
{
    report["kept"] = or_null(kept);
    if (kept) { report.line("kept", grouped_text(*kept) + " elements of largest modulus"); }
}

json chain_texts(const transform_job& job)
{
    if (job.chain.empty()) { return nullptr; }
    json list = json::array();
    for (const auto& step : job.chain) { list.push_back(workloads::step_text(step)); }
    return list;
}

} // namespace tensorloom::testbench
