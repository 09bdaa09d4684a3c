#include "segmented/theorem_findings.h"
#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>
#include <tensorloom/workloads/segmented/closed_forms.h>
#include <tensorloom/workloads/segmented/mmv_ram.h>
#include <tensorloom/workloads/segmented/references.h>
#include "platform/mmv/mmv_testbed.h"
#include "platform/process/progress.h"

namespace tensorloom::testbench {
namespace {

constexpr unsigned theorem_sides[] = {4, 16};
constexpr std::uint64_t reversed_groups = 4, most_reversed_blocks = 64;
// A STORE after each of some ten steps over the largest vector needs room for all of them.
constexpr std::uint64_t stored_elements = 1u << 25;

// What the runs on one array take and find.
struct array_runs {
    unsigned side;
    std::vector<mmv_ram_findings> theorems;
    std::vector<reversal_findings> reversals;
    std::uint64_t macs = 0;
};

array_runs planned_runs(unsigned side)
{
    array_runs runs{side, {}, {}, 0};
    for (const auto& theorem : workloads::segmented_theorems()) {
        runs.theorems.push_back({&theorem, side, {}});
        runs.theorems.back().points.resize(theorem.sizes(side).size());
    }
    for (std::uint64_t k = 2; k <= most_reversed_blocks; k *= 2) {
        runs.reversals.push_back({side, {reversed_groups, k, side / 2}, {}, {}, 0, 0, 0, std::nullopt});
    }
    return runs;
}

// Runs on a session of a device.
class theorem_runner {
public:
    theorem_runner(workloads::mmv_session& session, const segmented_options& o, unsigned word_bits, array_runs& runs)
        : m_session(session), m_options(o), m_word_bits(word_bits), m_runs(runs)
    {}

    void run_point(const workloads::segmented_theorem& theorem, std::uint64_t size, mmv_ram_point& point)
    {
        const auto problem = theorem.problem(size, m_options.common.seed);
        const auto terms = theorem.terms(problem, m_runs.side, m_word_bits);
        const auto& variant = workloads::find_segmented_variant(theorem.variant);
        point.size = theorem.size == "B" ? terms.bits : terms.n;
        point.steps_bound = theorem.steps(terms);
        point.work_bound = theorem.work(terms);
        point.bits_allowed = theorem.bits(terms);
        point.vector_bound = workloads::parity_steps(theorem.parity_bits(terms));
        point.as_closed_form = true;
        workloads::written_range written;
        const auto own = run(variant, problem, &written, point);
        point.model = own.first;
        point.cycles = own.second;
        point.bits = written.bits();
        for (const auto* rival : workloads::vector_rivals(variant.operation)) {
            const auto steps = run(*rival, problem, nullptr, point).first.steps();
            if (!point.vector_variant.empty() && steps >= point.vector_steps) { continue; }
            point.vector_variant = rival->name;
            point.vector_steps = steps;
        }
    }

    void run_reversal(reversal_findings& found)
    {
        std::vector<std::int64_t> x(found.shape.elements());
        std::iota(x.begin(), x.end(), 1);
        const auto by_vector = workloads::reverse_on_vector_unit(m_session, found.shape, x);
        const auto by_matrix = workloads::reverse_on_matrix_unit(m_session, found.shape, x);
        found.vector_unit = meter(by_vector);
        found.matrix_unit = meter(by_matrix);
        found.expected_calls = workloads::calls_of_reversal(found.shape);
        found.least_calls = workloads::least_calls_of_reversal(found.shape, m_runs.side);
        found.word_bits = m_word_bits;
        if (!m_options.common.check) { return; }
        const std::uint64_t block = found.shape.block, group = found.shape.blocks * block;
        for (std::uint64_t i = 0; i < x.size(); ++i) {
            const std::uint64_t within = i % group;
            x[i] = static_cast<std::int64_t>(i - within + (group / block - 1 - within / block) * block + i % block + 1);
        }
        found.right = by_vector.values == x && by_matrix.values == x;
    }

private:
    mmv::mmv_ram_meter meter(const workloads::session_costs& costs)
    {
        m_runs.macs += costs.counts[mmv::event::mac];
        return mmv::mmv_ram_meter_of(costs.counts, m_runs.side);
    }

