#include "platform/run/testbed.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <tensorloom/models/activity/address_trace.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/tlm/simulated_time.h>
#include "platform/process/main.h"
#include "platform/process/text.h"
#include "platform/system/waveform_file.h"

namespace tensorloom::testbench {

/// The programs of the device; tells how far it is.
class testbed::watched_runs : public device_runs {
public:
    watched_runs(testbed& owner, const testbed_settings& settings)
        : device_runs(owner.m_name + ".device", settings.detail, settings.expected_records), m_testbed(owner),
          m_progress(settings.shown), m_observer(settings.observer), m_most_records(settings.limits.records),
          m_counts_records(settings.detail == activity::log_detail::every_record)
    {}
    void started(const std::string& device, std::uint64_t start_ps) override
    {
        m_testbed.around().memory.settle();
        device_runs::started(device, start_ps);
    }
    void log(const std::string& device, const bus::log_record& record) override
    {
        if (m_counts_records && ++m_records > m_most_records) {
            sc_core::sc_stop(); // the device, which calls this, knows no errors of its log
            return;
        }
        m_testbed.around().memory.settle();
        device_runs::log(device, record);
        if (m_observer) { m_observer(record); }
        if (m_progress == nullptr || !m_progress->active()) { return; }
        m_progress->show("program " + grouped_text(all().size()) + ", cycle " + grouped_text(record.start_cycle) +
                         ", " + record.phase);
    }

