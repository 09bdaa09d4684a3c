#include <algorithm>
#include <cmath>
#include <numeric>
#include "compare_measured/compare_measured.h"
#include "platform/report/report_table.h"

namespace tensorloom::testbench {
namespace {

// Places in ascending order, from 1; equal values share the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](auto x, auto y) { return values[x] < values[y]; });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first;
        while (end < order.size() && values[order[end]] == values[order[first]]) { ++end; }
        for (std::size_t i = first; i < end; ++i) { ranks[order[i]] = static_cast<double>(first + end + 1) / 2; }
        first = end;
    }
    return ranks;
}

std::optional<double> correlation_of(const std::vector<double>& x, const std::vector<double>& y)
{
    const auto count = static_cast<double>(x.size());
    const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / count;
    const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / count;
    double xx = 0, yy = 0, xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - mean_x) * (x[i] - mean_x);
        yy += (y[i] - mean_y) * (y[i] - mean_y);
        xy += (x[i] - mean_x) * (y[i] - mean_y);
    }
    if (xx == 0 || yy == 0) { return std::nullopt; }
    return xy / std::sqrt(xx * yy);
}

std::string percent_text(double share) { return number_text(100 * share) + " %"; }
std::string signed_percent_text(double share) { return (share < 0 ? "" : "+") + percent_text(share); }

// The cause of most of a case's cycles.
std::string longest_cause(const measured_case& c)
{
    const auto& causes = c.costs.cycles_by_cause;
    const auto most = std::max_element(causes.begin(), causes.end(),
                                       [](const auto& x, const auto& y) { return x.second < y.second; });
    return most == causes.end() ? "-" : most->first;
}

void write_errors(run_report& report, json& all, const std::string& name, const measured_errors& errors)
{
    if (errors.cases == 0) {
        all[name] = nullptr;
        return;
    }
    all[name] = {{"cases", errors.cases},
                 {"mean_abs", errors.mean},
                 {"largest_abs", errors.largest},
                 {"rank_correlation", or_null(errors.rank_correlation)}};
    report.line(name == "all" ? "all cases" : name + " cases",
                std::to_string(errors.cases) + ": off by " + percent_text(errors.mean) + " on average, " +
                    percent_text(errors.largest) + " at most" +
                    (errors.rank_correlation ? ", rank correlation " + number_text(*errors.rank_correlation) : ""));
}

void print_cases(run_report& report, measured_quantity quantity, const std::vector<measured_case>& cases)
{
    constexpr int name = 22, column = 13;
    const auto text = [&](double value) {
        return quantity == measured_quantity::cycles ? grouped_text(static_cast<std::uint64_t>(value))
                                                     : number_text(value);
    };
    cell_table table(report.text(), name, {column, column, column, column, 8});
    table.print("", {"measured", "model", "error", "most by", "fitted"});
    for (const auto& c : cases) {
        table.print(c.name, {text(c.measured), text(c.model), signed_percent_text(c.error()), longest_cause(c),
                             c.fitted ? "yes" : "no"});
    }
}

// Of a row of cases.csv, and of the summary.
json case_row(measured_quantity quantity, const measured_case& c)
{
    const bool ratio = quantity == measured_quantity::ratio;
    return {{"name", c.name},     {"line", c.line},
            {"fitted", c.fitted}, {"measured", c.measured},
            {"model", c.model},   {"measured_cycles", or_null(!ratio, static_cast<std::uint64_t>(c.measured))},
            {"cycles", c.cycles}, {"error", c.error()},
            {"macs", c.macs},     {"energy_pJ", c.costs.pj()}};
}

json case_json(measured_quantity quantity, const measured_case& c, bool checked)
{
    json all = case_row(quantity, c);
    all["cycles_by_cause"] = causes_json(c.costs.cycles_by_cause);
    all["passed"] = or_null(checked, c.passed);
    return all;
}

} // namespace

measured_errors errors_of(const std::vector<measured_case>& cases, const std::optional<bool>& fitted)
{
    measured_errors errors;
    std::vector<double> measured, model;
    for (const auto& c : cases) {
        if (fitted && c.fitted != *fitted) { continue; }
        const double error = std::abs(c.error());
        errors.mean += error;
        errors.largest = std::max(errors.largest, error);
        measured.push_back(c.measured);
        model.push_back(c.model);
    }
    errors.cases = measured.size();
    if (errors.cases == 0) { return errors; }
    errors.mean /= static_cast<double>(errors.cases);
    errors.rank_correlation = correlation_of(ranks_of(measured), ranks_of(model));
    return errors;
}

bool compare_measured_findings::passed() const
{
    return std::all_of(cases.begin(), cases.end(), [](const auto& c) { return c.passed; });
}

void write_report(run_report& report, const compare_measured_options& o, const compare_measured_findings& found)
{
    const auto facts = o.machine->facts();
    std::uint64_t macs = 0;
    for (const auto& c : found.cases) { macs += c.macs; }
    report.begin(std::string(facts.title) + ", " + counted(found.cases.size(), "measurement", "measurements") + ", " +
                     fidelity_name(o.common),
                 "tensorloom-compare-measured-summary-1", found.configuration);
    report.line("measured", facts.source);
    report.line("preset", facts.preset);
    json fitted = json::array();
    for (const auto& p : facts.fitted) {
        report.line(std::string("fitted: ") + p.name, number_text(p.value) + " " + p.unit + ", " + p.meaning);
        fitted.push_back({{"name", p.name}, {"value", p.value}, {"unit", p.unit}, {"meaning", p.meaning}});
    }
    report.line("fitted to", facts.fitted_on ? facts.fitted_on : "nothing");
    report["fitted"] = fitted;
    report["quantity"] = facts.quantity == measured_quantity::ratio ? "ratio" : "cycles";
    json errors;
    write_errors(report, errors, "fitted", errors_of(found.cases, true));
    write_errors(report, errors, "other", errors_of(found.cases, false));
    write_errors(report, errors, "all", errors_of(found.cases, std::nullopt));
    report["errors"] = errors;
    print_cases(report, facts.quantity, found.cases);
    json cases = json::array();
    for (const auto& c : found.cases) { cases.push_back(case_json(facts.quantity, c, o.common.check)); }
    report["cases"] = cases;
    report["macs"] = macs;
    if (o.common.check) {
        report["check"] = {{"passed", found.passed()},
                           {"max_abs_error", nullptr},
                           {"max_rel_error", nullptr},
                           {"reference", "sums on the host"}};
    }
    report.check(o.common.check ? std::optional(found.passed()) : std::nullopt);
    report.simulation(found.usage, macs);
}

std::string cases_csv(measured_quantity quantity, const compare_measured_findings& found)
{
    std::vector<json> rows;
    for (const auto& c : found.cases) { rows.push_back(case_row(quantity, c)); }
    return csv_of(rows);
}

} // namespace tensorloom::testbench
