#include "platform/device_station.h"
#include <optional>
#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/models/arch/costs/sram_energy.h>
#include "platform/device_run.h"
#include "platform/memory_need.h"
#include "platform/report_table.h"

namespace tensorloom::testbench {

/// The programs of the device; tells how far it is.
class device_station::watched_jobs : public device_jobs {
public:
    watched_jobs(device_station& station, activity::log_detail detail, progress* shown, std::uint64_t most_records)
        : device_jobs(station.name() + ".device", detail), m_station(station), m_progress(shown),
          m_most_records(most_records), m_counts_records(detail == activity::log_detail::every_record)
    {}
    void started(const std::string& device, std::uint64_t start_ps) override
    {
        m_station.settle_memory();
        device_jobs::started(device, start_ps);
    }
    void log(const std::string& device, const bus::log_record& record) override
    {
        if (m_counts_records && ++m_records > m_most_records) {
            sc_core::sc_stop(); // the device, which calls this, knows no errors of its log
            return;
        }
        m_station.settle_memory();
        device_jobs::log(device, record);
        if (m_progress == nullptr || !m_progress->active()) { return; }
        m_progress->show("program " + grouped_text(jobs().size()) + ", cycle " + grouped_text(record.start_cycle) +
                         ", " + record.phase);
    }

    void refuse_long_log() const
    {
        if (m_records <= m_most_records) { return; }
        throw arch::input_error("--out: the programs have more than " + grouped_text(m_most_records) +
                                " rows for its files, expected fewer, or a run without --out");
    }

private:
    device_station& m_station;
    progress* m_progress;
    std::uint64_t m_most_records;
    bool m_counts_records;
    std::uint64_t m_records = 0; // of every record's log
};

device_station::device_station(const std::string& name, const common_options& common, activity::log_detail detail,
                               progress* shown, std::uint64_t most_records)
    : m_name(name), m_clock_period_ns(static_cast<double>(clock_period_ps(common)) / 1000),
      m_jobs(std::make_unique<watched_jobs>(*this, detail, shown, most_records))
{}

device_station::~device_station() = default;

std::uint64_t device_station::memory_bytes() const
{
    constexpr std::uint64_t least = 64u << 10;
    std::uint64_t bytes = least;
    while (bytes < m_memory_used) { bytes *= 2; }
    return bytes;
}

const device_jobs& device_station::jobs() const { return *m_jobs; }

bus::activity_sink* device_station::sink() { return m_jobs.get(); }

activity::module_energy device_station::sram_model(const arch::technology& technology) const
{
    return {m_name + ".memory", arch::sram_energy(technology, memory_bytes())};
}

void require_addresses(const std::string& device_memory, std::uint64_t device_bytes, std::uint64_t memory_bytes)
{
    const std::uint64_t left = address_space_left_bytes();
    if (device_bytes > left || memory_bytes > left - device_bytes) {
        throw arch::input_error("the simulation reserves " + grouped_text(device_bytes) +
                                " bytes of addresses for the " + device_memory + " and " + grouped_text(memory_bytes) +
                                " for the memory, found " + grouped_text(left) +
                                " left by the limit on the address space, expected a higher limit");
    }
}

process_usage run_stations(const std::vector<device_station*>& stations, const common_options& common,
                           const std::function<void(sc_core::sc_trace_file&)>& trace_first)
{
    std::optional<waveform_file> waveform;
    if (common.vcd) {
        waveform.emplace(*common.vcd);
        trace_first(waveform->trace());
    }
    std::vector<const bus::host_thread*> hosts;
    for (const auto* station : stations) { hosts.push_back(&station->host()); }
    process_usage usage;
    try {
        usage = run_programs(hosts);
    } catch (...) {
        for (auto* station : stations) { station->leave_alive(); } // threads are in the midst of it
        for (const auto* station : stations) { station->m_jobs->refuse_long_log(); }
        throw;
    }
    if (waveform) { waveform->close(); }
    return usage;
}

} // namespace tensorloom::testbench
