#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/job_log.h>

namespace tensorloom::activity {

// What a job leaves behind. Each file is there whole or not at all; failures are arch::input_error. An energy_report of another log
// than the one given is a std::invalid_argument.

/// latency.csv: a row per record.
///
///     command,cause,phase,id,detail,start_cycle,cycles,<event of the device>...,<module>.<event>...
void write_latency_csv(const std::string& path, const job_log& log);

/// energy.csv: a row per record.
///
///     command,cause,phase,id,start_cycle,cycles,<component>_pJ...,total_pJ
void write_energy_csv(const std::string& path, const job_log& log, const energy_report& energy);

/// Utilisation (0 to 1) of a record, by its index in the log; 0 for a record that uses no cells.
using utilisation_of_record = std::function<double(std::size_t record)>;

/// trace.json: the job in Chrome's trace event format, for Perfetto (https://ui.perfetto.dev) or chrome://tracing.
///
/// A process for the device, with these tracks:
///     device              job > command > cause; causes that overlap get tracks of their own
///     <cause>: <phase>    for a phase that is part of a cause (stage_1): phase > step
///     power               counter, mW over each record
///     utilisation         counter, when the function is given
/// Time stamps are microseconds, as the format wants, of device time with the clock period rounded to whole picoseconds.
void write_trace_json(const std::string& path, const job_log& log, const energy_report& energy,
                      const utilisation_of_record& utilisation = {});

} // namespace tensorloom::activity
