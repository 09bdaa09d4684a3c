#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/tlm/activity_sink.h>

namespace tensorloom::activity {

/// A phase of a command that is not made of steps, or one step: bus::log_record with names of its own.
struct phase_record {
    std::string_view cause; ///< valid as long as the log
    std::string_view phase;
    std::uint32_t command = 0;
    std::uint32_t id = 0;
    std::uint32_t detail = 0;
    std::uint64_t start_cycle = 0;
    std::uint64_t cycles = 0;
    std::uint64_t busy_start_cycle = start_cycle; ///< of the unit that did the work (bus::log_record)
    std::uint64_t busy_cycles = cycles;

    std::uint64_t end_cycle() const { return start_cycle + cycles; }
};

/// What a log keeps.
enum class log_detail {
    every_record, ///< each by itself: needed for tables and traces
    per_command,  ///< one per command, cause and phase, however often a loop runs it: starts with the first of them,
                  ///< and adds up
    totals        ///< one per cause and phase, however long the program: likewise
};

/// Everything that one device did in one program, record by record, with what the modules around it counted meanwhile.
///
/// Modules attach during elaboration: the device, known by its name, and others (memories). At each record of the
/// device, what the others counted since the record before (or since the start) is put down to that record. What comes
/// between the last record and the end, cycles or counts, becomes a last record of cause "other", if there is any.
///
/// started() forgets the program before: a log holds one program, or an excerpt of one. Calls about other devices are
/// ignored: each has its own log. A module attached after the first start or twice, or a device that starts without
/// having attached, is a std::logic_error.
///
/// Example
///
///     activity::program_log log("top.device");
///     triada::device<> device("device", {}, &log);
///     sc_core::sc_start();
///     for (const auto& [cause, cycles] : log.cycles_by_cause()) { out << cause << ' ' << cycles << '\n'; }
class program_log : public bus::activity_sink {
public:
    /// A module and its events. Module 0 is the device.
    struct module_events {
        std::string object;
        base::event_table events{nullptr, 0};
    };

    explicit program_log(std::string device, log_detail detail = log_detail::every_record);
    program_log(const program_log&) = delete;
    program_log& operator=(const program_log&) = delete;

    void attach(const std::string& object, const base::event_table& table, const std::uint64_t* counts) override;
    void started(const std::string& device, std::uint64_t time_ps) override;
    void log(const std::string& device, const bus::log_record& record) override;
    void finished(const std::string& device, std::uint64_t cycles) override;

    /// Of a program only these records: an excerpt. What other modules count meanwhile is put down to them alone, and
    /// nothing is of cause "other".
    void keep_only(std::function<bool(const bus::log_record&)> wanted) { m_wanted = std::move(wanted); }

    /// Takes the memory for so many records when the next program starts, and so never moves them while it runs.
    void reserve(std::size_t records) { m_expected = records; }

    const std::string& device() const { return m_modules.front().object; }
    const std::vector<module_events>& modules() const { return m_modules; }
    const std::vector<phase_record>& records() const { return m_records; }

    /// Events of one module in one record, by the module's table.
    const std::uint64_t* counts(std::size_t record, std::size_t module) const;
    /// Their sums over all records.
    std::vector<std::uint64_t> total_counts(std::size_t module) const;

    /// Simulated time of cycle 0.
    std::uint64_t start_ps() const { return m_start_ps; }
    /// Of an excerpt the start of its first record, else 0.
    std::uint64_t begin_cycle() const { return m_wanted && !m_records.empty() ? m_records.front().start_cycle : 0; }
    /// Cycles from start to end; before the end, and of an excerpt: to that of the latest record.
    std::uint64_t cycles() const { return m_cycles; }
    /// In order of first appearance. The causes sum to cycles() as long as the device's records leave no gap and do not
    /// overlap.
    std::vector<std::pair<std::string, std::uint64_t>> cycles_by_cause() const;

private:
    std::string_view keep(std::string_view text);
    std::size_t index_for(const phase_record& record);
    void add_record(const phase_record& record, const std::uint64_t* device_counts);
    bool others_counted() const;
    void see_others();

    log_detail m_detail;
    std::function<bool(const bus::log_record&)> m_wanted; // nothing: all
    std::vector<module_events> m_modules;
    std::vector<const std::uint64_t*> m_live; // by module: its counters
    std::vector<std::size_t> m_offset;        // by module: where its events stand among the counts of a record
    std::size_t m_width = 0;                  // events of all modules
    std::vector<std::uint64_t> m_seen;        // counters of the others at the latest record, m_width
    std::vector<std::uint64_t> m_counts;      // m_width per record
    std::vector<phase_record> m_records;
    std::map<std::tuple<std::uint32_t, const char*, const char*>, std::size_t>
        m_sums; // command, cause and phase (kept names): the record that adds up
    std::deque<std::string> m_names;
    std::size_t m_expected = 0; // records
    std::uint64_t m_start_ps = 0;
    std::uint64_t m_cycles = 0;
    bool m_attached = false; // the device
    bool m_started = false;  // ever
};

} // namespace tensorloom::activity
