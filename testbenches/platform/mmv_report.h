#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/arch/mmv/meters.h>
#include "platform/mmv_costs.h"
#include "platform/mmv_station.h"
#include "platform/output_directory.h"
#include "platform/report_table.h"
#include "platform/testbench_options.h"

namespace tensorloom::testbench {

// What a run of an MMU/VCU pair is reported with: the model's numbers, cycles by cause, energy; each for itself.

/// Lines for people.
void print_mmv_ram(report_table& lines, const arch::mmv::mmv_ram_meter& meter, unsigned word_bits);
void print_tcu(report_table& lines, const arch::mmv::tcu_meter& meter, std::uint64_t latency);
void print_cycles(report_table& lines, const mmv_costs& costs, const mmv_station& station,
                  const common_options& common);
void print_roofline(report_table& lines, const mmv_roofline& roofline);

// Fields of a summary.
nlohmann::ordered_json mmv_ram_json(const arch::mmv::mmv_ram_meter& meter);
nlohmann::ordered_json tcu_json(const arch::mmv::tcu_meter& meter);
nlohmann::ordered_json roofline_json(const mmv_roofline& roofline);
nlohmann::ordered_json instructions_json(const mmv_costs& costs);

/// cycles, cycles_by_cause, simulated_time_ns, macs, utilisation, roofline, instructions, events, energy_pJ,
/// energy_estimated.
nlohmann::ordered_json costs_json(const mmv_costs& costs, const mmv_station& station, const common_options& common);

/// write_program_files() of job_report.h.
void write_program_files(const output_directory& directory, const mmv_station& station,
                         const std::vector<activity::module_energy>& models);

} // namespace tensorloom::testbench
