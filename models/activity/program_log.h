#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/tlm/activity_sink.h>

namespace tensorloom::activity {

/// One step, or a phase of a command without steps: a bus::log_record that owns its names.
struct phase_record {
    std::string_view cause; ///< valid as long as the log
    std::string_view phase;
    std::uint32_t command = 0;
    std::uint32_t id = 0;
    std::uint32_t detail = 0;
    std::uint64_t start_cycle = 0;
    std::uint64_t cycles = 0;
    std::uint64_t busy_start_cycle = 0; ///< of the unit that did the work (bus::log_record)
    std::uint64_t busy_cycles = 0;

    std::uint64_t end_cycle() const { return start_cycle + cycles; }
};

/// What a log keeps.
enum class log_detail {
    every_record, ///< every single record: needed for tables and traces
    per_command,  ///< one per command, cause and phase: the sum over all iterations of loops, with the start of the
                  ///< first
    totals        ///< one per cause and phase: likewise, over the whole program
};

/// The activity of one device in one program, record by record, with the events of the modules around it.
///
/// Modules attach during elaboration: the device, identified by its name, and others (memories). At each record of the
/// device, events of the other modules since the previous record (or since the start) are charged to that record.
/// Cycles and events between the last record and the end become a final record of cause "other", if there are any.
///
/// started() discards the previous program: a log holds one program, or an excerpt of one. Calls about other devices
/// are ignored: each needs its own log. Throws std::logic_error for a module attached twice or after the first start,
/// and for a device that starts without being attached.
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
    void clocked(const std::string& device, std::uint64_t period_ps) override;
    void log(const std::string& device, const bus::log_record& record) override;
    void freed(const std::string& device, const base::freed_cycles& cycles) override;
    void finished(const std::string& device, std::uint64_t cycles) override;

    /// Keeps only these records: an excerpt. Other modules' events are charged only if they occur during these records,
    /// and there is no cause "other".
    void keep_only(std::function<bool(const bus::log_record&)> wanted) { m_wanted = std::move(wanted); }

    /// Reserves memory for this many records at the next start, so that they do not move while the program runs.
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
    /// Period of the program's cycles; 0 when the device has reported none.
    std::uint64_t clock_period_ps() const { return m_clock_period_ps; }
    /// For an excerpt the start of its first record, else 0.
    std::uint64_t begin_cycle() const { return m_wanted && !m_records.empty() ? m_records.front().start_cycle : 0; }
    /// Cycles from start to end; before the end, and for an excerpt: to the end of the latest record.
    std::uint64_t cycles() const { return m_cycles; }
    const base::freed_cycles& freed() const { return m_freed; } ///< of the whole program; 0 before its end
    /// In order of first appearance. The causes sum to cycles() if the device's records neither leave gaps nor overlap.
    std::vector<std::pair<std::string, std::uint64_t>> cycles_by_cause() const;

private:
    std::string_view keep(std::string_view text);
    std::size_t index_for(const phase_record& record);
    std::size_t add_new(const phase_record& record);
    void add_record(const phase_record& record, const std::uint64_t* device_counts);
    bool others_counted() const;
    void see_others();

    log_detail m_detail;
    std::function<bool(const bus::log_record&)> m_wanted; // empty: all records
    std::vector<module_events> m_modules;
    std::vector<const std::uint64_t*> m_live; // counters, by module
    std::vector<std::size_t> m_offset;        // of a module's events among the counts of a record
    std::size_t m_width = 0;                  // number of events of all modules
    std::vector<std::uint64_t> m_seen;        // counters of the other modules at the latest record, m_width
    std::vector<std::uint64_t> m_counts;      // m_width per record
    std::vector<phase_record> m_records;
    // Sums by command, cause and phase: the records of a command are a list. 0: none, otherwise a record's index + 1.
    std::vector<std::uint32_t> m_first; // by command
    std::vector<std::uint32_t> m_next;  // by record
    std::deque<std::string> m_names;
    std::size_t m_expected = 0; // records
    std::uint64_t m_start_ps = 0;
    std::uint64_t m_clock_period_ps = 0;
    std::uint64_t m_cycles = 0;
    base::freed_cycles m_freed;
    bool m_attached = false; // the device has attached
    bool m_started = false;  // at least once
};

} // namespace tensorloom::activity
