#pragma once
#include <string>
#include <vector>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/base/values/bank_counts.h>

namespace tensorloom::activity {

// What a program leaves behind. Each file is there whole or not at all; failures are base::input_error. An
// energy_report of another log than the one given is a std::invalid_argument.

/// latency.csv: a line per record.
///
///     command,cause,phase,id,detail,start_cycle,cycles,<event of the device>...,<module>.<event>...
///
/// Example
///
///     activity::write_latency_csv("out/latency.csv", log);
///     activity::write_energy_csv("out/energy.csv", log, energy);
void write_latency_csv(const std::string& path, const program_log& log);

/// The columns of a log's events in such a file, each behind a comma; modules lose `prefix` of their names.
std::string event_columns(const program_log& log, const std::string& prefix);
/// Those of its components' energies.
std::string component_columns(const energy_report& energy);

/// energy.csv: a line per record.
///
///     command,cause,phase,id,start_cycle,cycles,<component>_pJ...,total_pJ
void write_energy_csv(const std::string& path, const program_log& log, const energy_report& energy);

/// A program in a file of several.
struct tabled_program {
    std::string device; ///< as the lines call it
    unsigned run;       ///< from 0
    std::string job;    ///< what it does, as trace.json calls it
    const program_log* log;
    const energy_report* energy; ///< of the log
};

/// The same with the programs of several devices, one after the other: lines begin with device,run,job. Modules are
/// named without their device's name. Columns are those of all programs, in the order in which they come first: an
/// event or a component that a program does not have is a 0 in its lines.
void write_latency_csv(const std::string& path, const std::vector<tabled_program>& programs);
void write_energy_csv(const std::string& path, const std::vector<tabled_program>& programs);

/// banks.csv: a line per bank.
///
///     memory,bank,accesses,conflict_cycles
void write_banks_csv(const std::string& path, const std::vector<base::counted_memory>& memories);

} // namespace tensorloom::activity
