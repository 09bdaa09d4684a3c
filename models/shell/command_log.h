#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/models/base/values/resources.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::shell {

// From the phases of a command to log records and event counts: a unit reports phases (command_report), records of
// overlapping commands are sorted (log_reorder_buffer), each is counted and passed to the sink (device_log).

/// One execution of a command of a program; commands in loops have many.
struct issued_command {
    std::uint32_t index = 0; ///< of the command in the program
    isa::command_header header;
    const std::uint8_t* payload =
        nullptr; ///< header.length - command_header::encoded_bytes bytes; valid while the program runs
    isa::loop_indices iteration{}; ///< of the two innermost loops around the command, [0] innermost; 0 without a loop
    std::uint64_t execution = 0;   ///< earlier executions of this command, over all loops around it; modulo 2^64
};

/// The phases of one command, consecutive from its begin.
class command_report {
public:
    explicit command_report(std::size_t events) : m_events(events) {}

    void begin(std::uint64_t cycle);
    /// `counts` may be nullptr: none.
    /// `freed`: of these cycles; nullptr: they are those of the cause's resource.
    void add(const char* cause, const char* name, std::uint64_t cycles, const std::uint64_t* counts,
             const base::freed_cycles* freed = nullptr);
    /// Cuts off phases after the end; cycles that no phase covers become a phase of cause "wait".
    void end(std::uint64_t cycle);

    bool empty() const { return m_phases.empty(); }
    std::uint64_t end_cycle() const { return m_end; }
    std::uint64_t cycles() const { return m_end - m_begin; }
    base::freed_cycles freed() const;                            ///< of all phases
    std::uint64_t* counts_of_first() { return m_counts.data(); } ///< of a non-empty report

    /// Calls action(bus::log_record) for every phase, given that the program waited for the command from this cycle to
    /// its end: earlier parts get 0 cycles. The counts are valid until the report changes.
    template <class Action>
    void for_each_record(const issued_command& command, std::uint64_t waited_from, const Action& action) const
    {
        std::uint64_t at = m_begin;
        for (std::size_t p = 0; p < m_phases.size(); ++p) {
            action(record_of(p, at, command, waited_from));
            at += m_phases[p].cycles;
        }
    }

private:
    struct phase {
        const char* cause;
        const char* name;
        std::uint64_t cycles;
        base::freed_cycles freed;
    };

    bus::log_record record_of(std::size_t number, std::uint64_t at, const issued_command& command,
                              std::uint64_t waited_from) const;

    std::size_t m_events;
    std::uint64_t m_begin = 0;
    std::uint64_t m_end = 0;
    std::vector<phase> m_phases;
    std::vector<std::uint64_t> m_counts; // one phase after another
};

/// Sorts log records, which arrive in the order in which commands end, by start cycle and then by program order. The
/// result depends on simulated times alone.
class log_reorder_buffer {
public:
    using receiver = std::function<void(const bus::log_record&)>;

    explicit log_reorder_buffer(std::size_t events) : m_events(events) {}

    /// `number`: position of the command in program order.
    void add(std::uint64_t number, const bus::log_record& record);
    /// Passes on the records that start before this cycle.
    void release(std::uint64_t before, const receiver& to);

private:
    struct kept_record {
        std::uint64_t number;
        std::size_t place; // index of its counts
        bus::log_record record;
    };

    std::size_t m_events;
    std::vector<kept_record> m_kept;     // in the order of release
    std::vector<std::uint64_t> m_counts; // by place
    std::vector<std::size_t> m_free;     // places
};

/// The log and the event counters of a device: adds the counts of each record to the counters, and its cycles to those
/// of the program with each resource free in turn. Records of work that overlaps are not a sum: whoever runs such work
/// sets the cycles of the whole (set_freed()).
///
/// Example
///
///     shell::device_log log("top.device", triada::description.events, &sink);
///     log.start(0, 1000);
///     log.finish(100);
class device_log {
public:
    /// `sink`: receives the records, or nullptr.
    device_log(std::string device, const base::event_table& events, bus::activity_sink* sink);

    /// Calls `listener` for every record; an empty function ends that.
    void listen(std::function<void(const bus::log_record&)> listener) { m_listener = std::move(listener); }

    void start(std::uint64_t time_ps, std::uint64_t period_ps); ///< of a program: clears the counters
    void add(const bus::log_record& record);
    void finish(std::uint64_t cycles);
    const base::freed_cycles& freed() const { return m_freed; } ///< of the program up to now
    void set_freed(const base::freed_cycles& cycles) { m_freed = cycles; }
    void clear();                                              ///< clears the counters
    void set_counts(const std::vector<std::uint64_t>& counts); ///< one per event

    std::size_t events() const { return m_events.size; }
    /// 0 for events that are not in the table.
    std::uint64_t count(std::size_t event) const { return event < m_counts.size() ? m_counts[event] : 0; }

private:
    const std::string m_device; // sinks get the name with every record
    base::event_table m_events;
    std::vector<std::uint64_t> m_counts; // by event
    base::freed_cycles m_freed;
    bus::activity_sink* m_sink;
    std::function<void(const bus::log_record&)> m_listener;
};

} // namespace tensorloom::shell
