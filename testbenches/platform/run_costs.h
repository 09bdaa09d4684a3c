#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/arch/costs/energy.h>
#include "platform/process_usage.h"
#include "platform/report_table.h"

namespace tensorloom::testbench {

// What every run reports of its costs: energy by component, and what the simulation itself took.

/// The components that an estimate entered, and "total" when there is one.
std::vector<std::string> estimated(const std::vector<arch::component_energy>& components);

/// A line for the total and one for each component.
void print_energy(report_table& lines, const std::vector<arch::component_energy>& components);

/// Total and components, pJ.
nlohmann::ordered_json energy_json(const std::vector<arch::component_energy>& components);

/// `macs`: that were simulated meanwhile.
void print_usage(report_table& lines, const process_usage& usage, std::uint64_t macs);
nlohmann::ordered_json usage_json(const process_usage& usage, std::uint64_t macs);

} // namespace tensorloom::testbench
