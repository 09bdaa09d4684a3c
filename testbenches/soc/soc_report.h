#pragma once
#include <array>
#include <optional>
#include <ostream>
#include <vector>
#include <tensorloom/models/activity/transaction_log.h>
#include <tensorloom/models/arch/costs/energy.h>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/workloads/gemt_check.h>
#include "platform/output_directory.h"
#include "soc/soc_activity.h"
#include "soc/soc_options.h"
#include "soc/soc_run.h"

namespace tensorloom::testbench {

/// Everything that a run found out.
struct soc_findings {
    const soc_measured* measured = nullptr;
    const soc_activity* activity = nullptr;
    const activity::transaction_log* transactions = nullptr;
    std::vector<arch::component_energy> energy;
    std::array<std::optional<workloads::check_result>, soc_devices> check; ///< none: not checked, or idle
    bool passed = true; ///< every check, and every run of a job the same
};

/// The table for people.
void print_table(std::ostream& out, const soc_options& options, const soc_findings& findings);

/// summary.json, latency.csv, energy.csv, trace.json, transactions.csv, traffic.csv.
void write_files(const output_directory& directory, const soc_options& options, const soc_findings& findings,
                 const arch::technology& technology);

} // namespace tensorloom::testbench
