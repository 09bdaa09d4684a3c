#include "dxt/dxt_run.h"
#include <complex>
#include <memory>
#include <optional>
#include <systemc>
#include <tensorloom/models/arch/device_driver.h>
#include <tensorloom/models/triada/device.h>
#include "platform/device_platform.h"
#include "platform/progress.h"
#include "platform/waveform_file.h"

namespace tensorloom::testbench {
namespace {

using platform_type = device_platform<triada::device<512>>;

/// Shows how far the simulation is, and passes everything on to the log.
class progress_sink : public bus::activity_sink {
public:
    progress_sink(activity::job_log& log, const dxt_options& o)
        : m_log(log), m_progress(o.common.quiet), m_steps((o.shape[0] + o.shape[1] + o.shape[2]) * o.batch)
    {}
    void attach(const std::string& object, const arch::event_table& table, const std::uint64_t* counts) override
    {
        m_log.attach(object, table, counts);
    }
    void started(const std::string& device, std::uint64_t time_ps) override { m_log.started(device, time_ps); }
    void log(const std::string& device, const bus::log_record& record) override
    {
        m_log.log(device, record);
        if (!m_progress.active()) { return; }
        if (std::string_view(record.cause) == "compute") { ++m_done; }
        m_progress.show(static_cast<double>(m_done) / static_cast<double>(m_steps),
                        "tensor " + std::to_string(record.command + 1) + ", " + record.phase + ", step " +
                            std::to_string(record.id + 1));
    }
    void finished(const std::string& device, std::uint64_t cycles) override
    {
        m_log.finished(device, cycles);
        m_progress.erase();
    }

private:
    activity::job_log& m_log;
    progress m_progress;
    std::uint64_t m_steps;
    std::uint64_t m_done = 0;
};

triada::config device_config(const dxt_options& o)
{
    triada::config c;
    c.mesh = o.mesh;
    c.format = o.format;
    c.fidelity = o.common.detailed ? triada::fidelity::detailed : triada::fidelity::fast;
    c.step_cycles = o.step_cycles;
    c.clock_period = sc_core::sc_time(static_cast<double>(clock_period_ps(o.common)), sc_core::SC_PS);
    c.load_elements = o.load_elements;
    c.line_extent = o.line_extent;
    c.burst_bytes = o.common.burst_bytes;
    return c;
}

} // namespace

std::uint64_t needed_bytes(const dxt_options& o)
{
    return tensor_bytes(o, o.common.check) + core_bytes(o, o.mesh, o.common.detailed);
}

template <class T>
dxt_result<T> simulate(const dxt_options& o, const transform_problem<T>& problem, activity::job_log& log)
{
    dxt_result<T> result;
    memory_layout memory(memory_base);
    const transform_layout at = lay_out(o, problem, memory);
    result.memory_bytes = memory.bytes();

    const sc_core::sc_time period(static_cast<double>(clock_period_ps(o.common)), sc_core::SC_PS);
    platform_config config;
    config.memory.bytes = memory.bytes();
    config.memory.latency = 2 * period;
    config.memory.clock_period = period;
    config.router.latency = period;

    progress_sink sink(log, o);
    const auto program = [&](bus::host_thread& cpu) {
        preload(cpu, problem, at);
        result.transform = run_transform<T>(cpu, device_base, o, at);
    };
    auto platform = std::make_unique<platform_type>("platform", device_config(o), config, program, &sink);
    std::optional<waveform_file> waveform;
    if (o.common.vcd) {
        waveform.emplace(*o.common.vcd);
        platform->device.trace(waveform->trace(), o.watch);
    }
    const usage_meter meter;
    auto& left_alive = *platform.release();
    try {
        sc_core::sc_start();
    } catch (const sc_core::sc_report&) {
        left_alive.cpu.rethrow(); // what the program threw says more
        throw;
    }
    result.usage = meter.elapsed();
    if (!left_alive.cpu.finished()) {
        throw arch::device_failure("the simulation ended before the host's program did");
    }
    if (waveform) { waveform->close(); }
    return result;
}

template dxt_result<double> simulate(const dxt_options&, const transform_problem<double>&, activity::job_log&);
template dxt_result<float> simulate(const dxt_options&, const transform_problem<float>&, activity::job_log&);
template dxt_result<std::complex<double>> simulate(const dxt_options&, const transform_problem<std::complex<double>>&,
                                                   activity::job_log&);
template dxt_result<std::complex<float>> simulate(const dxt_options&, const transform_problem<std::complex<float>>&,
                                                  activity::job_log&);

} // namespace tensorloom::testbench
