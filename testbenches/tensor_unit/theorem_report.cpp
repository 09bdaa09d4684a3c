#include "tensor_unit/theorem_findings.h"

namespace tensorloom::testbench {
namespace {

std::string verdict(const theorem_findings& t)
{
    const auto flat = t.flat();
    return "largest by smallest of the last " + number_text(t.spread()) +
           (flat ? std::string(*flat ? ", flat" : ", NOT FLAT") + " (at most " + number_text(t.theorem->flatness) + ")"
                 : ", no claim");
}

// One figure of every point, or why there is none.
template <class Figure>
void print_figures(std::ostream& out, const theorem_findings& t, const char* what, const Figure& figure,
                   std::string_view reason)
{
    out << "    " << what << ":";
    if (!figure(t.points.back())) {
        out << " -, " << reason << "\n";
        return;
    }
    for (const auto& p : t.points) {
        const auto value = figure(p);
        out << " " << (value ? number_text(*value) : "-");
    }
    out << "\n";
}

void print_bounds(std::ostream& out, const theorem_findings& t)
{
    const auto& last = t.points.back().bounds;
    print_figures(
        out, t, "time over the lower bound of semiring products (theorem 2)",
        [](const theorem_point& p) { return p.bounds.time_over_bound(); }, last.products.reason);
    print_figures(
        out, t, "transfers Q of the simulation (theorem 12) over their lower bound F",
        [](const theorem_point& p) { return p.bounds.io_over_bound(); }, last.least_io.reason);
    out << "    transfers Q:";
    for (const auto& p : t.points) { out << " " << grouped_text(p.bounds.io); }
    out << "\n    takes less than the baseline up to l =";
    for (const auto& p : t.points) { out << " " << (p.latency_limit ? grouped_text(*p.latency_limit) : "-"); }
    out << "\n";
}

void print_faults(std::ostream& out, const theorem_point& p)
{
    if (!p.right.value_or(true)) { out << "    WRONG RESULT at size " << p.problem.size << "\n"; }
    if (!p.as_closed_form.value_or(true)) {
        out << "    COUNTS DIFFER from the closed form at size " << p.problem.size << "\n";
    }
    if (!p.bounds.hold()) { out << "    BELOW A LOWER BOUND at size " << p.problem.size << "\n"; }
}

void print_theorem(std::ostream& out, const theorem_findings& t)
{
    const auto& algorithm = workloads::find_tensor_unit_algorithm(std::string(t.theorem->algorithm));
    out << "  " << t.theorem->title() << " (" << t.theorem->algorithm << "), bound " << t.theorem->bound << "\n    ";
    for (const auto& p : t.points) {
        out << number_text(p.ratio()) << " (" << problem_text(algorithm, p.problem, std::to_string) << ")"
            << (&p == &t.points.back() ? "\n" : "  ");
    }
    out << "    limit " << (t.limit ? number_text(*t.limit) : "none stated") << "; " << verdict(t) << "\n";
    out << "    time over the operations of " << t.points.back().baseline << ":";
    for (const auto& p : t.points) {
        out << " " << number_text(p.over_baseline()) << (p.over_baseline() > 1 ? " (loses)" : "");
        if (p.baseline != t.points.back().baseline) { out << " (" << p.baseline << ")"; }
    }
    out << "\n";
    print_bounds(out, t);
    for (const auto& p : t.points) { print_faults(out, p); }
}

void print_sweeps(std::ostream& out, const std::vector<sweep_findings>& sweeps)
{
    out << "  theorem 8 by sweeps k and latency l: time over bound, and over the operations of a baseline\n";
    for (const auto& s : sweeps) {
        out << "    q = " << s.side << ", size " << s.point.problem.size << ", k = " << s.point.problem.sweeps << ":";
        for (const auto& l : s.latencies) {
            out << " " << number_text(l.ratio()) << " (l = " << grouped_text(l.latency) << ")";
        }
        out << ", " << number_text(s.point.over_baseline()) << (s.point.over_baseline() > 1 ? " (loses)" : "") << " ("
            << s.point.baseline << ")\n";
        print_faults(out, s.point);
    }
}

// "79 (cutoff 64)"
std::string printed_text(const workloads::printed_karatsuba_figure& figure)
{
    return number_text(figure.ratio()) + " (cutoff " + std::to_string(figure.cutoff) + ")";
}

json printed_json(const workloads::printed_karatsuba_figure& figure)
{
    return {{"cutoff", figure.cutoff},
            {"tensor_time", figure.tensor_time},
            {"bound", figure.bound},
            {"ratio", figure.ratio()}};
}

json point_json(std::string_view algorithm, const theorem_point& p, unsigned side, std::uint64_t latency)
{
    json entry = problem_json(workloads::find_tensor_unit_algorithm(std::string(algorithm)), p.problem);
    entry.update(cost_json(p.cost, side, latency));
    entry["rounds"] = or_null(p.rounds != 0, p.rounds);
    entry["bound"] = p.bound;
    entry["ratio"] = p.ratio();
    entry["cycles"] = p.cycles;
    entry["as_closed_form"] = or_null(p.as_closed_form);
    entry["right"] = or_null(p.right);
    entry["baseline"] = p.baseline;
    entry["baseline_ops"] = p.baseline_ops;
    entry["lower_bounds"] = bounds_json(p.bounds);
    entry["latency_limit"] = or_null(p.latency_limit);
    return entry;
}

json points_json(const theorem_findings& t, std::uint64_t latency)
{
    json list = json::array();
    for (const auto& p : t.points) { list.push_back(point_json(t.theorem->algorithm, p, t.side, latency)); }
    return list;
}

json sweeps_json(const std::vector<sweep_findings>& sweeps)
{
    json list = json::array();
    for (const auto& s : sweeps) {
        json entry = {{"q", s.side}, {"point", point_json("stencil", s.point, s.side, 0)}};
        for (const auto& l : s.latencies) {
            entry["latencies"].push_back(
                {{"latency", l.latency}, {"time", l.time}, {"bound", l.bound}, {"ratio", l.ratio()}});
        }
        list.push_back(entry);
    }
    return list;
}

void print_theorems(std::ostream& out, const theorems_findings& f)
{
    unsigned side = 0;
    for (const auto& t : f.theorems) {
        if (t.side != side) {
            side = t.side;
            out << " q = " << side << ", m = " << side * side << "\n";
        }
        print_theorem(out, t);
    }
    print_sweeps(out, f.sweeps);
    out << "  theorem 12 (dense, weak): Q transfers of the simulation in external memory, F its lower bound\n";
    for (const auto& i : f.io) {
        out << "    q = " << i.side << ", size " << i.size << ": time / F "
            << number_text(static_cast<double>(i.time) / i.bound) << ", Q / F "
            << number_text(static_cast<double>(i.simulated_io) / i.bound) << ", Q >= F and 3 time >= F "
            << (i.holds() ? "hold" : "FAIL") << "\n";
    }
    out << "  theorem 10, as printed (karatsuba), bound (n' / q)^(log2 3) (q + l / q), n' words of 64 bits, 4 limbs "
           "each: tensor "
           "time by the closed form over it\n";
    for (const auto& p : f.printed) {
        out << "    q = " << p.side << ", size " << p.size << ": " << printed_text(p.at_printed_cutoff)
            << " at the printed cut-off, " << printed_text(p.at_best_cutoff) << " at the best\n";
    }
}

} // namespace

void write_theorems(run_report& report, const theorems_findings& f, std::uint64_t latency)
{
    print_theorems(report.text(), f);
    json theorems = json::array();
    for (const auto& t : f.theorems) {
        const auto flat = t.flat();
        theorems.push_back({{"theorem", t.theorem->name},
                            {"algorithm", t.theorem->algorithm},
                            {"bound", t.theorem->bound},
                            {"q", t.side},
                            {"points", points_json(t, latency)},
                            {"limit", or_null(t.limit)},
                            {"spread", t.spread()},
                            {"spread_allowed", or_null(flat.has_value(), t.theorem->flatness)},
                            {"flat", or_null(flat)}});
    }
    json io = json::array();
    for (const auto& i : f.io) {
        io.push_back({{"q", i.side},
                      {"size", i.size},
                      {"time", i.time},
                      {"simulated_io", i.simulated_io},
                      {"io_bound", i.bound},
                      {"time_over_bound", static_cast<double>(i.time) / i.bound},
                      {"io_over_bound", static_cast<double>(i.simulated_io) / i.bound},
                      {"holds", i.holds()}});
    }
    report.fields({{"theorems", theorems}, {"theorem_8_by_sweeps", sweeps_json(f.sweeps)}, {"theorem_12", io}});
    for (const auto& p : f.printed) {
        report["theorem_10_as_printed"].push_back({{"q", p.side},
                                                   {"size", p.size},
                                                   {"at_printed_cutoff", printed_json(p.at_printed_cutoff)},
                                                   {"at_best_cutoff", printed_json(p.at_best_cutoff)}});
    }
}

std::string failure_text(const theorems_findings& f, std::uint64_t latency)
{
    for (const auto& t : f.theorems) {
        const auto where = "check failed: " + t.theorem->title() + " at q = " + std::to_string(t.side);
        for (const auto& p : t.points) {
            const auto size = ", size " + std::to_string(p.problem.size);
            if (!p.right.value_or(true)) { return where + size + ": wrong result"; }
            if (!p.as_closed_form.value_or(true)) { return where + size + ": counts are not those of the closed form"; }
            if (!p.bounds.hold()) { return where + size + ": less than a lower bound"; }
        }
        if (latency == 0 && !t.flat().value_or(true)) { return where + ": not flat"; }
    }
    for (const auto& s : f.sweeps) {
        const auto where = "check failed: theorem 8, " + std::to_string(s.point.problem.sweeps) +
                           " sweeps at q = " + std::to_string(s.side);
        if (!s.point.right.value_or(true)) { return where + ": wrong result"; }
        if (!s.point.as_closed_form.value_or(true)) { return where + ": counts are not those of the closed form"; }
        if (!s.point.bounds.hold()) { return where + ": less than a lower bound"; }
    }
    return "check failed: theorem 12 does not hold";
}

} // namespace tensorloom::testbench