    void check_long_log() const
    {
        if (m_records <= m_most_records) { return; }
        throw base::input_error("--out: the programs have more than " + grouped_text(m_most_records) +
                                " rows for its files, expected fewer, or a run without --out");
    }

private:
    testbed& m_testbed;
    progress* m_progress;
    std::function<void(const bus::log_record&)> m_observer;
    std::uint64_t m_most_records;
    bool m_counts_records;
    std::uint64_t m_records = 0; // of every record's log
};

testbed::testbed(const std::string& name, const common_options& common, const testbed_settings& settings)
    : m_name(name), m_clock_period_ns(static_cast<double>(clock_period_ps(common)) / 1000), m_around(common.platform),
      m_address_trace(make_address_trace(common, name, common.platform.in_dram())),
      m_runs(std::make_unique<watched_runs>(*this, settings))
{}

testbed::~testbed() = default;

platform_config platform_config_of(const common_options& common, std::uint64_t memory_bytes,
                                   bus::transaction_sink* traffic)
{
    const sc_core::sc_time period(static_cast<double>(clock_period_ps(common)), sc_core::SC_PS);
    const auto& around = common.platform;
    platform_config config;
    config.memory.bytes = memory_bytes;
    config.memory.latency = around.memory_latency * period;
    config.memory.clock_period = period;
    config.memory.bytes_per_cycle = around.memory_bytes_per_cycle;
    config.memory.modify_bytes = around.memory_modify_bytes;
    config.memory.modify_cycles = around.memory_modify_cycles;
    config.memory.ports = config.memory.accesses_per_bank = around.memory_ports; // cells of so many ports
    config.router.latency = period;
    config.dma_bits = around.dma_bits;
    config.memory_traffic = traffic;
    if (around.in_dram()) {
        config.dram.emplace();
        config.dram->dram = around.dram_config;
    }
    return config;
}

platform_config testbed::platform_settings(const common_options& common, const testbed_settings& settings) const
{
    return platform_config_of(common, settings.memory_bytes, m_address_trace.get());
}

std::uint64_t testbed::timeout_ns(const common_options& common, const run_limits& limits)
{
    const std::uint64_t period_ps = clock_period_ps(common);
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return limits.cycles > (most - 999) / period_ps ? most : (limits.cycles * period_ps + 999) / 1000;
}

void end_with(const workloads::program_error& error, const std::string& range_remedy)
{
    const bool out_of_range =
        error.code() == isa::error_code::accumulator_overflow || error.code() == isa::error_code::arithmetic_overflow;
    if (out_of_range && !range_remedy.empty()) {
        throw wrong_result(std::string(error.what()) + ", expected " + range_remedy);
    }
    throw isa::device_failure(error.what());
}

std::uint64_t charged_memory_bytes(const platform_options& around, std::uint64_t used_bytes)
{
    constexpr std::uint64_t least = 64u << 10;
    std::uint64_t bytes = least;
    while (bytes < used_bytes) { bytes *= 2; }
    return around.memory_bytes(bytes);
}

const device_runs& testbed::runs() const { return *m_runs; }

void testbed::take_excerpt(std::size_t program, std::function<bool(const bus::log_record&)> wanted)
{
    m_runs->take_excerpt(program, std::move(wanted));
}

bus::activity_sink* testbed::sink() { return m_runs.get(); }

void testbed::begin_afresh(bus::host_thread& cpu)
{
    cpu.fence();
    const auto device_ps = static_cast<std::uint64_t>(std::llround(m_clock_period_ns * 1000));
    const std::uint64_t together_ps = std::lcm(device_ps, around().memory.clock_ps());
    const std::uint64_t past_ps = bus::picoseconds(sc_core::sc_time_stamp()) % together_ps;
    if (past_ps != 0) { sc_core::wait(static_cast<double>(together_ps - past_ps), sc_core::SC_PS); }
    around().memory.restart();
    restart_device();
    m_runs->forget();
}

std::vector<activity::module_energy> testbed::energy_models(const costs::technology& technology,
                                                            const costs::energy_model& device) const
{
    return {{m_name + ".device", device}, {m_name + ".memory", memory_energy(m_around, technology, memory_bytes())}};
}

die testbed::die_with(const costs::technology& technology, const costs::floor_plan& device) const
{
    return die_of(technology, {device, memory_plan(m_around, technology, memory_bytes())});
}

void require_memory_costs(const platform_options& around, const costs::technology& technology)
{
    constexpr std::uint64_t any_size = 1u << 20; // of an SRAM: the keys are the same for all
    memory_energy(around, technology, any_size);
    memory_plan(around, technology, any_size);
}

void require_addresses(const std::string& device_memory, std::uint64_t device_bytes, std::uint64_t memory_bytes)
{
    const std::uint64_t left = address_space_left_bytes();
    if (device_bytes > left || memory_bytes > left - device_bytes) {
        throw base::input_error("the simulation reserves " + grouped_text(device_bytes) +
                                " bytes of addresses for the " + device_memory + " and " + grouped_text(memory_bytes) +
                                " for the memory, found " + grouped_text(left) +
                                " left by the limit on the address space, expected a higher limit");
    }
}

process_usage simulate(const std::vector<const bus::host_thread*>& hosts)
{
    const usage_meter meter;
    try {
        sc_core::sc_start();
    } catch (const sc_core::sc_report&) {
        for (const auto* host : hosts) { host->rethrow(); } // what a program threw says more
        throw;
    }
    const auto usage = meter.elapsed();
    if (!std::all_of(hosts.begin(), hosts.end(), [](const bus::host_thread* host) { return host->finished(); })) {
        throw isa::device_failure("the simulation ended before the host's program did");
    }
    return usage;
}

process_usage run_testbeds(const std::vector<testbed*>& testbeds, const common_options& common,
                           const std::function<void(sc_core::sc_trace_file&)>& trace_first)
{
    std::optional<waveform_file> waveform;
    if (common.vcd) {
        waveform.emplace(*common.vcd);
        trace_first(waveform->trace());
    }
    std::vector<const bus::host_thread*> hosts;
    for (auto* each : testbeds) { hosts.push_back(&each->around().cpu); }
    process_usage usage;
    try {
        usage = simulate(hosts);
    } catch (...) {
        for (auto* each : testbeds) { each->leave_alive(); } // threads are in the midst of it
        for (const auto* each : testbeds) { each->m_runs->check_long_log(); }
        throw;
    }
    if (waveform) { waveform->close(); }
    for (auto* each : testbeds) {
        if (each->m_address_trace) { each->m_address_trace->commit(); }
        if (common.is_stepped()) {
            each->leave_alive();
        } else {
            each->take_down();
        }
    }
    return usage;
}

} // namespace tensorloom::testbench
