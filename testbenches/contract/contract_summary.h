#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>
#include "contract/contract_options.h"
#include "contract/contract_run.h"
#include "platform/job_costs.h"

namespace tensorloom::testbench {

// What table and summary.json both say, computed once.

/// Cycles by cause in the order of the report, each of these once, also when it is 0: compute, fill, reload, conflict,
/// psum, vector, control, load, store, fetch, wait; other, if there is any. They sum to the run's.
std::vector<std::pair<std::string, std::uint64_t>> cause_sums(const job_costs& costs);
/// Of load, store, fetch and wait: that the device waited for the memory on the bus.
std::uint64_t memory_cycles(const job_costs& costs);

/// How every element of the result is summed, as a formula.
std::string summation_order(const workloads::contraction_plan& plan);

std::uint64_t program_bytes(const contract_findings& findings); ///< of all programs that ran
double peak_bytes_per_cycle(const contract_options& options);   ///< of the DRAM, at the device's clock

} // namespace tensorloom::testbench
