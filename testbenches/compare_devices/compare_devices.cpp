#include "compare_devices/compare_devices.h"
#include <algorithm>
#include <optional>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/finite_data.h>
#include <tensorloom/workloads/npy_file.h>
#include "platform/report/testbench_run.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

using arithmetic::bfloat16;

workloads::tensor<bfloat16> random_tensor(const workloads::shape3& shape, std::uint64_t seed)
{
    return workloads::fill_tensor<bfloat16>(workloads::fill_kind::random, shape, 0, seed);
}

// Loaded, or random numbers: those of neighbouring seeds differ, too.
mode_products work_of(const compare_devices_options& o)
{
    mode_products work;
    work.shape = o.shape;
    work.out_shape = o.out_shape;
    const std::uint64_t first_seed = 4 * o.common.seed;
    const auto loaded = [&o](std::size_t file) {
        auto values = workloads::load_npy_as<bfloat16>(o.inputs[file]);
        if (!o.allow_nonfinite) {
            workloads::require_finite(values_as<float>(values.data), values.shape, "--input: " + o.inputs[file] + ": ");
        }
        return values;
    };
    work.x = o.inputs.empty() ? random_tensor(o.shape, first_seed) : loaded(0);
    for (std::size_t m = 0; m < work.matrices.size(); ++m) {
        work.matrices[m] = o.inputs.empty() ? random_tensor({1, o.shape[m], o.out_shape[m]}, first_seed + m + 1).data
                                            : loaded(m + 1).data;
    }
    return work;
}

// Roughly what a run holds at once: for each device tensors on the host, in its memory and on its array, and the
// reference.
std::uint64_t needed_bytes(const compare_devices_options& o)
{
    const std::uint64_t given = workloads::volume_of(o.shape), made = workloads::volume_of(o.out_shape);
    workloads::shape3 largest{};
    for (std::size_t m = 0; m < largest.size(); ++m) { largest[m] = std::max(o.shape[m], o.out_shape[m]); }
    const std::uint64_t box = workloads::volume_of(largest);
    constexpr std::uint64_t tensors_of_device = 6; // operand, result, two on the array, two on the way
    const std::uint64_t devices = tensors_of_device * box * sizeof(double) * o.compared.size();
    return devices + (given + 2 * made + (o.common.check ? 4 * box : 0)) * sizeof(double);
}

// As many cycles as the gates of a multiply-add take.
unsigned mac_latency_by(const costs::technology& technology, const common_options& common)
{
    constexpr auto format = base::element_type::bf16;
    const auto period_ps = clock_period_ps(common);
    const double cycles = costs::multiply_add_cycles(technology, format, period_ps);
    if (cycles > most_mac_latency) {
        throw base::input_error(
            "a multiply-add takes " + number_text(cycles) + " cycles of " + std::to_string(period_ps) + " ps by its " +
            std::to_string(costs::multiply_add_levels(format)) + " gates in technology " + technology.name() +
            ", expected at most " + std::to_string(most_mac_latency) + ": a lower --clock, or --mac-latency");
    }
    return static_cast<unsigned>(cycles);
}

/// Every device with a host and a memory of its own, all in one simulation.
class compare_devices_run : public testbench_run {
public:
    explicit compare_devices_run(const compare_devices_options& options)
        : m_options(options), m_shown(options.common.quiet)
    {}

    std::vector<costs::floor_plan> devices(const costs::technology&) const override
    {
        std::vector<costs::floor_plan> plans;
        for (const auto& device : m_devices) { plans.push_back(device->plan()); }
        return plans;
    }

    void prepare(const costs::technology& technology) override
    {
        require_memory(needed_bytes(m_options), "a smaller problem");
        m_work = work_of(m_options);
        m_found.macs = m_work.macs();
        m_found.mac_latency =
            m_options.mac_latency ? *m_options.mac_latency : mac_latency_by(technology, m_options.common);
        for (const auto& device : m_options.compared) {
            try {
                const device_surroundings around{
                    m_work, m_options.common, technology, m_found.mac_latency, m_options.detail(), m_shown};
                if (m_options.budget.is_searched()) {
                    const auto chosen = choose_size(*device, m_options.budget, around);
                    m_found.sizes.push_back(chosen);
                }
                auto made = device->make(around);
                base::complaining_of("--devices " + device->name(), [&] { made->require_prices(); });
                m_devices.push_back(std::move(made));
            } catch (const too_small& e) {
                m_found.left_out.push_back({device->name(), device->title(), e.what()});
            }
        }
        if (m_devices.empty()) {
            if (m_options.budget.is_searched()) {
                throw base::input_error(
                    "--budget: " + listed(m_found.left_out, [](const auto& d) { return d.title + ": " + d.reason; }));
            }
            const auto& first = m_found.left_out.front();
            throw base::input_error("--devices " + first.device + ": " + first.reason +
                                    (m_found.left_out.size() > 1 ? "; no other device holds the work either" : ""));
        }
    }

    void simulate(const costs::technology&) override
    {
        std::vector<testbed*> testbeds;
        for (const auto& device : m_devices) { testbeds.push_back(&device->around()); }
        m_found.usage = run_testbeds(testbeds, m_options.common, m_devices.front()->waveform());
        m_shown.show("checking the results");
        std::optional<products_reference> reference; // of the device before
        for (const auto& device : m_devices) {
            auto run = device->measure();
            if (m_options.common.check) {
                const auto of = device->rounds();
                if (!reference || !(reference->of == of)) { reference = reference_of(m_work, of); }
                run.check = check_products(*reference, run.y);
            }
            m_found.runs.push_back(std::move(run));
        }
        m_shown.erase();
        if (m_options.output) { write_results(*m_options.output); }
    }

    bool passed() const override { return m_found.passed().value_or(true); }
    void write_report(run_report& report) const override { testbench::write_report(report, m_options, m_found); }
    void write_programs(const output_directory& directory) const override
    {
        std::vector<device_programs> programs;
        for (const auto& device : m_devices) { programs.push_back(device->programs()); }
        write_program_files(directory, m_options.common, programs);
        base::write_whole_file(directory.file("comparison.csv").string(), comparison_csv(m_options, m_found));
    }
    std::string failure() const override
    {
        const auto wrong = std::find_if(m_found.runs.begin(), m_found.runs.end(),
                                        [](const device_result& run) { return !run.check->passed; });
        return "check failed: " + wrong->title + " is off by " + number_text(wrong->check->max_abs_error);
    }

private:
    void write_results(const std::string& path) const
    {
        const auto& shape = m_options.out_shape;
        workloads::tensor<double> all({m_found.runs.size(), shape[0], shape[1], shape[2]});
        auto to = all.data.begin();
        for (const auto& run : m_found.runs) { to = std::copy(run.y.begin(), run.y.end(), to); }
        workloads::save_npy(path, all);
    }

    const compare_devices_options& m_options;
    progress m_shown;
    mode_products m_work;
    std::vector<std::unique_ptr<compared_device>> m_devices;
    compare_devices_findings m_found;
};

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench_main("compare_devices", argc, argv, read_compare_devices_options,
                          [](const auto& options) { return std::make_unique<compare_devices_run>(options); });
}
