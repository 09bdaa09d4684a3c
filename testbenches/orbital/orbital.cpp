#include "orbital/orbital.h"
#include <algorithm>
#include <complex>
#include <limits>
#include <memory>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/workloads/lossy_compression.h>
#include "orbital/simulated_devices.h"
#include "platform/triada/triada_options.h"
#include "platform/process/process_resources.h"
#include "platform/report/testbench_run.h"
#include "platform/triada/gemt_job.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

template <class R>
double largest_difference(const std::vector<workloads::tensor<R>>& a, const std::vector<workloads::tensor<R>>& b)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t e = 0; e < a[i].data.size(); ++e) {
            largest = std::max(largest, static_cast<double>(std::abs(a[i].data[e] - b[i].data[e])));
        }
    }
    return largest;
}

std::uint64_t memory_of_triada(const orbit_job& job, bool detailed, bool check)
{
    gemt_job gemt;
    static_cast<transform_job&>(gemt) = job;
    gemt.esop = false;
    const auto box = descriptor_sizes(job.box());
    const auto memory = memory_of(gemt, {box[0], box[1], box[2]}, detailed);
    return memory.platform + memory.tensors + (check ? memory.reference : 0);
}

/// Runs the problem, or each of a sweep, on a torus, and on a TriADA beside it when they are compared: every device
/// with a host and a memory of its own, all in one simulation.
template <class T> class orbital_run : public testbench_run {
public:
    explicit orbital_run(const orbital_options& options) : m_options(options) {}

    std::vector<costs::floor_plan> devices(const costs::technology& technology) const override
    {
        const device_factory<T> make{m_options.device, m_options.common, m_options.wires, technology};
        std::vector<costs::floor_plan> plans;
        for (const auto& job : problems_of(m_options)) {
            plans.push_back(make.torus_plan(job, fit_of(job)));
            if (m_options.compares) { plans.push_back(make.triada_plan(job)); }
        }
        return plans;
    }

    void prepare(const costs::technology& technology) override
    {
        const auto jobs = problems_of(m_options);
        std::uint64_t bytes = 0;
        for (const auto& job : jobs) { bytes += needed_bytes(job); }
        require_memory(bytes,
                       m_options.common.is_stepped() ? "a smaller problem, or --fidelity fast" : "a smaller problem");
        const device_factory<T> make{m_options.device, m_options.common, m_options.wires, technology};
        for (const auto& job : jobs) {
            const bool alone = jobs.size() == 1;
            const std::string size = alone ? "" : "_" + std::to_string(job.shape[0]);
            m_devices.push_back(make.torus_of("platform" + size, job, fit_of(job), m_options.watch));
            if (m_options.compares) { m_devices.push_back(make.triada_of("triada" + size, job)); }
        }
        if (m_options.baselines) {
            const auto& job = jobs.front();
            m_found.baselines = fft_baselines(technology, make.torus_parameters(job, fit_of(job)),
                                              m_options.device.config.words_per_cycle, job.shape);
        }
    }

    void simulate(const costs::technology&) override
    {
        run_devices();
        for (auto& device : m_devices) { m_found.runs.push_back(device->measure(m_options)); }
        if (m_options.compares) {
            for (std::size_t i = 0; i < m_devices.size(); i += 2) {
                m_found.differences.push_back(largest_difference(m_devices[i]->found(), m_devices[i + 1]->found()));
            }
        }
        auto& y = m_devices.front()->found();
        if (m_options.keep) {
            m_found.kept = 0;
            for (auto& tensor : y) { *m_found.kept += workloads::keep_largest(tensor, *m_options.keep); }
        }
        if (m_options.output) { save_results<T>(*m_options.output, m_options, y); }
    }

    bool passed() const override
    {
        return std::all_of(m_found.runs.begin(), m_found.runs.end(),
                           [](const measured_run& run) { return !run.check || run.check->passed; });
    }
    void write_report(run_report& report) const override { testbench::write_report(report, m_options, m_found); }
    void write_programs(const output_directory& directory) const override
    {
        if (m_options.sweep.empty()) {
            write_program_files(directory, m_options.common, {m_devices.front()->programs()});
        }
        if (m_options.is_one_run()) { return; }
        base::write_whole_file(directory.file("comparison.csv").string(), comparison_csv(m_options, m_found));
    }

private:
    torus_fit fit_of(const orbit_job& job) const
    {
        const auto sizes = sizes_of(job);
        return fit_torus(m_options.device, sizes.in_size, sizes.out_size, job.summed_modes());
    }

    // Roughly what a problem allocates: tensors on the host and in the memory, what lies on the torus, the reference.
    std::uint64_t needed_bytes(const orbit_job& job) const
    {
        const auto& common = m_options.common;
        const auto fit = fit_of(job);
        const auto memory = memory_of(job, fit, common.is_stepped());
        const std::uint64_t checking = memory.tensors + (common.check ? memory.reference : 0);
        std::uint64_t data =
            common.is_stepped() ? memory.platform + checking : std::max(memory.platform + memory.tensors, checking);
        if (m_options.compares) { data += memory_of_triada(job, common.is_stepped(), common.check); }
        const std::uint64_t steps = plan_of(job, fit).passes() * fit.side * job.transforms_run();
        const std::uint64_t log = common.out && m_options.sweep.empty() ? log_bytes(records_of_torus(steps)) : 0;
        return log > std::numeric_limits<std::uint64_t>::max() - data ? log : data + log;
    }

    void run_devices()
    {
        std::uint64_t steps = 0;
        for (const auto& device : m_devices) { steps += device->steps(); }
        step_progress shown(m_options.common.quiet, steps);
        std::vector<testbed*> testbeds;
        for (auto& device : m_devices) {
            device->build(m_options, m_options.sweep.empty() ? m_options.detail() : activity::log_detail::totals,
                          shown);
            testbeds.push_back(&device->around());
        }
        m_found.usage = run_testbeds(testbeds, m_options.common, m_devices.front()->waveform());
    }

    const orbital_options& m_options;
    std::vector<std::unique_ptr<simulated_device<T>>> m_devices; // by size, the torus before the TriADA
    orbital_findings m_found;
};

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench_main("orbital", argc, argv, read_orbital_options, [](const orbital_options& o) {
        if (o.product) { return make_class_run(o); }
        return with_torus_element(o.format, [&](auto element) -> std::unique_ptr<testbench_run> {
            return std::make_unique<orbital_run<decltype(element)>>(o);
        });
    });
}
