#include "dxt/dxt_run.h"
#include <cmath>
#include <complex>
#include <memory>
#include <optional>
#include <systemc>
#include <tensorloom/models/arch/triada_driver.h>
#include <tensorloom/models/triada/device.h>
#include "platform/device_platform.h"
#include "platform/progress.h"
#include "platform/waveform_file.h"

namespace tensorloom::testbench {
namespace {

using platform_type = device_platform<triada::device<512>>;

/// Hands out addresses in the memory, a page apart.
class memory_layout {
public:
    std::uint64_t place(std::uint64_t bytes)
    {
        const std::uint64_t at = memory_base + m_bytes;
        m_bytes += (bytes + page - 1) / page * page;
        return at;
    }
    std::uint64_t bytes() const { return m_bytes; }

private:
    static constexpr std::uint64_t page = 4096;
    std::uint64_t m_bytes = 0;
};

/// Where everything lies, and the commands that say so.
struct dxt_layout {
    std::uint64_t program = 0;
    std::array<std::uint64_t, 3> matrices{};
    std::array<std::uint64_t, 3> row_orders{};
    std::uint64_t initial = 0;
    std::vector<std::uint64_t> x;
    std::vector<std::uint64_t> y;
    std::uint64_t bytes = 0;
};

template <class T> dxt_layout lay_out(const dxt_options& o, const dxt_problem<T>& problem)
{
    dxt_layout at;
    memory_layout memory;
    const std::uint64_t volume = o.shape[0] * o.shape[1] * o.shape[2];
    at.program = memory.place(arch::triada_driver::program_bytes(o.batch));
    for (std::size_t m = 0; m < 3; ++m) {
        at.matrices[m] = memory.place(o.shape[m] * o.shape[m] * sizeof(T));
        if (!problem.row_orders[m].empty()) { at.row_orders[m] = memory.place(o.shape[m] * 4); }
    }
    if (problem.initial) { at.initial = memory.place(volume * sizeof(T)); }
    for (std::size_t i = 0; i < problem.x.size(); ++i) { at.x.push_back(memory.place(volume * sizeof(T))); }
    for (std::uint32_t i = 0; i < o.batch; ++i) { at.y.push_back(memory.place(volume * sizeof(T))); }
    at.bytes = memory.bytes();
    return at;
}

std::vector<arch::gemt_command> commands(const dxt_options& o, const dxt_layout& at)
{
    const auto n = [&](std::size_t m) { return static_cast<std::uint32_t>(o.shape[m]); };
    const std::vector<std::uint32_t> shape{n(0), n(1), n(2)};
    std::vector<arch::gemt_command> all;
    for (std::uint32_t i = 0; i < o.batch; ++i) {
        arch::gemt_command c;
        c.flags = static_cast<std::uint16_t>((o.esop ? arch::gemt_command::flag_esop : 0) |
                                             (at.initial != 0 ? arch::gemt_command::flag_accumulate : 0) |
                                             (i > 0 ? arch::gemt_command::flag_keep_matrices : 0));
        for (std::size_t s = 0; s < 3; ++s) { c.order[s] = static_cast<std::uint8_t>(o.order[s]); }
        c.zero_threshold = o.zero_threshold;
        c.x = arch::dense_descriptor(at.x[at.x.size() == 1 ? 0 : i], o.format, shape);
        c.y = arch::dense_descriptor(at.y[i], o.format, shape);
        if (at.initial != 0) { c.initial_y = arch::dense_descriptor(at.initial, o.format, shape); }
        for (std::size_t m = 0; i == 0 && m < 3; ++m) {
            c.matrix[m] = arch::dense_descriptor(at.matrices[m], o.format, {n(m), n(m)});
            c.row_order_address[m] = at.row_orders[m];
        }
        all.push_back(c);
    }
    return all;
}

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
    void started(const std::string& device) override { m_log.started(device); }
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

// The host's program.
template <class T>
void run_job(host& cpu, const dxt_options& o, const dxt_problem<T>& problem, const dxt_layout& at,
             dxt_result<T>& result)
{
    for (std::size_t m = 0; m < 3; ++m) {
        cpu.preload(at.matrices[m], problem.matrices[m].data(), problem.matrices[m].size() * sizeof(T));
        if (at.row_orders[m] != 0) {
            cpu.preload(at.row_orders[m], problem.row_orders[m].data(), problem.row_orders[m].size() * 4);
        }
    }
    if (problem.initial) {
        cpu.preload(at.initial, problem.initial->data.data(), problem.initial->data.size() * sizeof(T));
    }
    for (std::size_t i = 0; i < at.x.size(); ++i) {
        cpu.preload(at.x[i], problem.x[i].data.data(), problem.x[i].data.size() * sizeof(T));
    }

    arch::triada_driver driver(cpu, device_base);
    const auto program = arch::triada_driver::program(commands(o, at));
    constexpr std::uint64_t an_hour_ns = 3'600'000'000'000;
    const auto outcome = driver.run(program, at.program, an_hour_ns);
    if (!outcome.done) {
        throw arch::device_failure(std::string("the device reports: ") + error_text(outcome.error) + ", command " +
                                   std::to_string(outcome.error_command));
    }
    result.cycles = outcome.cycles;
    for (std::uint32_t i = 0; i < o.batch; ++i) {
        workloads::tensor<T> y({o.shape[0], o.shape[1], o.shape[2]});
        cpu.read_block(at.y[i], y.data.data(), y.data.size() * sizeof(T));
        result.y.push_back(std::move(y));
    }
}

} // namespace

std::uint64_t clock_period_ps(const common_options& common)
{
    return static_cast<std::uint64_t>(std::max(1.0, std::round(1000.0 / common.clock_ghz)));
}

std::uint64_t needed_bytes(const dxt_options& o)
{
    const std::uint64_t volume = o.shape[0] * o.shape[1] * o.shape[2];
    const std::uint64_t element = arch::element_bytes(o.format);
    const std::uint64_t tensors = (o.input ? 1 : o.batch) + std::uint64_t{o.batch} + (o.initial ? 1 : 0);
    constexpr std::uint64_t cell_module_bytes = 880;
    const std::uint64_t cells = std::uint64_t{o.mesh[0]} * o.mesh[1] * o.mesh[2];
    const std::uint64_t core = o.common.detailed ? cells * (cell_module_bytes + 5 * element) : 6 * volume * element;
    const std::uint64_t reference = o.common.check ? 2 * volume * (arch::is_complex(o.format) ? 32 : 16) : 0;
    return 2 * tensors * volume * element + core + reference;
}

template <class T> dxt_result<T> simulate(const dxt_options& o, const dxt_problem<T>& problem, activity::job_log& log)
{
    dxt_result<T> result;
    const dxt_layout at = lay_out(o, problem);
    result.memory_bytes = at.bytes;

    const sc_core::sc_time period(static_cast<double>(clock_period_ps(o.common)), sc_core::SC_PS);
    platform_config config;
    config.memory.bytes = at.bytes;
    config.memory.latency = 2 * period;
    config.memory.clock_period = period;
    config.router.latency = period;

    progress_sink sink(log, o);
    const auto program = [&](host& cpu) { run_job(cpu, o, problem, at, result); };
    auto platform = std::make_unique<platform_type>("platform", device_config(o), config, program, &sink);
    std::optional<waveform_file> waveform;
    if (o.common.vcd) {
        waveform.emplace(*o.common.vcd);
        platform->device.trace(waveform->trace(), o.watch);
    }
    const usage_meter meter;
    sc_core::sc_start();
    result.usage = meter.elapsed();
    auto& left_alive = *platform.release();
    left_alive.cpu.rethrow();
    if (!left_alive.cpu.finished()) {
        throw arch::device_failure("the simulation ended before the host's program did");
    }
    if (waveform) { waveform->close(); }
    return result;
}

template dxt_result<double> simulate(const dxt_options&, const dxt_problem<double>&, activity::job_log&);
template dxt_result<float> simulate(const dxt_options&, const dxt_problem<float>&, activity::job_log&);
template dxt_result<std::complex<double>> simulate(const dxt_options&, const dxt_problem<std::complex<double>>&,
                                                   activity::job_log&);
template dxt_result<std::complex<float>> simulate(const dxt_options&, const dxt_problem<std::complex<float>>&,
                                                  activity::job_log&);

} // namespace tensorloom::testbench