    // Counts and cycles of a run, which is checked.
    std::pair<mmv::mmv_ram_meter, std::uint64_t> run(const workloads::segmented_variant& variant,
                                                     const workloads::segmented_problem<std::int64_t>& problem,
                                                     workloads::written_range* written, mmv_ram_point& point)
    {
        const auto result = workloads::run_segmented(variant, m_session, problem, written);
        const auto counted = meter(result);
        point.as_closed_form =
            point.as_closed_form && counted == workloads::expected_meter(variant, workloads::sizes_of(variant, problem),
                                                                         m_session.limits(), m_word_bits);
        if (m_options.common.check) {
            point.right = point.right.value_or(true) &&
                          workloads::check_segmented(variant, problem, result.values, m_runs.side).passed;
        }
        return {counted, result.cycles};
    }

    workloads::mmv_session& m_session;
    const segmented_options& m_options;
    unsigned m_word_bits;
    array_runs& m_runs;
};

mmv_ram_theorems run_theorems(const segmented_options& o)
{
    std::vector<array_runs> all;
    for (const unsigned side : theorem_sides) { all.push_back(planned_runs(side)); }
    std::size_t planned = 0, done = 0;
    for (const auto& runs : all) {
        for (const auto& t : runs.theorems) { planned += t.points.size(); }
        planned += runs.reversals.size();
    }
    progress shown(o.common.quiet);
    const auto show = [&](const std::string& what, unsigned side) {
        shown.show(static_cast<double>(done++) / static_cast<double>(planned),
                   what + " on " + std::to_string(side) + " x " + std::to_string(side));
    };
    std::vector<std::unique_ptr<mmv_testbed>> testbeds;
    std::vector<testbed*> together;
    for (auto& runs : all) {
        const auto device = device_config(o.device, o.common, runs.side, base::element_type::int64, all.size());
        const auto program = [&, word_bits = device.word_bits](workloads::mmv_session& session) {
            theorem_runner runner(session, o, word_bits, runs);
            for (auto& t : runs.theorems) {
                const auto sizes = t.theorem->sizes(runs.side);
                for (std::size_t i = 0; i < sizes.size(); ++i) {
                    show(t.theorem->title() + ", size " + std::to_string(sizes[i]), runs.side);
                    runner.run_point(*t.theorem, sizes[i], t.points[i]);
                }
            }
            for (auto& r : runs.reversals) {
                show("lemma 3.4, " + std::to_string(r.shape.blocks) + " blocks", runs.side);
                runner.run_reversal(r);
            }
        };
        testbeds.push_back(make_mmv_testbed("side_" + std::to_string(runs.side), device, o.common,
                                            mmv_memory_for(stored_elements), activity::log_detail::totals, program));
        together.push_back(testbeds.back().get());
    }
    mmv_ram_theorems found;
    found.usage = run_testbeds(together, o.common, {});
    for (auto& runs : all) {
        std::move(runs.theorems.begin(), runs.theorems.end(), std::back_inserter(found.theorems));
        std::move(runs.reversals.begin(), runs.reversals.end(), std::back_inserter(found.reversals));
        found.macs += runs.macs;
    }
    return found;
}

class theorem_run : public testbench_run {
public:
    explicit theorem_run(const segmented_options& options) : m_options(options) {}

    void simulate(const costs::technology&) override { m_found = run_theorems(m_options); }
    bool passed() const override { return m_found.failure().empty(); }

    void write_report(run_report& report) const override
    {
        report.begin("steps, work and words over the theorems' bounds, constants 1", "tensorloom-segmented-theorems-1",
                     {{"seed", m_options.common.seed}, {"fidelity", fidelity_name(m_options.common)}});
        report["check"] = {{"passed", passed()}, {"values_checked", m_options.common.check}};
        write_theorems(report, m_found);
        report.line("check", !passed()                ? "FAILED"
                             : m_options.common.check ? "passed"
                                                      : "counts passed; values not checked (--no-check)");
        report.simulation(m_found.usage, m_found.macs);
    }

    void write_programs(const output_directory&) const override {}

    std::string failure() const override { return "check failed: " + m_found.failure(); }

private:
    const segmented_options& m_options;
    mmv_ram_theorems m_found;
};

} // namespace

std::unique_ptr<testbench_run> make_theorem_run(const segmented_options& options)
{
    return std::make_unique<theorem_run>(options);
}

} // namespace tensorloom::testbench
