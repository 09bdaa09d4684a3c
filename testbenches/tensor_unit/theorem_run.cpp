#include "tensor_unit/theorem_findings.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <tensorloom/workloads/tensor_unit/theorems.h>
#include <tensorloom/workloads/tensor_unit/value_check.h>
#include "platform/mmv/mmv_testbed.h"
#include "platform/process/progress.h"

namespace tensorloom::testbench {
namespace {

using workloads::tensor_unit_algorithm;
using workloads::tensor_unit_problem;

constexpr unsigned sides[] = {4, 16};
constexpr std::size_t compared_sizes = 3;
constexpr unsigned printed_sides[] = {2, 4, 8, 16, 32}; // of theorem 10 as printed
constexpr std::uint64_t printed_limbs = 4096;
constexpr std::uint64_t swept_latencies[] = {0, 1000, 1'000'000, 1'000'000'000}; // of theorem 8 over sweeps

// One algorithm at one size on one array, and where its findings go.
struct task {
    const tensor_unit_algorithm* algorithm;
    tensor_unit_problem problem;
    std::string shown_as;
    workloads::tensor_unit_result result; ///< without values
    std::optional<bool> right;
};

using device_key = std::pair<unsigned, base::element_type>;

// All tasks of a device run one after the other.
class task_list {
public:
    explicit task_list(std::uint64_t latency) : m_latency(latency) {}

    task& add(unsigned side, const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem,
              std::string shown_as)
    {
        auto& list = m_by_device[{side, algorithm.formats.front()}];
        list.push_back(std::make_unique<task>(task{&algorithm,
                                                   workloads::completed_problem(algorithm, problem, side, m_latency),
                                                   std::move(shown_as),
                                                   {},
                                                   {}}));
        ++m_count;
        return *list.back();
    }
    const std::map<device_key, std::vector<std::unique_ptr<task>>>& by_device() const { return m_by_device; }
    std::size_t count() const { return m_count; }

private:
    std::map<device_key, std::vector<std::unique_ptr<task>>> m_by_device;
    std::size_t m_count = 0;
    std::uint64_t m_latency;
};

void run_task(task& t, workloads::mmv_session& session, bool check)
{
    const auto inputs = t.algorithm->inputs(t.problem);
    if (t.algorithm->edges != nullptr) { t.problem.edges = t.algorithm->edges(inputs); }
    t.result = t.algorithm->run(session, t.problem, inputs);
    if (check) {
        t.right =
            workloads::check_values(*t.algorithm, t.problem, inputs, t.result.values, session.limits().side).passed;
    }
    t.result.values = {};
}

// A baseline and its operations.
struct baseline_cost {
    std::string_view name;
    std::uint64_t operations;
};

// The baselines of an algorithm: operations of those that have a closed form, and the others, which must run.
struct baselines {
    std::vector<baseline_cost> computed;
    std::vector<const tensor_unit_algorithm*> to_run;
};

baselines baselines_of(const tensor_unit_algorithm& algorithm, tensor_unit_problem problem, unsigned side)
{
    baselines all;
    problem.cutoff = 0; // each has its own
    for (const auto name : algorithm.baselines) {
        const auto& baseline = workloads::find_tensor_unit_algorithm(std::string(name));
        if (const auto cost = baseline.cost(workloads::completed_problem(baseline, problem, side), side)) {
            all.computed.push_back({name, cost->cpu_ops});
        } else {
            all.to_run.push_back(&baseline);
        }
    }
    return all;
}

// A run of an algorithm, and of those of its baselines that have no closed form.
struct planned_point {
    tensor_unit_problem asked; // before its defaults are filled in
    task* run;
    std::vector<task*> baselines;
};

theorem_point point_of(const workloads::tensor_unit_theorem& theorem, unsigned side, std::uint64_t latency,
                       const planned_point& planned)
{
    const task& t = *planned.run;
    auto costs = baselines_of(*t.algorithm, t.problem, side).computed;
    for (const task* run : planned.baselines) {
        costs.push_back({run->algorithm->name, model_cost(run->result.counts).cpu_ops});
    }
    const auto best = std::min_element(costs.begin(), costs.end(), [](const baseline_cost& a, const baseline_cost& b) {
        return a.operations < b.operations;
    });
    const auto cost = model_cost(t.result.counts);
    theorem_point p{t.problem, cost, workloads::run_bounds(*t.algorithm, t.problem, cost, side, latency)};
    p.baseline = best->name;
    p.baseline_ops = best->operations;
    p.rounds = t.result.rounds;
    p.time = p.cost.time(side, latency);
    p.bound = theorem.time_bound(t.problem, side, latency, p.rounds);
    p.cycles = t.result.cycles;
    p.right = t.right;
    if (const auto expected = t.algorithm->cost(t.problem, side)) {
        p.as_closed_form = *expected == p.cost;
        p.latency_limit = workloads::largest_paying_latency(*t.algorithm, planned.asked, side, p.baseline_ops);
    } else {
        p.latency_limit = workloads::largest_paying_latency(p.cost, side, p.baseline_ops);
    }
    return p;
}

theorems_findings run_theorems(const tensor_unit_options& o)
{
    struct planned_theorem {
        const workloads::tensor_unit_theorem* theorem;
        unsigned side;
        std::vector<planned_point> tasks;
    };
    struct planned_io {
        unsigned side;
        double bound;
        task* run;
    };
    task_list tasks(o.latency);
    std::vector<planned_theorem> theorems, sweeps;
    std::vector<planned_io> io;
    const auto& dense = workloads::find_tensor_unit_algorithm("dense");
    const auto planned_run = [&](const workloads::tensor_unit_theorem& theorem, unsigned side,
                                 const tensor_unit_problem& problem) {
        const auto& algorithm = workloads::find_tensor_unit_algorithm(std::string(theorem.algorithm));
        planned_point planned{problem, &tasks.add(side, algorithm, problem, theorem.title()), {}};
        for (const auto* baseline : baselines_of(algorithm, problem, side).to_run) {
            planned.baselines.push_back(&tasks.add(side, *baseline, problem, theorem.title()));
        }
        return planned;
    };
    for (const unsigned side : sides) {
        for (const auto& theorem : workloads::tensor_unit_theorems()) {
            planned_theorem planned{&theorem, side, {}};
            for (auto problem : theorem.problems(side)) {
                problem.charges = o.problem.charges;
                planned.tasks.push_back(planned_run(theorem, side, problem));
                if (theorem.algorithm != dense.name) { continue; }
                auto weak = problem;
                weak.shape = workloads::call_shape::square;
                if (const auto bound = workloads::io_bound(dense, weak, side).value) {
                    io.push_back({side, *bound, &tasks.add(side, dense, weak, "theorem 12")});
                }
            }
            theorems.push_back(std::move(planned));
            if (theorem.algorithm != "stencil") { continue; }
            sweeps.push_back({&theorem, side, {}});
            for (auto problem : workloads::swept_stencils()) {
                problem.charges = o.problem.charges;
                sweeps.back().tasks.push_back(planned_run(theorem, side, problem));
            }
        }
    }

    progress shown(o.common.quiet);
    std::size_t done = 0;
    std::vector<std::unique_ptr<mmv_testbed>> testbeds;
    std::vector<testbed*> together;
    for (const auto& entry : tasks.by_device()) {
        const auto& [key, list] = entry;
        const auto program = [&](workloads::mmv_session& session) {
            for (const auto& t : entry.second) {
                shown.show(static_cast<double>(done) / static_cast<double>(tasks.count()),
                           t->shown_as + ", size " + std::to_string(t->problem.size) + " on " +
                               std::to_string(entry.first.first) + " x " + std::to_string(entry.first.first));
                run_task(*t, session, o.common.check);
                ++done;
            }
        };
        testbeds.push_back(make_mmv_testbed(
            "side_" + std::to_string(key.first) + "_" + std::string(base::element_type_name(key.second)),
            device_config(o.device, o.common, key.first, key.second, tasks.by_device().size()), o.common,
            mmv_memory_for(1u << 22), activity::log_detail::totals, program));
        together.push_back(testbeds.back().get());
    }

    theorems_findings found;
    found.usage = run_testbeds(together, o.common, {});
    for (const auto& planned : theorems) {
        theorem_findings t{planned.theorem, planned.side, {}, {}};
        for (const auto& point : planned.tasks) {
            t.points.push_back(point_of(*planned.theorem, planned.side, o.latency, point));
        }
        t.limit = planned.theorem->limit(t.points.back().problem, planned.side);
        found.theorems.push_back(std::move(t));
    }
    for (const auto& planned : sweeps) {
        for (const auto& point : planned.tasks) {
            sweep_findings s{planned.side, point_of(*planned.theorem, planned.side, 0, point), {}};
            for (const std::uint64_t l : swept_latencies) {
                s.latencies.push_back({l, s.point.cost.time(planned.side, l),
                                       planned.theorem->time_bound(point.run->problem, planned.side, l, 0)});
            }
            found.sweeps.push_back(std::move(s));
        }
    }
    for (const auto& planned : io) {
        const auto cost = model_cost(planned.run->result.counts);
        found.io.push_back({planned.side, planned.run->problem.size, cost.time(planned.side, o.latency),
                            workloads::simulated_io(cost, planned.side), planned.bound});
    }
    for (const unsigned q : printed_sides) {
        found.printed.push_back({q, printed_limbs, workloads::printed_karatsuba(printed_limbs, 4 * q, q, o.latency),
                                 workloads::printed_karatsuba(printed_limbs, q * q, q, o.latency)});
    }
    for (const auto& entry : tasks.by_device()) {
        for (const auto& t : entry.second) { found.macs += t->result.counts[mmv::event::mac]; }
    }
    return found;
}

class theorem_run : public testbench_run {
public:
    explicit theorem_run(const tensor_unit_options& options) : m_options(options) {}

    void simulate(const costs::technology&) override { m_found = run_theorems(m_options); }
    bool passed() const override { return m_found.passed(m_options.latency); }

    void write_report(run_report& report) const override
    {
        report.begin("model time over the theorems' bounds, constants 1, latency " + grouped_text(m_options.latency) +
                         ", charges " + charges_name(m_options.problem.charges) + "; size and options in brackets",
                     "tensorloom-tensor-unit-theorems-1",
                     {{"latency", m_options.latency},
                      {"charges", charges_name(m_options.problem.charges)},
                      {"fidelity", fidelity_name(m_options.common)}});
        report["check"] = {{"passed", passed()}, {"values_checked", m_options.common.check}};
        write_theorems(report, m_found, m_options.latency);
        report.line("check", !passed()                ? "FAILED"
                             : m_options.common.check ? "passed"
                                                      : "counts passed; values not checked (--no-check)");
        report.simulation(m_found.usage, m_found.macs);
    }

    void write_programs(const output_directory&) const override {}

    std::string failure() const override { return failure_text(m_found, m_options.latency); }

private:
    const tensor_unit_options& m_options;
    theorems_findings m_found;
};

} // namespace

double theorem_point::ratio() const { return static_cast<double>(time) / bound; }

double theorem_findings::spread() const
{
    double most = 0, least = HUGE_VAL;
    std::size_t taken = 0;
    for (auto p = points.rbegin(); p != points.rend() && taken < compared_sizes; ++p) {
        if (p->problem.sweeps != points.back().problem.sweeps) { continue; }
        most = std::max(most, p->ratio());
        least = std::min(least, p->ratio());
        ++taken;
    }
    return most / least;
}

std::optional<bool> theorem_findings::flat() const
{
    if (side != sides[0] || theorem->flatness == 0) { return std::nullopt; }
    return spread() <= theorem->flatness;
}

std::vector<const theorem_point*> theorems_findings::points() const
{
    std::vector<const theorem_point*> all;
    for (const auto& t : theorems) {
        for (const auto& p : t.points) { all.push_back(&p); }
    }
    for (const auto& s : sweeps) { all.push_back(&s.point); }
    return all;
}

bool theorems_findings::passed(std::uint64_t latency) const
{
    const auto measured = points();
    const auto flat = [latency](const theorem_findings& t) { return latency != 0 || t.flat().value_or(true); };
    return std::all_of(theorems.begin(), theorems.end(), flat) &&
           std::all_of(measured.begin(), measured.end(),
                       [](const auto* p) {
                           return p->right.value_or(true) && p->as_closed_form.value_or(true) && p->bounds.hold();
                       }) &&
           std::all_of(io.begin(), io.end(), [](const io_findings& f) { return f.holds(); });
}

std::unique_ptr<testbench_run> make_theorem_run(const tensor_unit_options& options)
{
    return std::make_unique<theorem_run>(options);
}

} // namespace tensorloom::testbench
