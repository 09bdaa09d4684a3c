#include <algorithm>
#include <limits>
#include <memory>
#include <string_view>
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/trace_json.h>
#include <tensorloom/models/triada/isa/energy.h>
#include <tensorloom/models/triada/device.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/lossy_compression.h>
#include "dxt/dxt.h"
#include "dxt/ranks/launch.h"
#include "platform/triada/triada_testbed.h"
#include "platform/process/process_resources.h"
#include "platform/process/progress.h"
#include "platform/report/testbench_run.h"
#include "platform/triada/triada_counts.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

constexpr char memory_name[] = "platform.memory"; // in the simulation

/// Sees every record: shows how far the simulation is, and adds up what a log of totals no longer tells apart.
class step_observer {
public:
    /// `plan`: of each tensor of the job's batch, of which one may have a program of `commands`; `steps`: expected.
    step_observer(progress& shown, const triada::gemt_plan& plan, std::uint32_t batch, std::size_t commands,
                  std::uint64_t steps)
        : m_progress(shown), m_plan(plan), m_batch(batch), m_steps(steps * batch), m_totals(commands)
    {}
    void see(const bus::log_record& record)
    {
        if (std::string_view(record.cause) != "fetch") {
            auto& totals = m_totals[record.command % m_totals.size()];
            totals.cycles += record.cycles;
            for (std::size_t e = 0; e < triada::event_count; ++e) { totals.counts.data()[e] += record.counts[e]; }
        }
        const bool computes = std::string_view(record.cause) == "compute";
        if (computes) { ++m_done; }
        m_active_cell_steps += active_cells(record);
        if (!m_progress.active()) { return; }
        m_progress.show(static_cast<double>(m_done) / static_cast<double>(m_steps),
                        (m_batch > 1 ? "tensor " + std::to_string(record.command / m_totals.size() + 1) + ", " : "") +
                            record.phase + (computes ? place_of(record) : ""));
    }

    std::uint64_t active_cell_steps() const { return m_active_cell_steps; }
    /// By command of a tensor.
    const std::vector<chain_step_totals>& totals() const { return m_totals; }

private:
    /// Which pass of its stage, or which step, a record of a time-step belongs to.
    std::string place_of(const bus::log_record& record) const
    {
        if (m_plan.fits) { return ", step " + std::to_string(record.id + 1); }
        const auto position = static_cast<unsigned>(std::string_view(record.phase).back() - '1');
        const auto& stage = *std::find_if(m_plan.stages.begin(), m_plan.stages.end(),
                                          [&](const auto& s) { return s.position == position; });
        return ", pass " + std::to_string(stage.pass_of(record.id) + 1) + " of " + std::to_string(stage.passes());
    }

    progress& m_progress;
    const triada::gemt_plan& m_plan;
    std::uint32_t m_batch;
    std::uint64_t m_steps;
    std::uint64_t m_done = 0;
    std::uint64_t m_active_cell_steps = 0;
    std::vector<chain_step_totals> m_totals;
};

// Time-steps of one tensor, at most.
std::uint64_t steps_of_tensor(const dxt_options& o, const triada::gemt_plan& plan)
{
    if (o.chain.empty()) { return plan.steps(); }
    std::uint64_t steps = 0;
    for (const auto& step : o.chain) {
        if (!step.is_transform()) { ++steps; }
        for (std::size_t m = 0; step.is_transform() && m < 3; ++m) { steps += step.sums(m) ? step.in_shape[m] : 0; }
    }
    return steps;
}

// While progress is shown, a burst of fused steps takes no longer than about a second.
unsigned watched_burst(const isa::mode_sizes& box)
{
    constexpr std::uint64_t macs = 20'000'000'000;
    return static_cast<unsigned>(std::clamp<std::uint64_t>(macs / isa::volume_of(box), 16, 1u << 20));
}

// At most, of the whole program.
std::uint64_t program_records(const dxt_options& o)
{
    constexpr std::uint64_t of_command = 8; // beside its steps: matrices, loads, unloads, completion, other
    const auto plan = plan_of(o, o.mesh);
    const std::uint64_t each = o.chain.empty() ? records_of(plan, o.initial.has_value())
                                               : steps_of_tensor(o, plan) + of_command * o.chain.size();
    return each > std::numeric_limits<std::uint64_t>::max() / o.batch ? std::numeric_limits<std::uint64_t>::max()
                                                                      : each * o.batch;
}

// Roughly what a run allocates: tensors on the host and in the memory, the core's registers or the modules of the mesh,
// the reference.
std::uint64_t needed_bytes(const dxt_options& o)
{
    const auto memory = memory_of(o, o.mesh, o.common.is_stepped());
    const std::uint64_t checking = memory.tensors + (o.common.check ? memory.reference : 0);
    const std::uint64_t data =
        o.common.is_stepped() ? memory.platform + checking : std::max(memory.platform + memory.tensors, checking);
    const std::uint64_t log = o.common.out ? log_bytes(program_records(o)) : 0;
    return log > std::numeric_limits<std::uint64_t>::max() - data ? log : data + log;
}

