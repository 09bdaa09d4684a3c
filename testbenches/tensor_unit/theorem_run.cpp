#include "tensor_unit/theorem_run.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <tensorloom/workloads/tensor_unit/theorems.h>
#include "platform/mmv_station.h"
#include "platform/progress.h"
#include "tensor_unit/tensor_unit_check.h"
#include "tensor_unit/tensor_unit_run.h"

namespace tensorloom::testbench {
namespace {

using workloads::tensor_unit_algorithm;
using workloads::tensor_unit_problem;

constexpr unsigned sides[] = {4, 16};
constexpr std::size_t compared_sizes = 3;
constexpr unsigned printed_sides[] = {2, 4, 8, 16, 32}; // of theorem 10 as printed
constexpr std::uint64_t printed_limbs = 4096;

// One algorithm at one size on one array, and where its findings go.
struct task {
    const tensor_unit_algorithm* algorithm;
    tensor_unit_problem problem;
    std::string shown_as;
    workloads::tensor_unit_result result; ///< without values
    std::optional<bool> right;
};

using device_key = std::pair<unsigned, arch::element_type>;

// All tasks of a device run one after the other.
class task_list {
public:
    task& add(unsigned side, const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem,
              std::string shown_as)
    {
        auto& list = m_by_device[{side, algorithm.formats.front()}];
        list.push_back(std::make_unique<task>(
            task{&algorithm, workloads::completed_problem(algorithm, problem, side), std::move(shown_as), {}, {}}));
        ++m_count;
        return *list.back();
    }
    const std::map<device_key, std::vector<std::unique_ptr<task>>>& by_device() const { return m_by_device; }
    std::size_t count() const { return m_count; }

private:
    std::map<device_key, std::vector<std::unique_ptr<task>>> m_by_device;
    std::size_t m_count = 0;
};

void run_task(task& t, workloads::mmv_machine& machine, bool check)
{
    const auto inputs = t.algorithm->inputs(t.problem);
    t.result = t.algorithm->run(machine, t.problem, inputs);
    if (check) { t.right = check_values(t.result.values, t.algorithm->reference(t.problem, inputs)).passed; }
    t.result.values = {};
}

theorem_point point_of(const workloads::tensor_unit_theorem& theorem, unsigned side, std::uint64_t latency,
                       const task& t)
{
    theorem_point p;
    p.problem = t.problem;
    p.cost = model_cost(t.result.counts);
    p.rounds = t.result.rounds;
    p.time = p.cost.time(side, latency);
    p.bound = theorem.time_bound(t.problem, side, latency, p.rounds);
    p.cycles = t.result.cycles;
    p.right = t.right;
    if (const auto expected = t.algorithm->cost(t.problem, side)) { p.as_closed_form = *expected == p.cost; }
    return p;
}

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

bool theorems_findings::passed(std::uint64_t latency) const
{
    const auto right = [latency](const theorem_findings& t) {
        return (latency != 0 || t.flat().value_or(true)) &&
               std::all_of(t.points.begin(), t.points.end(), [](const theorem_point& p) {
                   return p.right.value_or(true) && p.as_closed_form.value_or(true);
               });
    };
    return std::all_of(theorems.begin(), theorems.end(), right) &&
           std::all_of(io.begin(), io.end(), [](const io_findings& f) { return f.holds(); });
}

theorems_findings run_theorems(const tensor_unit_options& o)
{
    struct planned_theorem {
        const workloads::tensor_unit_theorem* theorem;
        unsigned side;
        std::vector<task*> tasks;
    };
    struct planned_io {
        unsigned side;
        double bound;
        task* run;
    };
    task_list tasks;
    std::vector<planned_theorem> theorems;
    std::vector<planned_io> io;
    const auto& dense = workloads::find_tensor_unit_algorithm("dense");
    for (const unsigned side : sides) {
        for (const auto& theorem : workloads::tensor_unit_theorems()) {
            const auto& algorithm = workloads::find_tensor_unit_algorithm(std::string(theorem.algorithm));
            planned_theorem planned{&theorem, side, {}};
            for (const auto& problem : theorem.problems(side)) {
                planned.tasks.push_back(&tasks.add(side, algorithm, problem, theorem.title()));
                if (&algorithm != &dense) { continue; }
                auto weak = problem;
                weak.shape = workloads::call_shape::square;
                if (const auto bound = workloads::product_io_bound(problem.size, side)) {
                    io.push_back({side, *bound, &tasks.add(side, dense, weak, "theorem 12")});
                }
            }
            theorems.push_back(std::move(planned));
        }
    }

    progress shown(o.common.quiet);
    std::size_t done = 0;
    std::vector<std::unique_ptr<mmv_station>> stations;
    std::vector<device_station*> together;
    for (const auto& entry : tasks.by_device()) {
        const auto& [key, list] = entry;
        const auto program = [&](workloads::mmv_machine& machine) {
            for (const auto& t : entry.second) {
                shown.show(static_cast<double>(done) / static_cast<double>(tasks.count()),
                           t->shown_as + ", size " + std::to_string(t->problem.size) + " on " +
                               std::to_string(entry.first.first) + " x " + std::to_string(entry.first.first));
                run_task(*t, machine, o.common.check);
                ++done;
            }
        };
        stations.push_back(std::make_unique<mmv_station>(
            "side_" + std::to_string(key.first) + "_" + std::string(arch::element_type_name(key.second)),
            device_config(o.device, o.common, key.first, key.second, tasks.by_device().size()), o.common,
            mmv_station::memory_for(1u << 22), activity::log_detail::totals, program));
        together.push_back(stations.back().get());
    }

    theorems_findings found;
    found.usage = run_stations(together, o.common, {});
    for (const auto& planned : theorems) {
        theorem_findings t{planned.theorem, planned.side, {}, {}};
        for (const auto* run : planned.tasks) {
            t.points.push_back(point_of(*planned.theorem, planned.side, o.latency, *run));
        }
        t.limit = planned.theorem->limit(t.points.back().problem, planned.side);
        found.theorems.push_back(std::move(t));
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
        for (const auto& t : entry.second) { found.macs += t->result.counts[arch::mmv::event::mac]; }
    }
    return found;
}

} // namespace tensorloom::testbench
