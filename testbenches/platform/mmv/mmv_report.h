#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/mmv/isa/meters.h>
#include "platform/mmv/mmv_costs.h"
#include "platform/mmv/mmv_testbed.h"
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

// Report of a run of an MMU/VCU pair: the model's numbers, cycles by cause, energy, each separately.

// Lines and fields of the papers' models.
void print_mmv_ram(run_report& report, const mmv::mmv_ram_meter& meter, unsigned word_bits);
json mmv_ram_json(const mmv::mmv_ram_meter& meter);
void print_tcu(run_report& report, const mmv::tcu_meter& meter, std::uint64_t latency);
json tcu_json(const mmv::tcu_meter& meter);

/// The line about counts and closed form; none without a closed form.
void print_closed_form(run_report& report, const std::optional<bool>& same);
/// Text after the result of a check: the first wrong position.
std::string first_wrong_text(const std::optional<std::uint64_t>& index);

std::uint64_t array_cycles(const program_costs& costs); ///< cycles in which the array worked

/// programs, cycles, cycles_by_cause, simulated_time_ns, macs, utilisation, roofline, instructions, events, energy_pJ,
/// energy_estimated.
json costs_json(const mmv_costs& costs, const mmv::config& device, const common_options& common, unsigned pairs = 1);
/// Adds these fields and prints lines. `scratchpad_bytes`: used by the run. `working_cycles`: of all pairs' arrays.
void write_costs(run_report& report, const mmv_costs& costs, const mmv::config& device, std::uint64_t scratchpad_bytes,
                 const die& on, std::uint64_t working_cycles, unsigned pairs = 1);

/// The programs of a device in the files with a line per record. `jobs`: as device_programs has them.
device_programs programs_of(const std::string& name, const mmv::config& device, const device_runs& runs,
                            const std::vector<activity::module_energy>& models, const std::vector<std::string>& jobs);
device_programs programs_of(const mmv_testbed& testbed, const std::vector<activity::module_energy>& models,
                            const std::vector<std::string>& jobs);

} // namespace tensorloom::testbench
