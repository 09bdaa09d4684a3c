#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/arch/values/event_table.h>
#include "platform/device_station.h"
#include "platform/job_costs.h"
#include "platform/output_directory.h"
#include "platform/report_table.h"
#include "platform/testbench_options.h"

namespace tensorloom::testbench {

// What the programs of any device are reported with.

std::string counted(std::uint64_t n, const char* one, const char* many); ///< "1,024 rows"
double ns_of(std::uint64_t cycles, const common_options& common);

/// Cycles by cause, and the time that they are.
void print_cycles(report_table& lines, const job_costs& costs);
void print_time(report_table& lines, const job_costs& costs, const common_options& common);

/// Counts by the names of the events.
nlohmann::ordered_json events_json(const arch::event_table& events, const std::uint64_t* counts);

/// programs, cycles, cycles_by_cause, simulated_time_ns.
nlohmann::ordered_json cycles_json(const job_costs& costs, const common_options& common);

/// latency.csv, energy.csv and trace.json of all programs of a station; "run" is the program's number, from 0.
/// Utilisation in the trace, a share `unit`, is that of the device's event `mac_event` by `macs_per_cycle`.
void write_program_files(const output_directory& directory, const device_station& station,
                         const std::vector<activity::module_energy>& models, std::size_t mac_event,
                         double macs_per_cycle, const char* unit);

} // namespace tensorloom::testbench
