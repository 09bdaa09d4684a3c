#include "compare_accelerators/compare_accelerators.h"
#include <memory>
#include <systemc>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/fetta/isa/costs.h>
#include "platform/process/progress.h"
#include "platform/report/testbench_run.h"
#include "platform/fetta/fetta_memory_estimate.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

/// Evaluates all accelerators, and again for each value of the rules that are swept and each combination of a grid.
class comparison_run : public testbench_run {
public:
    explicit comparison_run(const compare_accelerators_options& options) : m_options(options) {}

    /// FETTA: the blocks of the others have no gates here, and are assumed to allow what it allows.
    std::vector<costs::floor_plan> devices(const costs::technology& technology) const override
    {
        return {fetta::device_area(technology, {})};
    }

    void prepare(const costs::technology& technology) override
    {
        const auto& fetta = *compared_machines().front().machine; // the others need no more numbers
        workloads::evaluate_apart(fetta, workloads::product_graph(1, 1, 1, 1), technology, rules_by(technology));
    }

    void simulate(const costs::technology& technology) override
    {
        const usage_meter meter;
        progress shown(m_options.common.quiet);
        const auto rules = rules_by(technology);
        accelerator_comparison comparison(m_options.what, technology);
        const auto compared = [&](const workloads::evaluation_settings& changed, const std::string& what) {
            auto groups = comparison.by(changed, [&](double fraction) { shown.show(fraction, what); });
            if (m_found.failure.empty()) { m_found.failure = contradiction(groups, changed); }
            return groups;
        };
        m_found.groups = compared(rules, "comparing");
        for (const auto* sweep : m_options.sweeps) {
            for (const auto& point : sweep->points) {
                auto changed = rules;
                point.set(changed);
                m_found.sweeps.push_back({sweep, point.value, compared(changed, std::string(sweep->rule))});
            }
        }
        for (const auto& values : combinations_of(m_options.grid)) {
            if (m_options.grid.empty()) { break; }
            auto changed = rules;
            for (const auto* value : values) { value->set(changed); }
            m_found.grid.push_back({values, compared(changed, "grid")});
        }
        if (m_options.common.check) { m_found.passed = m_found.failure.empty(); }
        m_found.usage = meter.elapsed();
    }

    bool passed() const override { return m_found.passed.value_or(true); }
    void write_report(run_report& report) const override { testbench::write_report(report, m_options, m_found); }
    void write_programs(const output_directory& directory) const override
    {
        base::write_whole_file(directory.file("comparison.csv").string(), comparison_csv(m_options, m_found));
        if (!m_options.sweeps.empty()) {
            base::write_whole_file(directory.file("sweep.csv").string(), sweep_csv(m_options, m_found));
        }
        if (!m_options.grid.empty()) {
            base::write_whole_file(directory.file("grid.csv").string(), grid_csv(m_options, m_found));
        }
    }
    std::string failure() const override { return "check failed: " + m_found.failure; }

private:
    workloads::evaluation_settings rules_by(const costs::technology& technology) const
    {
        auto rules = m_options.rules;
        rules.memory = memory_estimate_of(m_options.common, technology, 0);
        rules.clock_ns = static_cast<double>(clock_period_ps(m_options.common)) / 1000;
        return rules;
    }

    const compare_accelerators_options& m_options;
    compare_accelerators_findings m_found;
};

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench_main("compare_accelerators", argc, argv, read_compare_accelerators_options,
                          [](const compare_accelerators_options& o) { return std::make_unique<comparison_run>(o); });
}
