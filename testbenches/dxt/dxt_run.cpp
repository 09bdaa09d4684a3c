#include "dxt/dxt_run.h"
#include <algorithm>
#include <complex>
#include <limits>
#include <memory>
#include <string_view>
#include <tensorloom/models/triada/device.h>
#include "platform/device_run.h"
#include "platform/memory_need.h"
#include "platform/progress.h"
#include "platform/triada_counts.h"

namespace tensorloom::testbench {
namespace {

using platform_type = device_platform<triada::device<512>>;

/// Passes everything on to the log, shows how far the simulation is, and adds up what a log of totals no longer tells
/// apart.
class progress_sink : public bus::activity_sink {
public:
    /// `plan`: of each tensor of a batch of so many.
    progress_sink(activity::job_log& log, progress& shown, const arch::triada::gemt_plan& plan, std::uint32_t batch)
        : m_log(log), m_progress(shown), m_plan(plan), m_batch(batch), m_steps(plan.steps() * batch)
    {}
    void attach(const std::string& object, const arch::event_table& table, const std::uint64_t* counts) override
    {
        m_log.attach(object, table, counts);
    }
    void started(const std::string& device, std::uint64_t time_ps) override { m_log.started(device, time_ps); }
    void log(const std::string& device, const bus::log_record& record) override
    {
        m_log.log(device, record);
        const bool computes = std::string_view(record.cause) == "compute";
        if (computes) { ++m_done; }
        m_active_cell_steps += active_cells(record);
        if (!m_progress.active()) { return; }
        m_progress.show(static_cast<double>(m_done) / static_cast<double>(m_steps),
                        (m_batch > 1 ? "tensor " + std::to_string(record.command + 1) + ", " : "") + record.phase +
                            (computes ? place_of(record) : ""));
    }
    void finished(const std::string& device, std::uint64_t cycles) override { m_log.finished(device, cycles); }

    std::uint64_t active_cell_steps() const { return m_active_cell_steps; }

private:
    /// Which pass of its stage, or which step, a record of a time-step belongs to.
    std::string place_of(const bus::log_record& record) const
    {
        if (m_plan.fits) { return ", step " + std::to_string(record.id + 1); }
        const auto& stage = m_plan.stages[static_cast<std::size_t>(std::string_view(record.phase).back() - '1')];
        return ", pass " + std::to_string(stage.pass_of(record.id) + 1) + " of " + std::to_string(stage.passes());
    }

    activity::job_log& m_log;
    progress& m_progress;
    const arch::triada::gemt_plan& m_plan;
    std::uint32_t m_batch;
    std::uint64_t m_steps;
    std::uint64_t m_done = 0;
    std::uint64_t m_active_cell_steps = 0;
};

// While somebody looks, a burst of fused steps takes no longer than about a second.
unsigned watched_burst(const arch::triada::gemt_shape& box)
{
    constexpr std::uint64_t macs = 20'000'000'000;
    return static_cast<unsigned>(std::clamp<std::uint64_t>(macs / arch::triada::volume_of(box), 16, 1u << 20));
}

// At most, of the whole program.
std::uint64_t program_records(const dxt_options& o)
{
    const std::uint64_t each = records_of(plan_of(o, o.mesh), o.initial.has_value());
    return each > std::numeric_limits<std::uint64_t>::max() / o.batch ? std::numeric_limits<std::uint64_t>::max()
                                                                      : each * o.batch;
}

} // namespace

std::uint64_t needed_bytes(const dxt_options& o)
{
    const auto memory = memory_of(o, o.mesh, o.common.detailed);
    const std::uint64_t checking = memory.tensors + (o.common.check ? memory.reference : 0);
    const std::uint64_t data =
        o.common.detailed ? memory.platform + checking : std::max(memory.platform + memory.tensors, checking);
    const std::uint64_t log = o.common.out ? log_bytes(program_records(o)) : 0;
    return log > std::numeric_limits<std::uint64_t>::max() - data ? log : data + log;
}

template <class T> dxt_result<T> simulate(const dxt_options& o, transform_problem<T>& problem, activity::job_log& log)
{
    dxt_result<T> result;
    memory_layout memory(memory_base);
    const transform_layout at = lay_out(o, problem, o.mesh, memory);
    result.memory_bytes = memory.bytes();
    result.workspace_bytes = at.workspace_elements * sizeof(T);
    result.plan = plan_of(o, o.mesh);

    progress shown(o.common.quiet);
    if (o.common.out) { log.reserve(program_records(o)); }
    progress_sink sink(log, shown, result.plan, o.batch);
    const auto program = [&](bus::host_thread& cpu) {
        shown.show(0, "preloading the memory");
        preload(cpu, problem, at);
        result.transform = run_transform<T>(cpu, device_base, o, at);
    };
    auto device = device_config(o.device, o.common, o.mesh, o.format);
    if (shown.active()) { device.stream_burst = watched_burst(result.plan.box); }
    result.usage = run_to_end(std::make_unique<platform_type>(
                                  "platform", device, platform_settings(o.common, memory.bytes()), program, &sink),
                              o.common, o.watch);
    result.active_cell_steps = sink.active_cell_steps();
    return result;
}

template dxt_result<double> simulate(const dxt_options&, transform_problem<double>&, activity::job_log&);
template dxt_result<float> simulate(const dxt_options&, transform_problem<float>&, activity::job_log&);
template dxt_result<std::complex<double>> simulate(const dxt_options&, transform_problem<std::complex<double>>&,
                                                   activity::job_log&);
template dxt_result<std::complex<float>> simulate(const dxt_options&, transform_problem<std::complex<float>>&,
                                                  activity::job_log&);
template dxt_result<arithmetic::bfloat16> simulate(const dxt_options&, transform_problem<arithmetic::bfloat16>&,
                                                   activity::job_log&);
template dxt_result<std::int8_t> simulate(const dxt_options&, transform_problem<std::int8_t>&, activity::job_log&);

} // namespace tensorloom::testbench
