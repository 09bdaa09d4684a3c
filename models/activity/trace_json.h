#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/activity/transaction_log.h>

namespace tensorloom::activity {

// trace.json: what happened in Chrome's trace event format, for Perfetto (https://ui.perfetto.dev) or chrome://tracing.
// The file is there whole or not at all; failures are base::input_error. An energy_report of another log than the one
// given is a std::invalid_argument.
//
// A process for each device, with these tracks, on which its programs follow each other:
//     device              job (a program or an excerpt, by name) > command > cause; causes that overlap get tracks
//                         of their own
//     <cause>: <phase>    for a phase that is part of a cause (stage_1): phase > step; a phase without steps alone
//     power               counter, mW over the time of each record's work (phase_record::busy_cycles), summed where
//     units
//                         work side by side
//     utilisation         counter, when its function is given, in the unit of the device; likewise
// Power x time is the energy of the program. A record that has energy and no time is shown in the cycle in front of it.
// A process "bus" with a track for each recorder that kept transactions or not: transaction > request, response (the
// last two of non-blocking ones). Transactions that overlap go to further lanes (", lane 2").
// Time stamps are microseconds, as the format wants, exact to the picosecond; a device's clock period is rounded to
// whole picoseconds.

/// How busy a device is, as it measures that itself.
struct utilisation_counter {
    const char* unit = "";                             ///< what it is the share of: "of active cells"
    std::function<double(std::size_t record)> share{}; ///< 0 to 1, of a record by its index; 0 where nothing multiplies
};

/// A program of one device. Time 0 is its START.
///
/// Example
///
///     activity::write_trace_json("out/trace.json", log, energy, {"of active cells", [](std::size_t) { return 1.0; }});
void write_trace_json(const std::string& path, const program_log& log, const energy_report& energy,
                      const utilisation_counter& utilisation = {});

/// A program of a device in a trace of several; programs of one device (by its name) in the order of their time.
struct traced_device {
    const program_log* log;
    const energy_report* energy; ///< of the log
    utilisation_counter utilisation{};
    std::string job{}; ///< which one it is, or what it does: "3: compress"
};

/// Programs of several devices, and what recorders saw meanwhile. Time 0 is that of the simulation.
void write_trace_json(const std::string& path, const std::vector<traced_device>& devices,
                      const transaction_log* transactions = nullptr);

} // namespace tensorloom::activity
