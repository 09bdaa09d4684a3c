#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/workloads/training/network_program.h>
#include "platform/run/program_costs.h"
#include "platform/options/run_files.h"

namespace tensorloom::testbench {

/// Parts of an epoch: the phases of its training steps, the test set, and the validation set if there is one.
inline constexpr std::size_t epoch_phases = workloads::step_phases + 2;
inline constexpr std::size_t test_phase = workloads::step_phases, validation_phase = test_phase + 1;
const char* epoch_phase_name(std::size_t phase);

/// Costs of a phase of an epoch.
struct epoch_phase_costs : program_costs {
    std::vector<std::uint64_t> events; ///< in the order of activity::event_columns()
};
using epoch_costs = std::array<epoch_phase_costs, epoch_phases>;

/// Adds an epoch's training program: each record to the phase of its command. The parts before and after the loop over
/// the steps belong to `update`, including the fetching of the program.
void add_training(epoch_costs& costs, const workloads::written_program& program, const activity::program_log& log,
                  const activity::energy_report& energy);
/// Adds a program that is one phase: of the test or the validation set.
void add_phase(epoch_phase_costs& costs, const activity::program_log& log, const activity::energy_report& energy);
/// Number of its phases: without a validation set one less.
std::size_t phases_of(const epoch_costs& costs);

/// Adds up epochs.
void add_epoch(epoch_costs& sum, const epoch_costs& epoch);

/// latency.csv and energy.csv of epochs, numbered from `first`: a line per phase.
///
///     epoch,phase,cycles,read_bytes,written_bytes,<cause>_cycles...,<event of the device>...,<module>.<event>...
///     epoch,phase,cycles,<component>_pJ...,total_pJ
///
/// `log`: of one of the programs, for the names of the events.
void write_epoch_files(const output_directory& directory, const std::vector<const epoch_costs*>& epochs,
                       std::uint64_t first, const activity::program_log& log);

} // namespace tensorloom::testbench
