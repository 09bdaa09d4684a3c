#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/tlm/router.h>
#include <tensorloom/workloads/gemt_check.h>
#include "platform/report/run_report.h"
#include "platform/run/shared_activity.h"
#include "soc/soc_options.h"

namespace tensorloom::testbench {

/// Traffic of a port of the router.
struct soc_traffic {
    std::string port;
    bus::port_traffic traffic;
};

/// Results of a simulation, without tensors.
struct soc_measured {
    std::uint64_t cycles = 0; ///< of the devices' clock, until both hosts were done
    std::array<std::vector<std::uint64_t>, soc_devices> run_cycles; ///< START to DONE, of each run
    std::array<std::uint64_t, soc_devices> end_cycles{};            ///< until its host was done; 0: idle
    std::array<double, soc_devices> leaking_ns{};                   ///< time with supply
    /// The same for each device alone on the platform; none: one of them is idle.
    std::array<std::optional<std::uint64_t>, soc_devices> alone_cycles{};
    std::vector<soc_traffic> initiators;
    std::array<bus::contested_traffic, soc_initiators.size()> contests; ///< of the initiators
    std::vector<soc_traffic> targets;
    std::uint64_t sram_bytes = 0;
    double dram_peak_bytes_per_ns = 0;
    process_usage usage; ///< of the simulation only
};

/// Results of a run.
struct soc_findings {
    soc_measured measured;
    std::vector<costs::component_energy> energy;
    die on;
    std::array<std::optional<workloads::check_result>, soc_devices> check; ///< none: not checked, or idle
    bool passed = true; ///< all checks passed, and all runs of a job gave the same result
};

/// Table and summary.
void write_report(run_report& report, const soc_options& options, const soc_findings& findings,
                  const shared_activity& activity);

} // namespace tensorloom::testbench
