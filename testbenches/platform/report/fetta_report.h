#pragma once
#include <string>
#include <vector>
#include <tensorloom/models/arch/fetta/geometry.h>
#include "platform/report/run_report.h"
#include "platform/system/fetta_harness.h"

namespace tensorloom::testbench {

// What testbenches of a FETTA tell alike.

/// What write_program_files() writes of a device's runs.
device_programs programs_of(const fetta_harness& harness, const arch::fetta::geometry& g,
                            const std::vector<activity::module_energy>& models);

/// What a technology file lacks shows where it is needed: a complaint about one, with the option that names it.
std::string with_technology_option(const std::string& complaint);

} // namespace tensorloom::testbench