/// Runs the problem on the device, over the bus: the host uploads a program of one command per tensor, or per step of a
/// chain, through the driver, starts it and waits for the interrupt.
template <class T> class dxt_run : public testbench_run {
public:
    explicit dxt_run(const dxt_options& options)
        : m_options(options), m_energy_parameters(energy_parameters_of(
                                  options.device, options.mesh, options.format,
                                  dma_build_of(options.common.platform, options.device.config.dma_ports)))
    {}

    std::vector<costs::floor_plan> devices(const costs::technology& technology) const override
    {
        return {triada::device_area(technology, m_energy_parameters)};
    }

    void prepare(const costs::technology& technology) override
    {
        m_device_energy = triada::device_energy(technology, m_energy_parameters);
        require_memory_costs(m_options.common.platform, technology);
        require_memory(needed_bytes(m_options), m_options.common.is_stepped()
                                                    ? "a smaller problem or mesh, or --fidelity fast"
                                                    : "a smaller problem");
        progress(m_options.common.quiet).show(0, "generating tensors and matrices");
        m_problem = gemt_transform<T>::make(m_options);
    }

    void simulate(const costs::technology& technology) override
    {
        auto y = run_on_device();
        const double period_ns = static_cast<double>(clock_period_ps(m_options.common)) / 1000;
        const std::vector<activity::module_energy> models{
            {device_name, m_device_energy},
            {memory_name, memory_energy(m_options.common.platform, technology, m_found.memory_bytes)}};
        m_energy.emplace(log(), period_ns, models);
        m_found.on = die_of(technology, {triada::device_area(technology, m_energy_parameters),
                                         memory_plan(m_options.common.platform, technology, m_found.memory_bytes)});
        add_program(m_found.costs, log(), *m_energy);
        if (m_options.common.check) {
            m_problem.make_tensors(m_options);
            m_found.check = m_problem.check(m_options, y, m_options.common.quiet);
            m_problem.x.clear();
        }
        if (m_options.keep) {
            m_found.kept = 0;
            for (auto& tensor : y) { *m_found.kept += workloads::keep_largest(tensor, *m_options.keep); }
        }
        if (m_options.output) { save_results<T>(*m_options.output, m_options, y); }
    }

    bool passed() const override { return !m_found.check || m_found.check->passed; }
    void write_report(run_report& report) const override { testbench::write_report(report, m_options, m_found, log()); }
    void write_programs(const output_directory& directory) const override
    {
        const auto utilisation = triada_utilisation();
        activity::write_latency_csv(directory.latency().string(), log());
        activity::write_energy_csv(directory.energy().string(), log(), *m_energy);
        activity::write_events_csv(directory.events().string(), {&*m_energy});
        activity::write_trace_json(
            directory.trace().string(), log(), *m_energy,
            {utilisation.unit, [&](std::size_t record) { return utilisation.share(log(), record); }});
    }

private:
    const activity::program_log& log() const { return *m_testbed->runs().all().front().log; }

    // The tensors X of the problem are gone afterwards.
    typename gemt_transform<T>::results run_on_device()
    {
        memory_layout memory(memory_base);
        const gemt_layout at = m_problem.lay_out(m_options, m_options.mesh, memory);
        require_room(m_options.common.platform, memory.bytes());
        m_found.memory_bytes = m_options.common.platform.memory_bytes(memory.bytes());
        m_found.workspace_bytes = at.workspace_elements * sizeof(T);
        m_found.plan = plan_of(m_options, m_options.mesh);

        progress shown(m_options.common.quiet);
        step_observer observer(shown, m_found.plan, m_options.batch, steps_of(m_options).size(),
                               steps_of_tensor(m_options, m_found.plan));
        testbed_settings settings;
        settings.memory_bytes = memory.bytes();
        settings.detail = m_options.detail();
        if (m_options.common.out) { settings.expected_records = program_records(m_options); }
        settings.observer = [&observer](const bus::log_record& record) { observer.see(record); };
        typename gemt_transform<T>::outcome outcome;
        const auto program = [&](bus::host_thread& cpu) {
            shown.show(0, "preloading the memory");
            m_problem.preload(cpu, m_options, at);
            outcome = gemt_transform<T>::run(cpu, device_base, m_options, at);
        };
        auto device = device_config(m_options.device, m_options.common, m_options.mesh, m_options.format);
        if (shown.active()) { device.stream_burst = watched_burst(m_found.plan.box); }
        m_testbed = std::make_unique<triada_testbed>("platform", device, m_options.common, settings, program);
        m_found.usage = run_testbeds({m_testbed.get()}, m_options.common, m_testbed->waveform(m_options.watch));
        m_found.active_cell_steps = observer.active_cell_steps();
        if (!m_options.chain.empty()) { m_found.steps = observer.totals(); }
        return std::move(outcome.y);
    }

    const dxt_options& m_options;
    std::unique_ptr<triada_testbed> m_testbed;
    triada::energy_parameters m_energy_parameters;
    costs::energy_model m_device_energy;
    gemt_transform<T> m_problem;
    std::optional<activity::energy_report> m_energy;
    dxt_findings m_found;
};

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench_main("dxt", argc, argv, read_dxt_options, [&](const dxt_options& o) {
        if (o.ranks.count > 0) { leave(argv[0], launch_ranks(o, argc, argv)); }
        return with_triada_element(o.format, [&](auto element) -> std::unique_ptr<testbench_run> {
            return std::make_unique<dxt_run<decltype(element)>>(o);
        });
    });
}
