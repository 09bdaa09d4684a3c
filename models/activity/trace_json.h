#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/activity/transaction_log.h>

namespace tensorloom::activity {

// trace.json: the activity in Chrome's trace event format, for Perfetto (https://ui.perfetto.dev) or chrome://tracing.
// The file is written completely or not at all; failures are base::input_error. An energy_report of a different log is
// a std::invalid_argument.
//
// A process per device, on which its programs follow each other, with these tracks:
//     device              job (a program or an excerpt, by name) > command > cause; overlapping causes get separate
//                         tracks
//     <cause>: <phase>    for a phase that is a part of a cause (stage_1): phase > step; only the phase if it has no
//                         steps
//     power               counter, mW over the time of each record's work (phase_record::busy_cycles), summed over
//                         units that work in parallel
//     utilisation         counter, where its function is given, in the unit of the device; likewise
// Power x time is the energy of the program. A record with energy but no time is shown in the cycle before it.
// A process "bus" with a track per recorder, also without transactions: transaction > request, response (non-blocking
// ones only). Overlapping transactions use further lanes (", lane 2").
// Time stamps are in microseconds, as the format requires, exact to the picosecond; a device's clock period is rounded
// to whole picoseconds.

/// The utilisation that a device defines.
struct utilisation_counter {
    const char* unit = "";                             ///< what it is a share of: "of active cells"
    std::function<double(std::size_t record)> share{}; ///< 0 to 1, by record index; 0 without products
};

/// A program of one device. Time 0 is its START.
///
/// Example
///
///     activity::write_trace_json("out/trace.json", log, energy, {"of active cells", [](std::size_t) { return 1.0; }});
void write_trace_json(const std::string& path, const program_log& log, const energy_report& energy,
                      const utilisation_counter& utilisation = {});

/// A program of a device in a trace of several; programs of the same device (by name) in the order of time.
struct traced_device {
    const program_log* log;
    const energy_report* energy; ///< of the log
    utilisation_counter utilisation{};
    std::string job{}; ///< number or description: "3: compress"
};

/// Programs of several devices, and the transactions of recorders. Time 0 is that of the simulation.
void write_trace_json(const std::string& path, const std::vector<traced_device>& devices,
                      const transaction_log* transactions = nullptr);

} // namespace tensorloom::activity
