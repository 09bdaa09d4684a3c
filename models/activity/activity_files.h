#pragma once
#include <string>
#include <vector>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/base/values/bank_counts.h>

namespace tensorloom::activity {

// Output files of a program. A file is written completely or not at all; failures are base::input_error. An
// energy_report of a different log is a std::invalid_argument.

/// latency.csv: a line per record.
///
///     command,cause,phase,id,detail,start_cycle,cycles,<event of the device>...,<module>.<event>...
///
/// Example
///
///     activity::write_latency_csv("out/latency.csv", log);
///     activity::write_energy_csv("out/energy.csv", log, energy);
void write_latency_csv(const std::string& path, const program_log& log);

/// The event columns of such a file, each preceded by a comma; `prefix` is removed from module names.
std::string event_columns(const program_log& log, const std::string& prefix);
/// The energy columns of the components.
std::string component_columns(const energy_report& energy);

/// energy.csv: a line per record.
///
///     command,cause,phase,id,start_cycle,cycles,<component>_pJ...,total_pJ
void write_energy_csv(const std::string& path, const program_log& log, const energy_report& energy);

/// events.csv: a line per event of a module and energy, summed over these programs; pJ is the energy of one.
///
///     module,model,event,component,count,pJ,estimate
void write_events_csv(const std::string& path, const std::vector<const energy_report*>& programs);

/// A program in a file of several programs.
struct tabled_program {
    std::string device; ///< in the column `device`
    unsigned run;       ///< from 0
    std::string job;    ///< in the column `job`, as in trace.json
    const program_log* log;
    const energy_report* energy; ///< of the log
};

/// Likewise for programs of several devices, one after the other: lines begin with device,run,job. Module names omit
/// the device's name. Columns are those of all programs in order of first appearance; an event or component that a
/// program does not have is 0 in its lines.
void write_latency_csv(const std::string& path, const std::vector<tabled_program>& programs);
void write_energy_csv(const std::string& path, const std::vector<tabled_program>& programs);

/// banks.csv: a line per bank.
///
///     memory,bank,accesses,conflict_cycles
void write_banks_csv(const std::string& path, const std::vector<base::counted_memory>& memories);

} // namespace tensorloom::activity
