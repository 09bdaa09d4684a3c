#pragma once
#include <cstdint>
#include <string>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/models/base/values/resources.h>

namespace tensorloom::bus {

/// One record of a device's activity: one step, or a phase of a command that has no steps. Its fields are set by name:
///
///     log.add(log_record("load").of_command(3).during(start, cycles).with_counts(counts.data()));
struct log_record {
    const char* cause;                     ///< what its cycles are attributed to: "fetch", "load", "compute", ...
    const char* phase;                     ///< the cause, or a named part of it ("stage_1")
    std::uint32_t command = 0;             ///< index of the command in the program
    std::uint32_t id = 0;                  ///< step within the phase, from 0; 0 for a phase without steps
    std::uint32_t detail = 0;              ///< defined by the device (TriADA: the position of the tag)
    std::uint64_t start_cycle = 0;         ///< device cycles since START
    std::uint64_t cycles = 0;              ///< may be 0
    const std::uint64_t* counts = nullptr; ///< events of this record, by the device's event table; valid during the
                                           ///< call

    // When the unit worked. Where units work in parallel, `cycles` is only the time by which the record made the
    // program longer.
    std::uint64_t busy_start_cycle = 0;
    std::uint64_t busy_cycles = 0; ///< cycles that the unit worked; at least `cycles`

    const base::freed_cycles* freed = nullptr; ///< of these cycles; nullptr: they are those of the cause's resource.
                                               ///< Valid during the call

    explicit log_record(const char* cause_and_phase) : log_record(cause_and_phase, cause_and_phase) {}
    log_record(const char* attributed_to, const char* part) : cause(attributed_to), phase(part) {}

    log_record& of_command(std::uint32_t index)
    {
        command = index;
        return *this;
    }
    log_record& with_id(std::uint32_t step)
    {
        id = step;
        return *this;
    }
    log_record& with_detail(std::uint32_t value)
    {
        detail = value;
        return *this;
    }
    /// Sets the busy cycles too.
    log_record& during(std::uint64_t from_cycle, std::uint64_t length)
    {
        start_cycle = from_cycle;
        cycles = length;
        return busy_during(from_cycle, length);
    }
    /// Call after during().
    log_record& busy_during(std::uint64_t from_cycle, std::uint64_t length)
    {
        busy_start_cycle = from_cycle;
        busy_cycles = length;
        return *this;
    }
    log_record& with_counts(const std::uint64_t* of_events)
    {
        counts = of_events;
        return *this;
    }
    log_record& with_freed(const base::freed_cycles* cycles_of_resources)
    {
        freed = cycles_of_resources;
        return *this;
    }
};

/// Receives event counters of modules and activity records of devices. Implemented by models/activity, or by a user.
///
/// All calls come from the simulation's single thread. The sink must outlive the modules that report to it.
///
/// Example
///
///     activity::program_log log("top.device"); // an activity_sink
///     triada::device<> device("device", {}, &log);
class activity_sink {
public:
    virtual ~activity_sink() = default;

    /// Elaboration: module `object` (its hierarchical name) keeps `counts`, one integer per event of `table`.
    virtual void attach(const std::string& object, const base::event_table& table, const std::uint64_t* counts) = 0;

    /// A program starts: cycle 0 is at this simulated time.
    virtual void started(const std::string& device, std::uint64_t time_ps) = 0;
    /// Just after the start: the period of the program's cycles.
    virtual void clocked(const std::string& device, std::uint64_t period_ps)
    {
        static_cast<void>(device);
        static_cast<void>(period_ps);
    }
    virtual void log(const std::string& device, const log_record& record) = 0; ///< in the order of start_cycle
    /// Just before the end: the cycles of the program with each resource free in turn.
    virtual void freed(const std::string& device, const base::freed_cycles& cycles)
    {
        static_cast<void>(device);
        static_cast<void>(cycles);
    }
    virtual void finished(const std::string& device, std::uint64_t cycles) = 0; ///< at DONE, an error or an abort
};

} // namespace tensorloom::bus
